import Digests
import FileStore
import Logging
import PodfluxCore
import Tagging

/// Makes tagged copies of complete partial files. Each failure is said in the outcome, and logged: the file
/// is published as it was downloaded then.
struct FileTagging: Sendable {
  enum Outcome {
    case tagged(MovableFile)
    case untagged(because: String)
    case stopped
  }

  private static let pieceBytes = 1 << 20
  private static let coverNames = ["cover.jpg", "cover.png"]

  private let library: Library
  private let tagger: Tagger?
  private let logger: Logger

  init(_ library: Library, _ tagger: Tagger?, _ logger: Logger) {
    (self.library, self.tagger, self.logger) = (library, tagger, logger)
  }

  /// What is to be fetched for the tags of a file: what its format takes, and what neither is in it nor lies in the
  /// folder where it is to stand.
  func parts(
    missingIn file: PartialFile, for path: LibraryPath, while goOn: () -> Bool
  ) -> Set<TagMaterial.Part> {
    guard let tagger, let contents = try? file.contents(),
      let beginning = try? contents.read(offset: 0, count: MediaSignature.length),
      let format = TagFormat(beginning: beginning)
    else { return [] }
    // A file that cannot be read so is not tagged either, or has no tags.
    let tags = tagger.readTags(of: contents.descriptor, while: goOn)
    var parts = Set(TagMaterial.Part.allCases)
    if !format.takesChapters || tags?.hasChapters == true { parts.remove(.chapters) }
    if tags?.hasPicture == true { parts.subtract([.picture, .cover]) }
    if cover(beside: path) != nil { parts.remove(.cover) }
    return parts
  }

  /// Makes a tagged copy, and has it synced. Of a copy that is of no use nothing is left, unless it cannot be deleted.
  ///
  /// - Parameters:
  ///   - reserve: How much is to stay free on the library's disk, in bytes.
  ///   - goOn: Asked now and then; false where it must end.
  /// - Returns: Where copies are, if there may be one, and what has come of it.
  func tag(
    _ file: PartialFile, _ name: PartialName, _ request: TagRequest, reserve: Int64, while goOn: () -> Bool
  ) -> (folder: Incoming?, outcome: Outcome) {
    var folder: Incoming?
    var outcome: Outcome
    do throws(FileError) {
      let copies = try Incoming(forTagging: library)
      folder = copies
      outcome = try tag(file, name, in: copies, request, reserve: reserve, while: goOn)
    } catch {
      outcome = .untagged(because: error.description)
    }
    if case .untagged(let whole) = outcome {
      _ = try? folder?.delete(name)
      let reason = whole.cut(toBytes: Download.Tagging.reasonBytes)
      outcome = .untagged(because: reason)
      logger.warning(
        "a file is published without the tags that were asked for",
        metadata: ["path": "\(request.path)", "reason": "\(reason)"])
    }
    return (folder, outcome)
  }

  private func tag(
    _ file: PartialFile, _ name: PartialName, in copies: Incoming, _ request: TagRequest, reserve: Int64,
    while goOn: () -> Bool
  ) throws(FileError) -> Outcome {
    guard let tagger else { return .untagged(because: "this program has no tagger") }
    let length = try file.length()
    guard length <= TaggingLimits.fileBytes else { return .untagged(because: "the file is too long to be tagged") }
    let needed = length + TaggingLimits.growthBytes
    if DownloadError.shortage(of: needed, room: try copies.freeBytes(), reserve: reserve) != nil {
      return .untagged(because: "there is no room for a copy")
    }
    let audio = try Self.audio(ofLength: length, while: goOn) { (offset, count) throws(FileError) in
      try file.read(offset: offset, count: count)
    }
    guard goOn() else { return .stopped }
    guard let audio else {
      return .untagged(because: "the file's format is none whose tags are written, or it is damaged")
    }
    guard let copy = try copies.draft(of: file, name, while: goOn) else { return .stopped }
    let order = order(request)
    let file = request.tags.isEpisode ? cover(beside: request.path) : nil
    switch tagger.tag(
      copy.descriptor, length: length, cover: cover(of: request, or: file), order, while: goOn)
    {
    case .stopped: return .stopped
    case .failed(let reason): return .untagged(because: reason)
    case .tagged: break
    }
    let copyLength = try copy.length()
    let copiedAudio = try Self.audio(ofLength: copyLength, while: goOn) { (offset, count) throws(FileError) in
      try copy.read(offset: offset, count: count)
    }
    let sha256 = request.wantsDigest ? try Self.digest(of: copy, copyLength, while: goOn) : nil
    guard goOn() else { return .stopped }
    guard copiedAudio == audio else { return .untagged(because: "tagging it would have changed its audio") }
    let identity = try copies.finish(copy)
    return .tagged(
      MovableFile(inode: identity.lastingInode, tags: .tagged(length: identity.size, sha256: sha256)))
  }

