import FileStore
import Flux
import Logging
import PodfluxCore
import Tagging

/// The library's folder in the core's terms: what attempts work on.
///
/// Its aspects: `+FileSystem` (what surveys, steps, verifications and deletions work on). An attempt's file is an `OpenPartial`.
struct LibraryFiles: AttemptFiles {
  let partials: Partials
  private let publisher: Publisher
  let published: PublishedFiles
  let quarantine: Quarantine
  let staged: StagedFiles
  let library: Library
  private let tagging: FileTagging
  let tagger: Tagger?

  /// - Parameter tagger: What tags files; nil if this program has none.
  init(_ library: Library, tagger: Tagger?, logger: Logger) {
    tagging = FileTagging(library, tagger, logger)
    self.tagger = tagger
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
    try translatingErrors { () throws(FileError) in
      let name = try name(of: download)
      return OpenPartial(try partials.open(name), name, incoming: Incoming(library), tagging)
    }
  }

  func name(for facts: PublishingFacts, number: Int) throws(DownloadError) -> LibraryPath? {
    let isPortable = facts.settings.portableNames
    if let path = facts.description.path { return try wanted(path, isPortable, number: number) }
    let naming = FileNaming(NamingFacts(facts), portably: isPortable)
    var number = number
    while true {
      let candidate: LibraryPath
      do throws(LibraryPathError) {
        candidate = try naming.candidate(number: number)
      } catch {
        throw DownloadError(.io, "no name can be made for the file: \(error)", isLasting: true)
      }
      let free: LibraryPath? = try translatingErrors { () throws(FileError) in
        guard isPortable else { return try published.exists(candidate) ? nil : candidate }
        let place = try published.spelled(candidate)
        return try published.isTaken(place) ? nil : place
      }
      if let free { return free }
      number += 1
    }
  }

  /// The place that the client has named. Whether it is free is seen when the file is published; where a folder has come
  /// meanwhile that a disk which does not tell case apart would take for the wanted one, it is tried once more in that.
  private func wanted(_ path: LibraryPath, _ isPortable: Bool, number: Int) throws(DownloadError) -> LibraryPath? {
    guard isPortable else { return number == 1 ? path : nil }
    return try translatingErrors { () throws(FileError) in
      let place = try published.spelled(path.portable)
      if number == 1 { return place }
      guard number == 2, place != path.portable else { return nil }
      return try published.isTaken(place) ? nil : place
    }
  }

  func publish(
    _ download: DownloadID, as file: PublishedFile, isTagged: Bool, portably: Bool
  ) throws(DownloadError) -> Publication? {
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

  /// Whether the file of a download that was publishing when its engine died stands at its place, and makes it stand there
  /// after a power cut too: that engine may have died before it synced the folder. If it does not, a placeholder is taken away.
  ///
  /// - Parameter original: What was downloaded, if the file is a tagged copy of that.
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

  func name(of download: DownloadID) throws(FileError) -> PartialName {
    guard let name = PartialName(download.description) else {
      preconditionFailure("every download's id is a file name")
    }
    return name
  }
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
    let (code, isLasting): (Code, Bool) =
      switch error {
      case .noSpace: (.noSpace, false)
      case .changedOutside: (.lengthMismatch, false)
      case .exists: (.fileExists, false)
      // A person may put a folder back in the place of a link, or of another disk.
      case .notFound, .readOnly, .denied, .notPrivate, .unknownFormat, .mismatch, .symbolicLink, .notAFolder,
        .crossDevice, .io:
        (.io, false)
      case .notARegularFile, .illegalPath, .refusedName, .tooDeep, .ofOtherLibrary: (.io, true)
      }
    self.init(code, error.description, isLasting: isLasting)
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
    self.init(
      podcast: facts.description.podcast, title: facts.description.title,
      day: published?.day(offsetSeconds: offset), time: published?.timeText(offsetSeconds: offset),
      naming: facts.naming, fileExtension: facts.fileExtension, url: facts.address.description,
      contentDisposition: facts.contentDisposition, mediaType: facts.contentType, beginning: facts.beginning)
  }
}
