import EngineRuntime
import Flux
import PodfluxCore

/// The simulated disk as services see it. Before each call the process may die, the disk may refuse, and people may do
/// something with files.
final class SimulatedFiles: LibraryFileSystem {
  /// On whose behalf files are touched: what may be done with them follows from that.
  enum Errand {
    case reading
    case step(CleanupStep)
    case deletion(PublishedFile)
    case sidecar(SidecarOrder)
    /// The quarantine is emptied after so many days.
    case upkeep(days: Int)
  }

  unowned let world: World
  private unowned let process: SimulatedProcess
  var errand = Errand.reading
  /// Called with each entry that a listing has come upon.
  var noteListed: (LibraryEntry) -> Void = { _ in }
  /// A broken invariant that a call could not throw.
  private(set) var violation: Violation?
  /// How often people have meddled with files during calls.
  private(set) var meddlings = 0

  init(in process: SimulatedProcess) {
    self.process = process
    world = process.world
  }

  var disk: SimulatedDisk { world.disk }

  /// Carries something out for an errand.
  func run<Value>(_ errand: Errand, _ body: () -> Value) throws -> Value {
    self.errand = errand
    defer { self.errand = .reading }
    let value = body()
    if let violation { throw violation }
    return value
  }

  /// What befalls each call.
  func enter() throws(FileSystemFailure) {
    guard process.isAlive, !world.dies(in: 2_000) else { throw FileSystemFailure("the process is dead") }
    if world.suffers(.disk), world.random.once(in: 50) {
      disk.unansweredCalls += 1
      throw FileSystemFailure("the simulated disk does not answer")
    }
    if world.suffers(.people), world.random.once(in: 300) {
      meddlings += 1
      world.meddle()
    }
  }

