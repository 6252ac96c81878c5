import PodfluxCore

/// Checks of files that are published with tags.
extension InvariantChecker {
  /// What was downloaded, of a file that has just been published: the file itself, or what it is a tagged copy of.
  func downloaded(_ file: SimulatedFile, _ published: PublishedFile, of row: Download) throws -> [UInt8] {
    let tagless = SimulatedTags.original(of: file.content)
    guard let original = row.original else {
      guard tagless == nil else { throw Violation(.tags, "\(row.id) is tagged, and its row does not know it") }
      return file.content
    }
    guard let content = tagless else { throw Violation(.tags, "\(row.id) is said to be tagged, and is not") }
    guard SimulatedTags.original(of: content) == nil else { throw Violation(.tags, "\(row.id) is tagged twice") }
    guard original.length == content.count, row.progress.total == original.length,
      original.sha256.map({ $0 == Self.digest(of: content, .sha256).hexadecimal }) ?? true
    else {
      throw Violation(.tags, "the row of \(row.id) says \(original) of \(content.count) downloaded bytes")
    }
    guard (original.sha256 == nil) == (published.sha256 == nil),
      published.sha256.map({ $0 == Self.digest(of: file.content, .sha256).hexadecimal }) ?? true
    else {
      throw Violation(.tags, "the tagged copy of \(row.id) has another digest than its row says")
    }
    return content
  }

  /// A file has been tagged, or was to be: what was downloaded is what it was.
  func hasTagged(_ file: SimulatedFile, of download: DownloadID, before content: [UInt8]) throws {
    guard file.content != content else { return }
    throw Violation(.tags, "the bytes of \(download) that were downloaded are changed")
  }
}
