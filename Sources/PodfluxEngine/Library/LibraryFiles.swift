import EngineRuntime
import FileNames
import FileStore
import Flux
import Logging
import PodfluxCore
import Synchronization
import Tagging

/// The library's folder in the core's terms: what attempts work on.
///
/// Its aspects: `+FileSystem` (what surveys, steps, verifications and deletions work on). An attempt's file is an
/// `OpenPartial`.
struct LibraryFiles: AttemptFiles {
  let partials: Partials
  private let publisher: Publisher
  let published: PublishedFiles
  let quarantine: Quarantine
  let staged: StagedFiles
  let library: Library
  private let tagging: FileTagging
  let tagger: Tagger?
  private let logger: Logger
  private let promised = PromisedPlaces()

  /// - Parameter tagger: What tags files; nil if this program has none.
  init(_ library: Library, tagger: Tagger?, logger: Logger) {
    tagging = FileTagging(library, tagger, logger)
    (self.tagger, self.logger) = (tagger, logger)
    partials = Partials(library)
    publisher = Publisher(library)
    published = PublishedFiles(library)
    quarantine = Quarantine(library)
    staged = StagedFiles(library)
    self.library = library
  }

  func availableBytes() throws(DownloadError) -> Int64 {
    try translatingErrors { () throws(FileError) in try library.diskSpace().freeBytes }
  }

  func openPartial(of download: DownloadID) throws(DownloadError) -> any PartialContents {
    do throws(FileError) {
      let name = try name(of: download)
      return OpenPartial(try partials.open(name), name, incoming: Incoming(library), tagging)
    } catch {
      var failure = DownloadError(error)
      // No inode is free: the disk is watched until one is. Where a quota of the user's refuses the file, free bytes
      // tell nothing.
      if case .noSpace = error, let space = try? library.diskSpace(), !space.takesNewFiles { failure.shortBytes = 1 }
      throw failure
    }
  }

  func name(for facts: PublishingFacts, number: Int) throws(DownloadError) -> LibraryPath? {
    // A place that the client has named needs none.
    lazy var naming = FileNaming(NamingFacts(facts), portably: facts.settings.portableNames)
    return try AttemptPlaces(published: published, promised: promised, owner: facts.address).place(
      for: facts.description.path, number: number, portably: facts.settings.portableNames
    ) { number throws(DownloadError) in
      do throws(LibraryPathError) {
        return try naming.candidate(number: number)
      } catch {
        throw DownloadError(.io, "no name can be made for the file: \(error)", outlook: .lasting)
      }
    }
  }

  func publish(
    _ download: DownloadID, as file: PublishedFile, isTagged: Bool, portably: Bool
  ) throws(DownloadError) -> Publication? {
    defer { promised.remove(file.path) }
    do throws(FileError) {
      let publication = try publisher.publish(
        try name(of: download), to: file.path, recorded: FileIdentity(file), isTagged: isTagged,
        sparingTwins: portably)
      return Publication(
        madeFolders: publication.madeFolders.compactMap(\.libraryPath),
        modifiedNanoseconds: publication.identity.modifiedNanoseconds)
    } catch .exists {
      return nil
    } catch {
      throw DownloadError(error)
    }
  }

  func name(of download: DownloadID) throws(FileError) -> PartialName {
    guard let name = PartialName(download.description) else {
      preconditionFailure("every download's id is a file name")
    }
    return name
  }
}

/// The places of the library as an attempt finds them: what is promised to others is taken.
private struct AttemptPlaces: FilePlaces {
  let published: PublishedFiles
  let promised: PromisedPlaces
  let owner: WebAddress

  var ignoresCase: Bool { published.ignoresCase }

  func spelled(_ path: LibraryPath) throws(DownloadError) -> LibraryPath {
    try translatingErrors { () throws(FileError) in try published.spelled(path) }
  }

  func isTaken(_ path: LibraryPath) throws(DownloadError) -> Bool {
    if promised.isTaken(path, for: owner) { return true }
    return try translatingErrors { () throws(FileError) in try published.isTaken(path) }
  }

