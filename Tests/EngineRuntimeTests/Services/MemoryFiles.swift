import EngineRuntime
import Flux
import PodfluxCore

/// Files in memory, with a log of their changes.
final class MemoryFiles: LibraryFileSystem {
  /// An entry at a path.
  enum Item {
    case file(bytes: [UInt8], inode: UInt64, modified: Int64)
    case link
    case behindLink
    case unreadable
  }

  static let failure = FileSystemFailure("the permissions do not allow this")

  /// The files that have other names.
  var linked: Set<String> = []
  var items: [String: Item] = [:]
  var quarantined: [String] = []
  var strays: [String: Int64] = [:]
  /// The lengths of partial files.
  var partials: [DownloadID: Int64] = [:]
  var deletedPartials: [DownloadID] = []
  var isMounted = true
  /// The requested expiry of files in quarantine.
  var emptiedBefore: Timestamp?
  /// Called before each read of a file's bytes.
  var willRead: () -> Void = {}

  /// Files of sidecars that wait for their names.
  var staged: [Sidecar.Key: (bytes: [UInt8], inode: UInt64)] = [:]
  private var stagedCount: UInt64 = 0

  func stage(
    _ bytes: [UInt8], for sidecar: Sidecar.Key, keepingFree reserve: Int64
  ) throws(FileSystemFailure) -> StagedFile {
    guard isMounted else { throw Self.failure }
    stagedCount += 1
    staged[sidecar] = (bytes, 900 + stagedCount)
    return StagedFile(inode: 900 + stagedCount, modifiedNanoseconds: 1)
  }

  func publish(
    _ sidecar: Sidecar.Key, as file: PublishedFile, portably: Bool
  ) throws(FileSystemFailure) -> Bool {
    if case .file(let present) = try look(at: EntryPath(file.path)) { return present.inode == file.inode }
    guard let waiting = staged.removeValue(forKey: sidecar) else { throw Self.failure }
    items[file.path.description] = .file(bytes: waiting.bytes, inode: waiting.inode, modified: 1)
    return true
  }

  func discardStaged(_ sidecar: Sidecar.Key) throws(FileSystemFailure) { staged[sidecar] = nil }

  func isInPlace() throws(FileSystemFailure) -> Bool { isMounted }
  func listing() throws(FileSystemFailure) -> Walk { Walk(entries: items.keys.sorted().map(entry)[...]) }
  func databaseBytes() throws(FileSystemFailure) -> Int64 { 1 }

  private func entry(_ path: String) -> LibraryEntry {
    let place = EntryPath(bytes: Array(path.utf8))
    switch items[path] {
    case .file(let bytes, let inode, let modified):
      return .file(
        FoundFile(place: place, length: Int64(bytes.count), inode: inode, modifiedNanoseconds: modified))
    case .link, .behindLink, nil: return .other(place)
    case .unreadable: return .unreadable(place, Self.failure.description)
    }
  }

  func look(at place: EntryPath) throws(FileSystemFailure) -> Presence<FoundFile> {
    guard let item = items[place.text] else { return .nothing }
    switch item {
    case .file:
      guard case .file(let file) = entry(place.text) else { return .nothing }
      return .file(file)
    case .link: return .link(Self.failure)
    case .behindLink: return .behindLink(Self.failure)
    case .unreadable: throw Self.failure
    }
  }

  func open(_ place: EntryPath) throws(FileSystemFailure) -> Presence<Contents> {
    switch try look(at: place) {
    case .nothing: .nothing
    case .file(let file): .file(Contents(file: file, files: self))
    case .link(let failure): .link(failure)
    case .other(let failure): .other(failure)
    case .behindLink(let failure): .behindLink(failure)
    }
  }

  func tags(in contents: Contents, while goOn: () -> Bool) -> AdoptableFile.Tags? { nil }

  func delete(_ file: FoundFile, ownFolders: [LibraryPath]) throws(FileSystemFailure) -> Bool {
    guard let present = try look(at: file.place).regularFile(), file.isSameFile(as: present) else { return false }
    items[file.place.text] = nil
    return true
  }

  func candidate(for facts: PublishingFacts, number: Int) throws(FileSystemFailure) -> LibraryPath? {
    let names = facts.naming.template.names { $0 == .title ? facts.description.title : nil }
    let stem = names.map { $0.map(\.text).joined() }.joined(separator: "/")
    return try? LibraryPath(validating: stem + (number == 1 ? ".mp3" : " (\(number)).mp3"))
  }

  func occupant(of path: LibraryPath, portably: Bool) throws(FileSystemFailure) -> EntryPath? {
    let twin = items.keys.sorted().first {
      portably ? $0.lowercased() == path.description.lowercased() : $0 == path.description
    }
    return twin.map { EntryPath(bytes: Array($0.utf8)) }
  }

