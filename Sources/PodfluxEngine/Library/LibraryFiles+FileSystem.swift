import Digests
import EngineRuntime
import FileNames
import FileStore
import Flux
import PodfluxCore
import Tagging

/// The library's folder as services see it.
extension LibraryFiles: LibraryFileSystem {
  func isInPlace() throws(FileSystemFailure) -> Bool {
    try translating { () throws(FileError) in try library.isInPlace() }
  }

  func listing() throws(FileSystemFailure) -> PublishedWalk {
    try translating { () throws(FileError) in PublishedWalk(listing: try LibraryListing(library)) }
  }

  func databaseBytes() throws(FileSystemFailure) -> Int64 {
    try translating { () throws(FileError) in try library.databaseBytes() }
  }

  // MARK: Published files

  func look(at place: EntryPath) throws(FileSystemFailure) -> Presence<FoundFile> {
    try presence(at: place) { () throws(FileError) in
      try published.identity(of: place).map { FoundFile(place, $0) }
    }
  }

  func open(_ place: EntryPath) throws(FileSystemFailure) -> Presence<OpenPublished> {
    try presence(at: place) { () throws(FileError) in
      try published.open(place).map { OpenPublished($0, place) }
    }
  }

  func tags(in contents: OpenPublished, while goOn: () -> Bool) -> AdoptableFile.Tags? {
    contents.tags(by: tagger, while: goOn)
  }

  /// A link is told from one on the way by the path that the error names.
  private func presence<File>(
    at place: EntryPath, _ find: () throws(FileError) -> File?
  ) throws(FileSystemFailure) -> Presence<File> {
    do throws(FileError) {
      guard let file = try find() else { return .nothing }
      return .file(file)
    } catch .symbolicLink(let path) {
      let failure = FileSystemFailure(.symbolicLink(path: path))
      return path == place.text ? .link(failure) : .behindLink(failure)
    } catch .notARegularFile(let path) {
      return .other(FileSystemFailure(.notARegularFile(path: path)))
    } catch {
      throw FileSystemFailure(error)
    }
  }

  func delete(_ file: FoundFile, ownFolders: [LibraryPath]) throws(FileSystemFailure) -> Bool {
    try translating { () throws(FileError) in
      try published.delete(
        file.place, recorded: FileIdentity(file), ownFolders: Set(ownFolders.map(EntryPath.init)))
    }
  }

  func removeEmptyFolder(_ place: EntryPath) throws(FileSystemFailure) -> Bool {
    try translating { () throws(FileError) in try published.removeEmptyFolder(place) }
  }

  // MARK: Names

  func candidate(for facts: PublishingFacts, number: Int) throws(FileSystemFailure) -> LibraryPath? {
    let isPortable = facts.settings.portableNames
    let candidate: LibraryPath
    do throws(LibraryPathError) {
      candidate = try FileNaming(NamingFacts(facts), portably: isPortable).candidate(number: number)
    } catch {
      throw FileSystemFailure("no name can be made for the file: \(error)")
    }
    guard isPortable || library.ignoresCase else { return candidate }
    return try translating { () throws(FileError) in try published.spelled(candidate) }
  }

  func occupant(of path: LibraryPath, portably: Bool) throws(FileSystemFailure) -> EntryPath? {
    try translating { () throws(FileError) in try published.occupant(of: path, portably: portably) }
  }

  func move(
    _ file: FoundFile, to path: LibraryPath, _ move: CleanupStep.Move
  ) throws(FileSystemFailure) -> MoveOutcome {
    let moving = try translating { () throws(FileError) in
      try published.move(
        file.place, recorded: FileIdentity(file), to: path, sparingTwins: move.isPortable,
        mayHaveBegun: move.mayHaveBegun)
    }
    return switch moving {
    case .moved(let folders): .moved(madeFolders: folders.compactMap(\.libraryPath))
    case .gone: .gone
    case .changed: .changed
    case .taken: .taken
    }
  }

  // MARK: Sidecars

  func stage(
    _ bytes: [UInt8], for sidecar: Sidecar.Key, keepingFree reserve: Int64
  ) throws(FileSystemFailure) -> StagedFile {
    let identity = try translating { () throws(FileError) in
      try staged.write(bytes, as: sidecar, keepingFree: reserve)
    }
    return StagedFile(inode: identity.lastingInode, modifiedNanoseconds: identity.modifiedNanoseconds)
  }

