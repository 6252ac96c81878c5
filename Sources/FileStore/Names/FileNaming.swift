import PodfluxCore

/// The path of a download whose client names none: `<podcast>/<yyyy-MM-dd> <title>.<extension>`.
///
/// The same facts give the same names. It does not handle paths that a client names: the engine uses those unchanged,
/// and the download fails if a file exists there.
public struct FileNaming: Sendable {
  /// The file name if nothing is known.
  private static let nameless = "download"

  private let folder: String?
  private let stem: String
  private let fileExtension: String

  /// Computes the names once, for any number of candidates. With `portably`, SMB, NTFS and exFAT accept them.
  public init(_ facts: NamingFacts, portably: Bool = true) {
    let suggestedName = facts.contentDisposition.flatMap(ContentDisposition.filename(in:))
    fileExtension = FileExtension.forDownload(
      mediaType: facts.mediaType, suggestedName: suggestedName, url: facts.url,
      signature: MediaSignature(facts.beginning))
    folder = facts.podcast.flatMap { NameComponent.clean($0, portably: portably) }.flatMap {
      NameComponent.cut($0, toBytes: LibraryPath.maximumComponentBytes)
    }
    let names = [facts.title, suggestedName, RemoteName.lastPathComponent(ofURL: facts.url)]
    let name = names.lazy.compactMap { [fileExtension] name in
      name.flatMap { Self.stem(of: $0, without: fileExtension, portably: portably) }
    }.first
    let day = facts.day.flatMap(\.text).map { "\($0) " }
    stem = (day ?? "") + (name ?? Self.nameless)
  }

  /// The first choice for number 1, then `name (2).ext`, `name (3).ext` … if the earlier ones are taken.
  ///
  /// No facts are known to make it throw, since the text is cleaned for that. Should some do, one download fails, and
  /// not the engine.
  public func candidate(number: Int) throws(LibraryPathError) -> LibraryPath {
    precondition(number >= 1, "candidates are counted from 1")
    let ending = (number == 1 ? "" : " (\(number))") + "." + fileExtension
    let room = LibraryPath.maximumComponentBytes - ending.utf8.count
    let name = (NameComponent.cut(stem, toBytes: room) ?? Self.nameless) + ending
    return try LibraryPath(validating: folder.map { $0 + "/" + name } ?? name)
  }

  /// The name without an extension of media, which would otherwise appear twice.
  private static func stem(of name: String, without fileExtension: String, portably: Bool) -> String? {
    guard let clean = NameComponent.clean(name, portably: portably) else { return nil }
    guard let found = FileExtension.of(name: clean), found == fileExtension || FileExtension.isKnown(found) else {
      return clean
    }
    return NameComponent.clean(String(clean.unicodeScalars.dropLast(found.utf8.count + 1)), portably: portably)
  }
}