  func move(
    _ file: FoundFile, to path: LibraryPath, _ move: CleanupStep.Move
  ) throws(FileSystemFailure) -> MoveOutcome {
    guard let present = try look(at: file.place).regularFile() else { return .gone }
    guard file.isSameFile(as: present) else { return .changed }
    guard items[path.description] == nil else { return .taken }
    items[path.description] = items.removeValue(forKey: file.place.text)
    return .moved(madeFolders: [])
  }

  func removeEmptyFolder(_ place: EntryPath) throws(FileSystemFailure) -> Bool { false }

  func partialListing() throws(FileSystemFailure) -> Partials {
    let found = partials.sorted { $0.key < $1.key }.map {
      PartialEntry.partial(FoundPartial(download: $0.key, length: $0.value))
    }
    let others = strays.sorted { $0.key < $1.key }.map {
      PartialEntry.stray(FoundFile(place: EntryPath(bytes: Array($0.key.utf8)), length: $0.value, inode: 1))
    }
    return Partials(entries: (found + others)[...])
  }
  func partialLength(of download: DownloadID) throws(FileSystemFailure) -> Int64? { partials[download] }
  func openExistingPartial(of download: DownloadID) throws(FileSystemFailure) -> NoPartial { throw Self.failure }
  func deletePartial(of download: DownloadID) throws(FileSystemFailure) { deletedPartials.append(download) }

  func quarantine(_ file: FoundFile, _ order: QuarantineOrder) throws(FileSystemFailure) -> QuarantineOutcome {
    switch try look(at: file.place) {
    case .nothing: return quarantined.contains(file.place.text) ? .moved : .gone
    case .file(let present) where file.isSameFile(as: present):
      items[file.place.text] = nil
      quarantined.append(file.place.text)
      return .moved
    case .file, .link, .other: return .changed
    case .behindLink(let failure): return .behindLink(failure)
    }
  }

  func quarantine(
    strayPartial file: FoundFile, _ order: QuarantineOrder
  ) throws(FileSystemFailure) -> QuarantineOutcome {
    guard strays.removeValue(forKey: file.place.text) != nil else { return .gone }
    quarantined.append(file.place.text)
    return .moved
  }

  func quarantineUsage() throws(FileSystemFailure) -> QuarantineUsage { QuarantineUsage(files: quarantined.count) }
  func forEachQuarantined(_ body: (QuarantinedFile) -> Void) throws(FileSystemFailure) {}
  func emptyQuarantine(
    before moment: Timestamp, while goOn: () -> Bool
  ) throws(FileSystemFailure) -> QuarantineUsage {
    emptiedBefore = moment
    return QuarantineUsage()
  }
  func restoredFiles() throws(FileSystemFailure) -> Set<FoundFile> { [] }
  func forgetGoneRestorations() throws(FileSystemFailure) {}

  /// All entries at the start of the walk.
  final class Walk: LibraryWalk {
    private var entries: ArraySlice<LibraryEntry>
    init(entries: ArraySlice<LibraryEntry>) { self.entries = entries }
    func next() throws(FileSystemFailure) -> LibraryEntry? { entries.popFirst() }
  }

  /// All entries of the folder of partial files at the start of the walk.
  final class Partials: PartialWalk {
    private var entries: ArraySlice<PartialEntry>
    init(entries: ArraySlice<PartialEntry>) { self.entries = entries }
    func next() throws(FileSystemFailure) -> PartialEntry? { entries.popFirst() }
  }

  struct Contents: PublishedFileContents {
    let file: FoundFile
    let files: MemoryFiles
    var birth: Timestamp? { nil }
    var changed: Timestamp? { nil }

    func present() throws(FileSystemFailure) -> FoundFile { try files.look(at: file.place).regularFile() ?? file }

    func hasOtherNames() throws(FileSystemFailure) -> Bool { files.linked.contains(file.place.text) }

    func beginning() throws(FileSystemFailure) -> [UInt8] { bytes.prefix(MediaSignature.length).map(\.self) }

    func read(offset: Int64, count: Int) throws(FileSystemFailure) -> [UInt8] {
      files.willRead()
      return bytes.dropFirst(Int(offset)).prefix(count).map(\.self)
    }

    private var bytes: [UInt8] {
      if case .file(let bytes, _, _) = files.items[file.place.text] { bytes } else { [] }
    }
  }

  struct NoPartial: ExistingPartial {
    func length() throws(FileSystemFailure) -> Int64 { throw MemoryFiles.failure }
    func tailHash(length: Int64) throws(FileSystemFailure) -> String { throw MemoryFiles.failure }
    func synchronize() throws(FileSystemFailure) { throw MemoryFiles.failure }
    func close() {}
  }
}