  func publish(
    _ sidecar: Sidecar.Key, as file: PublishedFile, portably: Bool
  ) throws(FileSystemFailure) -> Bool {
    try translating { () throws(FileError) in
      try staged.publish(sidecar, to: file.path, recorded: FileIdentity(FoundFile(file)), sparingTwins: portably)
    }
  }

  func discardStaged(_ sidecar: Sidecar.Key) throws(FileSystemFailure) {
    try translating { () throws(FileError) in try staged.discard(sidecar) }
  }

  // MARK: Partial files

  func partialListing() throws(FileSystemFailure) -> PartialFilesWalk {
    try translating { () throws(FileError) in PartialFilesWalk(listing: try partials.list()) }
  }

  func partialLength(of download: DownloadID) throws(FileSystemFailure) -> Int64? {
    try translating { () throws(FileError) in try partials.identity(of: try name(of: download))?.size }
  }

  func openExistingPartial(of download: DownloadID) throws(FileSystemFailure) -> OpenExistingPartial {
    try translating { () throws(FileError) in
      OpenExistingPartial(file: try partials.open(try name(of: download), mode: .existing))
    }
  }

  func deletePartial(of download: DownloadID) throws(FileSystemFailure) {
    _ = try translating { () throws(FileError) in try partials.delete(try name(of: download)) }
  }

  // MARK: The quarantine

  func quarantine(_ file: FoundFile, _ order: QuarantineOrder) throws(FileSystemFailure) -> QuarantineOutcome {
    do throws(FileError) {
      let taking = try quarantine.take(
        file.place, recorded: FileIdentity(file), because: order.because, download: order.download, at: order.moment,
        ownFolders: Set(order.ownFolders.map(EntryPath.init)))
      return QuarantineOutcome(taking)
    } catch .symbolicLink(let path) {
      return .behindLink(FileSystemFailure(.symbolicLink(path: path)))
    } catch {
      throw FileSystemFailure(error)
    }
  }

  func quarantine(
    strayPartial file: FoundFile, _ order: QuarantineOrder
  ) throws(FileSystemFailure) -> QuarantineOutcome {
    try translating { () throws(FileError) in
      QuarantineOutcome(
        try quarantine.take(
          strayPartial: file.place, recorded: FileIdentity(file), because: order.because, at: order.moment))
    }
  }

  func quarantineUsage() throws(FileSystemFailure) -> QuarantineUsage {
    try translating { () throws(FileError) in QuarantineUsage(try quarantine.usage()) }
  }

  func forEachQuarantined(_ body: (QuarantinedFile) -> Void) throws(FileSystemFailure) {
    try translating { () throws(FileError) in
      try quarantine.forEachItem { (item) throws(FileError) in body(item) }
    }
  }

  func emptyQuarantine(
    before moment: Timestamp, while goOn: () -> Bool
  ) throws(FileSystemFailure) -> QuarantineUsage {
    try translating { () throws(FileError) in
      QuarantineUsage(try quarantine.empty(olderThan: moment, whileTrue: goOn))
    }
  }

  func restoredFiles() throws(FileSystemFailure) -> Set<FoundFile> {
    try translating { () throws(FileError) in
      Set(
        try quarantine.restored().map {
          FoundFile(place: $0.place, length: $0.identity.size, inode: $0.identity.lastingInode)
        })
    }
  }

  func forgetGoneRestorations() throws(FileSystemFailure) {
    try translating { () throws(FileError) in try quarantine.dropGoneRestorations() }
  }
}

// MARK: - Walks and open files

/// A walk through the published files, in the core's terms.
struct PublishedWalk: LibraryWalk {
  fileprivate let listing: LibraryListing

  func next() throws(FileSystemFailure) -> LibraryEntry? {
    do throws(FileError) {
      return try listing.next().map(LibraryEntry.init)
    } catch {
      throw FileSystemFailure(error)
    }
  }
}

/// A walk through the partial files, in the core's terms.
struct PartialFilesWalk: PartialWalk {
  fileprivate let listing: PartialListing