  /// What is to be written, as far as it has come. What is missing is said in the log: the file gets tags without it.
  private func order(_ request: TagRequest) -> TagOrder {
    let (tags, material) = (request.tags, request.material)
    var missing = material.missing
    var chapters: [Chapter] = []
    if let document = material.parts[.chapters] {
      chapters = Chapter.chapters(in: document)
      if chapters.isEmpty { missing[.chapters] = "the document names none that can be written" }
    }
    for part in TagMaterial.Part.allCases {
      guard let reason = missing[part]?.cut(toBytes: Download.Tagging.reasonBytes) else { continue }
      logger.warning(
        "a file gets tags without what its feed names",
        metadata: ["path": "\(request.path)", "part": "\(part.rawValue)", "reason": "\(reason)"])
    }
    let offset = tags.published.map { LocalClock.offsetSeconds(of: $0, in: tags.timeZone) } ?? 0
    return TagOrder(tags, offsetSeconds: offset, chapters: chapters)
  }

  /// The episode's picture, else the cover in the file's folder, else the podcast's.
  private func cover(of request: TagRequest, or file: PublishedContents?) -> Tagger.Cover? {
    let parts = request.material.parts
    if let picture = parts[.picture] { return .bytes(picture) }
    return file.map { .file($0.descriptor) } ?? parts[.cover].map(Tagger.Cover.bytes)
  }

  /// The cover in the folder of a file, if there is one that begins like a picture and has a length that is taken.
  private func cover(beside path: LibraryPath) -> PublishedContents? {
    for name in Self.coverNames {
      let place = (path.components.dropLast() + [name]).joined(separator: "/")
      // Anything but a regular file in the cover's place, such as a link, is no cover.
      guard let cover = try? PublishedFiles(library).open(EntryPath(bytes: Array(place.utf8))),
        (1...TaggingLimits.coverBytes).contains(cover.identity.size),
        let beginning = try? cover.read(offset: 0, count: MediaSignature.length)
      else { continue }
      switch MediaSignature(beginning) {
      case .jpeg, .png: return cover
      default: continue
      }
    }
    return nil
  }

  /// The digest of a file's audio; nil if the file has none, or if it was told to end.
  private static func audio(
    ofLength length: Int64, while goOn: () -> Bool,
    _ read: @escaping (_ offset: Int64, _ count: Int) throws(FileError) -> [UInt8]
  ) throws(FileError) -> [UInt8]? {
    try withoutActuallyEscaping(goOn) { (goOn) throws(FileError) in
      try AudioDigest.of(fileOfLength: length) { (offset, count) throws(FileError) in
        goOn() ? try read(offset, count) : []
      }
    }
  }

  /// The SHA-256 of a copy; of no use if it was told to end.
  private static func digest(
    of copy: CopyDraft, _ length: Int64, while goOn: () -> Bool
  ) throws(FileError) -> String {
    var digest = RunningDigest(.sha256)
    var offset: Int64 = 0
    while offset < length, goOn() {
      let piece = try copy.read(offset: offset, count: pieceBytes)
      guard !piece.isEmpty else { break }
      piece.withUnsafeBytes { digest.update($0) }
      offset += Int64(piece.count)
    }
    return digest.digest().hexadecimal
  }
}
