import FileStore
import Flux
import PodfluxCore
import Synchronization

/// The library's folder in the core's terms: what attempts work on.
///
/// Its aspects: `+FileSystem` (what surveys, steps, verifications and deletions work on).
struct LibraryFiles: AttemptFiles {
  let partials: Partials
  private let publisher: Publisher
  let published: PublishedFiles
  let quarantine: Quarantine
  let staged: StagedFiles
  let library: Library

  init(_ library: Library) {
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
      return OpenPartial(try partials.open(name), name, incoming: Incoming(library))
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
        throw DownloadError(.io, "no name can be made for the file: \(error)")
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
    _ download: DownloadID, as file: PublishedFile, portably: Bool
  ) throws(DownloadError) -> Publication? {
    do throws(FileError) {
      let publication = try publisher.publish(
        try name(of: download), to: file.path, recorded: FileIdentity(file), sparingTwins: portably)
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
  func isPublishedDurably(_ file: PublishedFile, of download: DownloadID) throws(FileError) -> Bool {
    let partial = try name(of: download)
    guard try publisher.hasPublished(partial, as: file.path, recorded: FileIdentity(file)) else {
      _ = try publisher.withdrawPlaceholder(of: partial, at: file.path, length: file.length)
      return false
    }
    try published.synchronizeFolder(of: file.path)
    return true
  }

  func name(of download: DownloadID) throws(FileError) -> PartialName {
    guard let name = PartialName(download.description) else {
      preconditionFailure("every download's id is a file name")
    }
    return name
  }
}

/// A partial file in the core's terms.
private final class OpenPartial: PartialContents {
  private let file: PartialFile
  private let name: PartialName
  /// Where it is copied to when it is complete; nil if it can be moved itself.
  private let incoming: Incoming?
  /// The copy, once it has been made.
  private let copy = Mutex<FileIdentity?>(nil)

  init(_ file: PartialFile, _ name: PartialName, incoming: Incoming?) {
    (self.file, self.name, self.incoming) = (file, name, incoming)
  }

  func length() throws(DownloadError) -> Int64 {
    try translatingErrors { () throws(FileError) in try file.length() }
  }

  func prepareToMove(reserve: Int64, while goOn: () -> Bool) throws(DownloadError) -> UInt64? {
    guard let incoming else {
      return try translatingErrors { () throws(FileError) in try file.identity().lastingInode }
    }
    // It has been copied when its name turns out to be taken.
    if let copy = copy.withLock({ $0 }) { return copy.lastingInode }
    if let shortage = try shortage(of: incoming, reserve: reserve) { throw shortage }
    let identity = try translatingErrors { () throws(FileError) in try incoming.copy(file, name, while: goOn) }
    copy.withLock { $0 = identity }
    return identity?.lastingInode
  }

  /// What is wrong where the copy would take of the reserve. It names no bytes to watch for: room for the rest of the download
  /// may be there all the time, and it would be woken at once. It is tried again after a while.
  private func shortage(of incoming: Incoming, reserve: Int64) throws(DownloadError) -> DownloadError? {
    let (length, room) = try translatingErrors { () throws(FileError) in
      (try file.length(), try incoming.freeBytes())
    }
    guard let error = DownloadError.shortage(of: length, room: room, reserve: reserve) else { return nil }
    return DownloadError(error.code, "on the library's disk \(error.message)")
  }

  func read(offset: Int64, count: Int) throws(DownloadError) -> [UInt8] {
    try translatingErrors { () throws(FileError) in try file.read(offset: offset, count: count) }
  }

  func append(_ blocks: [UnsafeRawBufferPointer]) throws(DownloadError) {
    do throws(PartialFile.AppendFailure) {
      try file.append(blocks)
    } catch {
      throw DownloadError(error.cause)
    }
  }

  func setModificationTime(_ moment: Timestamp) throws(DownloadError) {
    _ = try translatingErrors { () throws(FileError) in try file.setModificationTime(moment) }
  }

  func truncate(to length: Int64) throws(DownloadError) {
    try translatingErrors { () throws(FileError) in try file.truncate(to: length) }
  }

  func synchronizeContents() throws(DownloadError) {
    try translatingErrors { () throws(FileError) in try file.synchronizeContents() }
  }

  func synchronize() throws(DownloadError) {
    try translatingErrors { () throws(FileError) in try file.synchronize() }
  }

  func close() {
    file.close()
    guard let incoming else { return }
    // What has not been moved to its place is not wanted any more. Should that fail, the next start removes it.
    _ = try? incoming.delete(name)
  }
}

private func translatingErrors<Value>(_ body: () throws(FileError) -> Value) throws(DownloadError) -> Value {
  do throws(FileError) {
    return try body()
  } catch {
    throw DownloadError(error)
  }
}

extension DownloadError {
  /// A file's trouble in the protocol's terms.
  init(_ error: FileError) {
    let code: Code =
      switch error {
      case .noSpace: .noSpace
      case .changedOutside: .lengthMismatch
      case .exists: .fileExists
      case .notFound, .readOnly, .denied, .symbolicLink, .notAFolder, .notARegularFile, .crossDevice, .illegalPath,
        .refusedName, .tooDeep, .unknownFormat, .mismatch, .io:
        .io
      }
    self.init(code, error.description)
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