  func exists(_ path: LibraryPath) throws(DownloadError) -> Bool {
    if promised.isTaken(path, for: owner) { return true }
    return try translatingErrors { () throws(FileError) in try published.exists(path) }
  }

  func promise(_ path: LibraryPath) -> Bool { promised.add(path, to: owner) }
}

extension LibraryFiles: InterruptedPublications {
  /// If the file does not stand at its place, a placeholder is taken away from there.
  func isPublishedDurably(
    _ file: PublishedFile, of download: DownloadID, original: Download.Original?
  ) throws(FileError) -> Bool {
    let partial = try name(of: download)
    guard
      try publisher.hasPublished(
        partial, as: file.path, recorded: FileIdentity(file), isTagged: original != nil)
    else {
      _ = try publisher.withdrawPlaceholder(of: partial, at: file.path, length: original?.length ?? file.length)
      return false
    }
    try published.synchronizeFolder(of: file.path)
    // What was downloaded is not wanted any more. Should that fail, a cleanup finds it.
    if original != nil { _ = try? partials.delete(partial) }
    return true
  }

  func clearCopies(keeping downloads: Set<DownloadID>) throws(FileError) {
    var names: Set<PartialName> = []
    for download in downloads { names.insert(try name(of: download)) }
    for failure in Incoming.clear(library, keeping: names) {
      logger.warning(
        "what an earlier engine has left in .podflux/incoming cannot be deleted", metadata: ["reason": "\(failure)"])
    }
  }
}

/// Places that attempts are about to publish to: attempts that end at the same time would find the same free name, and
/// all but one would look again. Only that is saved by this: no file replaces another one in any case.
private final class PromisedPlaces: Sendable {
  /// An attempt that ends before it publishes leaves its place here: so many are forgotten together.
  private static let limit = 1024

  /// The addresses of the downloads that have them.
  private let places = Mutex<[LibraryPath: WebAddress]>([:])

  func isTaken(_ place: LibraryPath, for owner: WebAddress) -> Bool {
    places.withLock { $0[place].map { $0 != owner } ?? false }
  }

  /// Promises a place; false if another download has it.
  func add(_ place: LibraryPath, to owner: WebAddress) -> Bool {
    places.withLock { places in
      if places.count >= Self.limit { places = [:] }
      guard places[place] == nil || places[place] == owner else { return false }
      places[place] = owner
      return true
    }
  }

  func remove(_ place: LibraryPath) { _ = places.withLock { $0.removeValue(forKey: place) } }
}

/// Runs what fails with a file's error.
func translatingErrors<Value>(_ body: () throws(FileError) -> Value) throws(DownloadError) -> Value {
  do throws(FileError) {
    return try body()
  } catch {
    throw DownloadError(error)
  }
}

extension DownloadError {
  /// A file's trouble in the protocol's terms.
  init(_ error: FileError) {
    let (code, outlook): (Code, Outlook?) =
      switch error {
      case .noSpace: (.noSpace, nil)
      case .changedOutside: (.lengthMismatch, nil)
      case .exists: (.fileExists, nil)
      case _ where error.isPassing: (.io, .passing)
      // A person may put a folder back in the place of a link, or of another disk.
      case .notFound, .readOnly, .denied, .folderDenied, .notPrivate, .unknownFormat, .mismatch, .symbolicLink,
        .notAFolder, .crossDevice, .io:
        (.io, nil)
      case .notARegularFile, .illegalPath, .refusedName, .tooDeep, .longStatePath, .ofOtherLibrary: (.io, .lasting)
      }
    self.init(code, error.description, outlook: outlook)
  }
}

extension FileIdentity {
  fileprivate init(_ file: PublishedFile) {
    self.init(device: 0, inode: file.inode, size: file.length)
  }
}

extension NamingFacts {
  /// Time zones are resolved here: the core knows offsets only.
  init(_ facts: PublishingFacts) {
    let published = facts.description.published
    let offset = published.map { LocalClock.offsetSeconds(of: $0, in: facts.settings.nameTimeZone) } ?? 0
    self.init(facts, offsetSeconds: offset)
  }
}