  func next() throws(FileSystemFailure) -> PartialEntry? {
    try translating { () throws(FileError) in
      guard let entry = try listing.next() else { return nil }
      if let name = entry.name, let id = DownloadID(name.description) {
        return .partial(FoundPartial(download: id, length: entry.identity.size))
      }
      let place = EntryPath(bytes: entry.entryName.bytes)
      return .stray(FoundFile(place: place, length: entry.identity.size, inode: entry.identity.lastingInode))
    }
  }
}

/// An open published file, in the core's terms.
struct OpenPublished: PublishedFileContents {
  let file: FoundFile
  private let contents: PublishedContents

  fileprivate init(_ contents: PublishedContents, _ place: EntryPath) {
    self.contents = contents
    file = FoundFile(place, contents.identity)
  }

  var birth: Timestamp? { contents.birth }
  var changed: Timestamp? { contents.changed }

  fileprivate func tags(by tagger: Tagger?, while goOn: () -> Bool) -> AdoptableFile.Tags? {
    tagger?.readTags(of: contents.descriptor, while: goOn).map(AdoptableFile.Tags.init)
  }

  func present() throws(FileSystemFailure) -> FoundFile {
    try translating { () throws(FileError) in FoundFile(file.place, try contents.present()) }
  }

  func hasOtherNames() throws(FileSystemFailure) -> Bool {
    try translating { () throws(FileError) in try contents.hasOtherNames() }
  }

  func beginning() throws(FileSystemFailure) -> [UInt8] {
    try read(offset: 0, count: MediaSignature.length)
  }

  func read(offset: Int64, count: Int) throws(FileSystemFailure) -> [UInt8] {
    try translating { () throws(FileError) in try contents.read(offset: offset, count: count) }
  }
}

/// An open partial file, in the core's terms.
struct OpenExistingPartial: ExistingPartial {
  fileprivate let file: PartialFile

  func length() throws(FileSystemFailure) -> Int64 {
    try translating { () throws(FileError) in try file.length() }
  }

  func tailHash(length: Int64) throws(FileSystemFailure) -> String {
    let range = ResumeRecord.tailRange(ofDurable: length)
    return RunningDigest.sha256(
      of: try translating { () throws(FileError) in try file.read(offset: range.lowerBound, count: range.count) })
  }

  func synchronize() throws(FileSystemFailure) {
    try translating { () throws(FileError) in try file.synchronize() }
  }

  func close() { file.close() }
}

// MARK: - Terms

private func translating<Value>(_ body: () throws(FileError) -> Value) throws(FileSystemFailure) -> Value {
  do throws(FileError) {
    return try body()
  } catch {
    throw FileSystemFailure(error)
  }
}

extension FileSystemFailure {
  fileprivate init(_ error: FileError) {
    let lacksRoom = if case .noSpace = error { true } else { false }
    self.init(error.description, lacksRoom: lacksRoom)
  }
}

extension LibraryEntry {
  /// What a listing has come to, in the core's terms.
  fileprivate init(_ entry: LibraryListing.Entry) {
    self =
      switch entry {
      case .file(let place, let identity):
        .file(FoundFile(place, identity))
      case .emptyFolder(let place): .emptyFolder(place)
      case .other(let place): .other(place)
      case .unreadable(let place, let error): .unreadable(place, "\(error)")
      }
  }
}

extension FoundFile {
  /// A file of which this was found out.
  fileprivate init(_ place: EntryPath, _ identity: FileIdentity) {
    self.init(
      place: place, length: identity.size, inode: identity.lastingInode,
      modifiedNanoseconds: identity.modifiedNanoseconds)
  }
}

extension FileIdentity {
  fileprivate init(_ file: FoundFile) {
    self.init(device: 0, inode: file.inode, size: file.length)
  }
}

extension QuarantineOutcome {
  fileprivate init(_ taking: Quarantine.Taking) {
    self =
      switch taking {
      case .moved: .moved
      case .gone: .gone
      case .changed: .changed
      }
  }
}

extension QuarantineUsage {
  fileprivate init(_ usage: Quarantine.Usage) {
    self.init(files: usage.files, bytes: usage.bytes)
  }
}