  /// Keeps the first broken invariant.
  func check(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      violation = violation ?? error as? Violation ?? Violation(.engine, "\(error)")
    }
  }

  // MARK: The library

  func isInPlace() throws(FileSystemFailure) -> Bool {
    try enter()
    return disk.isInPlace
  }

  func listing() throws(FileSystemFailure) -> SimulatedWalk {
    try enter()
    return SimulatedWalk(self)
  }

  func databaseBytes() throws(FileSystemFailure) -> Int64 {
    try enter()
    return 4096
  }

  // MARK: Published files

  func look(at place: EntryPath) throws(FileSystemFailure) -> Presence<FoundFile> {
    if world.sabotage == .missingNotRechecked, case .step(let step) = errand, case .missing = step.finding {
      return .nothing
    }
    if world.sabotage == .earlierMoveOverlooked, case .step(let step) = errand,
      case .misnamed(_, _, let path) = step.finding, place == EntryPath(path)
    {
      return .nothing
    }
    return try presence(at: place) { disk.found($0, at: SimulatedDisk.path(place)) }
  }

  func open(_ place: EntryPath) throws(FileSystemFailure) -> Presence<SimulatedContents> {
    try presence(at: place) { SimulatedContents($0, SimulatedDisk.path(place), self) }
  }

  /// People's programs have tagged some of the files that people drop; some have no tags that can be read.
  func tags(in contents: SimulatedContents, while goOn: () -> Bool) -> AdoptableFile.Tags? {
    goOn() ? world.adoptableTags[contents.file.place.text] : nil
  }

  private func presence<File>(
    at place: EntryPath, _ file: (SimulatedFile) -> File
  ) throws(FileSystemFailure) -> Presence<File> {
    try enter()
    let path = SimulatedDisk.path(place)
    let failure = FileSystemFailure("a link or something else is at or on the way to \(path)")
    switch disk.cover(over: path) {
    case .link where !disk.followsLinks: return .behindLink(failure)
    case .unreadable where world.sabotage == .unreadableTakenForEmpty: return .nothing
    case .unreadable: throw FileSystemFailure("the permissions on the way to \(path) do not allow this")
    case .link, nil: break
    }
    if let entry = disk.published[path] { return .file(file(entry.file)) }
    if disk.links.contains(path) || disk.covers[path] == .link { return .link(failure) }
    return disk.folders.contains(path) ? .other(failure) : .nothing
  }

  /// The file that a call is to take away, if it is still the one that is meant.
  func subject(_ file: FoundFile) throws(FileSystemFailure) -> Presence<SimulatedDisk.PublishedEntry> {
    let path = SimulatedDisk.path(file.place)
    switch try look(at: file.place) {
    case .nothing: return .nothing
    case .link(let failure): return .link(failure)
    case .other(let failure): return .other(failure)
    case .behindLink(let failure): return .behindLink(failure)
    case .file(let present):
      guard let entry = disk.published[path], isMeant(file, present) else {
        return .other(FileSystemFailure("\(path) is another file by now"))
      }
      check { try world.checker.willTouch(path, on: disk) }
      return .file(entry)
    }
  }

  private func isMeant(_ file: FoundFile, _ present: FoundFile) -> Bool {
    if world.sabotage == .orphanByNameOnly, case .step = errand { return true }
    return file.isSameFile(as: present)
  }

  func delete(_ file: FoundFile, ownFolders: [LibraryPath]) throws(FileSystemFailure) -> Bool {
    let path = SimulatedDisk.path(file.place)
    let entry: SimulatedDisk.PublishedEntry
    switch try subject(file) {
    case .nothing: return false
    case .link(let failure), .behindLink(let failure): throw failure
    case .other: return false
    case .file(let found): entry = found
    }
    note(taking: entry, at: file.place)
    disk.deletePublished(path)
    removeEmpty(ownFolders)
    return true
  }

  private func note(taking entry: SimulatedDisk.PublishedEntry, at place: EntryPath) {
    check {
      switch errand {
      case .step(let step):
        try world.checker.checkIsNoSidecar(entry, at: place, in: world)
        try world.checker.willTake(entry, at: place, for: step, on: disk)
      case .deletion(let file): try world.checker.willDelete(file, on: disk)
      case .sidecar(let order): try world.checker.willDelete(entry, at: place, order, in: world)
      case .reading, .upkeep: throw Violation(.foreignFiles, "\(place.text) is taken away by mere reading")
      }
    }
  }

  func removeEmptyFolder(_ place: EntryPath) throws(FileSystemFailure) -> Bool {
    try enter()
    let path = SimulatedDisk.path(place)
    guard disk.cover(over: path) == nil else { throw FileSystemFailure("something is on the way to \(path)") }
    guard disk.isEmptyFolder(path) else { return false }
    check { try world.checker.willRemoveFolder(place, on: disk) }
    return disk.removeFolder(path)
  }

  /// Removes the empty ones of these folders, in which inner folders come last.
  private func removeEmpty(_ ownFolders: [LibraryPath]) {
    for folder in ownFolders.reversed() where disk.isEmptyFolder(folder.description) {
      _ = disk.removeFolder(folder.description)
    }
  }

  // MARK: The quarantine

  func quarantine(_ file: FoundFile, _ order: QuarantineOrder) throws(FileSystemFailure) -> QuarantineOutcome {
    let entry: SimulatedDisk.PublishedEntry
    switch try subject(file) {
    case .nothing: return disk.hasPutAside(file) ? .moved : .gone
    case .link, .other: return .changed
    case .behindLink(let failure): return .behindLink(failure)
    case .file(let found): entry = found
    }
    let path = SimulatedDisk.path(file.place)
    if case .deletion(let published) = errand {
      check { try world.checker.willQuarantine(published, on: disk) }
      if world.sabotage == .quarantineDeletes {
        disk.deletePublished(path)
        return .moved
      }
    } else {
      note(taking: entry, at: file.place)
    }
    disk.quarantine(path, at: order.moment)
    removeEmpty(order.ownFolders)
    return .moved
  }

  func quarantine(
    strayPartial file: FoundFile, _ order: QuarantineOrder
  ) throws(FileSystemFailure) -> QuarantineOutcome {
    try enter()
    let name = SimulatedDisk.path(file.place)
    check { try world.checker.willTakeStray(name, errand, on: disk) }
    guard let stray = disk.strays[name] else { return .gone }
    guard stray.inode == file.inode, stray.length == Int(file.length) else { return .changed }
    disk.quarantine(stray: name, at: order.moment)
    return .moved
  }

  func quarantineUsage() throws(FileSystemFailure) -> QuarantineUsage {
    try enter()
    return QuarantineUsage(
      files: disk.quarantined.count, bytes: disk.quarantined.reduce(0) { $0 + Int64($1.file.length) })
  }

  func forEachQuarantined(_ body: (QuarantinedFile) -> Void) throws(FileSystemFailure) {
    try enter()
    for item in disk.quarantined {
      body(
        QuarantinedFile(
          name: item.name, place: item.path.map(SimulatedDisk.place), length: Int64(item.file.length),
          because: "it was put aside", at: item.at, download: nil))
    }
  }

  func emptyQuarantine(
    before moment: Timestamp, while goOn: () -> Bool
  ) throws(FileSystemFailure) -> QuarantineUsage {
    var usage = QuarantineUsage()
    let limit = world.sabotage == .quarantineADayEarly ? moment.advanced(byDays: 1) : moment
    for item in disk.quarantined where item.at < limit {
      guard goOn() else { return usage }
      try enter()
      guard let index = disk.quarantined.firstIndex(where: { $0.file === item.file }) else { continue }
      check { try world.checker.willDeleteForGood(item, errand, at: world) }
      disk.quarantined.remove(at: index)
      usage.files += 1
      usage.bytes += Int64(item.file.length)
    }
    return usage
  }

  func restoredFiles() throws(FileSystemFailure) -> Set<FoundFile> {
    try enter()
    return disk.restored
  }

  func forgetGoneRestorations() throws(FileSystemFailure) {
    try enter()
    disk.restored = disk.restored.filter { disk.entry(at: $0.place)?.file.inode == $0.inode }
  }
}
