import Flux

/// What somebody has edited, and what is damaged.
extension CleanupPlanner {
  /// A row's file, or what stands in its place, has another content than was downloaded, or may have. What somebody has
  /// written to since and is media is edited; all else is damaged.
  mutating func judge(
    _ row: ExpectedFile, _ found: FoundFile, _ because: String, _ evidence: some CleanupEvidence
  ) throws {
    guard row.file.mayBeEdited(as: found, finished: row.finished) else { return add(corrupt: row, found, because) }
    guard let likeness = try evidence.likeness(of: found) else { return add(unreadable: found, of: row) }
    guard row.file.isStillMedia(likeness, length: found.length) else {
      let reason = likeness == .other ? "it is no media" : "nothing of what is known begins like that"
      return add(corrupt: row, found, "\(because), and \(reason)")
    }
    var sha256: String?
    if row.file.sha256 != nil { sha256 = try hashes[found.place] ?? evidence.sha256(of: found) }
    guard let file = found.published(sha256: sha256) else { return add(unnameable: found, of: row) }
    // What lies where its row says, as long as it was, has been counted as a download's already.
    if found.place != row.place || found.inode != row.file.inode || found.length != row.file.length {
      note(followed: found)
    }
    let finding: CleanupStep.Finding =
      file.path == row.file.path
      ? .modified(row.download, from: row.file, to: file) : .moved(row.download, from: row.file, to: file)
    add(finding, .follow, because + "; it is media, and its download follows it")
  }
}

extension PublishedFile {
  /// Disks without lasting inodes keep times in units of up to two seconds (vfat), and only once they are mounted anew.
  private static let coarsestTimeNanoseconds: UInt64 = 2_000_000_000

  /// Whether it is known that the file has been written to since, or given another time.
  public func hasOtherTime(than found: FoundFile) -> Bool {
    guard let recorded = modifiedNanoseconds, let modified = found.modifiedNanoseconds else { return false }
    guard found.inode == FoundFile.unknownInode else { return recorded != modified }
    let (difference, isOverflow) = recorded.subtractingReportingOverflow(modified)
    return isOverflow || difference.magnitude >= Self.coarsestTimeNanoseconds
  }

  /// Whether what was found in the file's place may be what somebody has made of it: taggers write to the file itself, or
  /// put another in its place. Where no time was recorded, another length or another file tells of that, or a time after the
  /// download's end.
  public func mayBeEdited(as found: FoundFile, finished: Timestamp?) -> Bool {
    guard modifiedNanoseconds != nil, found.modifiedNanoseconds != nil else {
      return inode != found.inode || length != found.length || found.isWritten(after: finished)
    }
    return hasOtherTime(than: found)
  }

  /// Whether what has become of the file, and looks like that, is media still. What is not recognised and is as long as it
  /// was may have looked like that when it was published, unless its content is known to differ.
  public func isStillMedia(_ likeness: MediaCheck.Likeness, length: Int64) -> Bool {
    switch likeness {
    case .media: true
    case .unrecognized: length == self.length && sha256 == nil
    case .other: false
    }
  }

  func difference(from found: FoundFile) -> String {
    guard found.length == length else { return "it has \(found.length) bytes instead of \(length)" }
    return sha256 == nil
      ? "another file of the same length is in its place"
      : "it has another content than was downloaded: its SHA-256 differs"
  }
}

extension FoundFile {
  /// Whether it was written to after a moment, and the few seconds in which a download is noted down as completed.
  fileprivate func isWritten(after moment: Timestamp?) -> Bool {
    guard let moment, let modified = modifiedNanoseconds else { return false }
    let slackMilliseconds: Int64 = 10_000
    return modified / 1_000_000 > moment.advanced(byMilliseconds: slackMilliseconds).milliseconds
  }
}
