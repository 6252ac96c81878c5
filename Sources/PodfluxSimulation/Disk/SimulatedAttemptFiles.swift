import EngineRuntime
import Flux
import PodfluxCore

/// The library's files as one attempt finds them on the simulated disk.
final class SimulatedAttemptFiles: AttemptFiles, AttemptSurroundings, @unchecked Sendable {
  // `@unchecked`: a world has one thread.

  /// The partial file that is open.
  private(set) var file: SimulatedFile?
  /// The failure of an earlier sync of the file.
  private var syncFailure: DownloadError?
  /// Whether syncs do nothing; for a sabotage only.
  var syncsAreSkipped = false
  /// Whether a sync beside the writing has failed, and the file is not cut yet.
  var isCutOwed = false
  /// Since when bytes of the file are written and not in its record.
  private var unrecordedSince: Int64?
  private var clockAtRequest: Int64 = 0
  private var violation: (any Error)?
  /// The tagged copy, once it has been made.
  private var tagged: (file: SimulatedFile, movable: MovableFile)?
  private let attempt: Attempt
  private unowned let process: SimulatedProcess
  private unowned let world: World

  init(of attempt: Attempt, in process: SimulatedProcess) {
    self.attempt = attempt
    self.process = process
    world = process.world
  }

  // MARK: What the attempt finds

  var reserveFreeBytes: Int64 { 0 }
  var isLibraryGivenUp: Bool { !process.isAlive && world.sabotage != .gateLeftOpen }

  func openPartial(of download: DownloadID) throws(DownloadError) -> any PartialContents {
    changesFiles()
    let file = try world.disk.openPartial(of: download)
    self.file = file
    return SimulatedAttemptPartial(file, of: self)
  }

  /// Where the disk is full another one has sometimes taken the room just after this was asked.
  func availableBytes() -> Int64 { world.disk.isFull && world.random.once(in: 2) ? 0 : 1 << 40 }

  func name(for facts: PublishingFacts, number: Int) throws(DownloadError) -> LibraryPath? {
    try world.name(for: facts, number: number)
  }

  func publish(
    _ download: DownloadID, as published: PublishedFile, isTagged: Bool, portably: Bool
  ) throws(DownloadError) -> Publication? {
    let (disk, path) = (world.disk, published.path.description)
    changesFiles()
    note { try world.checker.willPublish(attempt.id, as: published, on: disk) }
    if disk.isPublished(published) {
      disk.synchronizeFolder(of: path)
      return Publication(modifiedNanoseconds: disk.published[path]?.file.modified)
    }
    let replaced = world.sabotage == .publishReplaces ? disk.published[path] : nil
    let twins = disk.twins(of: path)
    let publication = try disk.publish(
      download, at: path, isTagged: isTagged && world.sabotage != .tagsInPlace, replacing: replaced != nil,
      sparingTwins: portably && world.sabotage != .twinsOverlooked)
    guard let publication else { return nil }
    if portably { note { try world.checker.hasPublished(path, beside: twins) } }
    if let replaced { note { try world.checker.willReplace(path, replaced) } }
    // Between the rename and the sync of its folder.
    guard !world.diesWithinStep() else { throw DownloadError(.io, "the process is no more") }
    disk.synchronizeFolder(of: path)
    if isTagged { disk.deletePartial(of: download) }
    return publication
  }

  // MARK: The partial file

  fileprivate func append(_ bytes: [UInt8], to file: SimulatedFile) throws(DownloadError) {
    changesFiles()
    if let syncFailure { throw syncFailure }
    // Other programs fill a disk, and free it again within moments.
    let isFull = world.disk.isFull || world.suffers(.disk) && world.random.once(in: 60)
    if world.sabotage == .failedWriteAcknowledged, isFull {
      return file.append([UInt8](repeating: 0, count: bytes.count))
    }
    try world.disk.append(bytes, to: file, isFull: isFull)
    if unrecordedSince == nil { unrecordedSince = world.now }
  }

  fileprivate func truncate(_ file: SimulatedFile, to length: Int) {
    changesFiles()
    note { try world.checker.willTruncate(attempt.id.download, attempt: attempt.id, to: length) }
    if world.sabotage == .noTruncation { return }
    isCutOwed = false
    file.truncate(to: length)
    unrecordedSince = nil
  }

  /// A sync, which may fail; once it has, it always does.
  fileprivate func synchronize(_ file: SimulatedFile, with sync: () -> Void) throws(DownloadError) {
    // After its end another attempt may have the file open: what it is told here is another story.
    guard process.isAlive, !syncsAreSkipped else { return }
    if let syncFailure { throw syncFailure }
    guard world.suffers(.disk), world.random.once(in: 60) else { return sync() }
    file.failToSynchronize()
    let failure = DownloadError(.io, "the simulated device does not take it")
    if world.sabotage == .syncFailureForgotten { return }
    syncFailure = failure
    throw failure
  }

  fileprivate var sabotage: Sabotage? { world.sabotage }

  fileprivate func goesOn(_ goOn: () -> Bool) -> Bool { world.random.once(in: 2) || goOn() }

  fileprivate func close(deletingEmpty: Bool) {
    if deletingEmpty, let file, file.length == 0, world.disk.partials[attempt.id.download] === file {
      world.disk.deletePartial(of: attempt.id.download)
    }
    file = nil
    // A process that was killed leaves its copy.
    if tagged != nil, process.isAlive { world.disk.deleteCopy(of: attempt.id.download) }
  }

  // MARK: Tags

  fileprivate func tagParts(for path: LibraryPath) -> Set<TagMaterial.Part> {
    let covers = ["jpg", "png"].compactMap { name in path.folder.map { "\($0)/cover.\(name)" } }
    let hasCover = covers.contains { world.disk.published[$0] != nil }
    return Set(TagMaterial.Part.allCases.filter { $0 != .cover || !hasCover })
  }

  /// Makes a tagged copy of a complete file, which may fail, or take the process with it. Nil if the process has died.
  fileprivate func tag(_ file: SimulatedFile, _ request: TagRequest) -> MovableFile? {
    if let tagged {
      if world.sabotage == .tagsTwice { write(SimulatedTags.some(using: &world.random), before: tagged.file) }
      return world.sabotage == .tagsTwice ? movable(tagged.file, request) : tagged.movable
    }
    changesFiles()
    note { try world.checker.hasGathered(request.material, for: attempt) }
    let (before, id) = (file.content, attempt.id.download)
    // What a power cut takes is another story.
    defer { if process.isAlive { note { try world.checker.hasTagged(file, of: id, before: before) } } }
    let tags = SimulatedTags.some(using: &world.random)
    guard world.sabotage != .tagsInPlace else {
      write(tags, before: file)
      return movable(file, request)
    }
    guard !world.disk.isFull else {
      return MovableFile(inode: file.inode, tags: .untagged(because: "the disk is full"))
    }
    let copy = world.disk.makeCopy(of: id)
    copy.append(file.content)
    if world.suffers(.tags), world.random.once(in: 4) {
      // The tagger dies in the middle of its writing.
      copy.truncate(to: world.random.below(copy.length + 1))
      if world.random.once(in: 2), world.dies(in: 4) { return nil }
      if world.sabotage != .tagsHalfCopy {
        world.disk.deleteCopy(of: id)
        return MovableFile(inode: file.inode, tags: .untagged(because: "the tagger died of it"))
      }
    }
    write(tags, before: copy)
    if world.sabotage != .tagsUnsynced { copy.synchronize() }
    guard !world.diesWithinStep() else { return nil }
    let movable = movable(copy, request)
    tagged = (copy, movable)
    return movable
  }

  private func movable(_ copy: SimulatedFile, _ request: TagRequest) -> MovableFile {
    let sha256 = request.wantsDigest ? InvariantChecker.digest(of: copy.content, .sha256).hexadecimal : nil
    return MovableFile(inode: copy.inode, tags: .tagged(length: Int64(copy.length), sha256: sha256))
  }

  private func write(_ tags: [UInt8], before file: SimulatedFile) {
    let content = file.content
    file.truncate(to: 0)
    file.append(tags + content)
    if world.sabotage != .tagsUnsynced { file.synchronize() }
  }

  // MARK: Checks

  private func changesFiles() {
    guard !process.isAlive else { return }
    note { throw Violation(.gate, "attempt \(attempt.id.generation) of \(attempt.id.download) changes a file") }
  }

  /// What a check says is raised when the step is done: the attempt is not to hear of it.
  private func note(_ check: () throws -> Void) {
    do {
      try check()
    } catch {
      violation = violation ?? error
    }
  }

  func raise() throws {
    if let violation { throw violation }
  }

  /// An exchange begins.
  func requested() { clockAtRequest = world.now }

  /// All that is written, up to some moment ago, is recorded.
  func recorded() { unrecordedSince = nil }

  /// A write has ended, and a checkpoint has had its chance.
  func checkPatience(of core: DownloadAttempt, before step: AttemptTask) throws {
    guard core.machine.wantsCheckpoints, let since = unrecordedSince else { return }
    switch step {
    case .files(.synchronize), .files(.hashTail), .synchronizeBeside: return
    // A sync has failed, or all begins again: what is not recorded is given up.
    case .files(.truncate): return
    case .files, .report, .end: break
    }
    // A sync takes its time, and one of bytes that were written meanwhile begins after it.
    let limit = (core.isSynchronizing ? 8 : 2) * WritePolicy.checkpointMilliseconds
    guard world.now - since > limit, world.now - clockAtRequest > limit else { return }
    throw Violation(
      .checkpointed,
      "attempt \(attempt.id.generation) of \(attempt.id.download) wrote bytes at \(since) ms and has not recorded them at \(world.now) ms"
    )
  }
}

/// An open partial file on the simulated disk.
private final class SimulatedAttemptPartial: PartialContents, @unchecked Sendable {
  // `@unchecked`: a world has one thread.

  private let file: SimulatedFile
  private unowned let files: SimulatedAttemptFiles

  init(_ file: SimulatedFile, of files: SimulatedAttemptFiles) {
    self.file = file
    self.files = files
  }

  func length() -> Int64 { Int64(file.length) }
  func read(offset: Int64, count: Int) -> [UInt8] { file.read(offset: offset, count: count) }
  func truncate(to length: Int64) { files.truncate(file, to: Int(length)) }
  func setModificationTime(_ moment: Timestamp) {}
  func close(deletingEmpty: Bool) { files.close(deletingEmpty: deletingEmpty) }

  func tagParts(for path: LibraryPath, while goOn: () -> Bool) -> Set<TagMaterial.Part> { files.tagParts(for: path) }

  func prepareToMove(tagging request: TagRequest?, reserve: Int64, while goOn: () -> Bool) -> MovableFile? {
    guard files.goesOn(goOn) else { return nil }
    return request.map { files.tag(file, $0) } ?? MovableFile(inode: file.inode)
  }

  func append(_ blocks: [UnsafeRawBufferPointer]) throws(DownloadError) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(blocks.reduce(0) { $0 + $1.count })
    for block in blocks { bytes.append(contentsOf: block) }
    try files.append(bytes, to: file)
  }

  func synchronizeContents() throws(DownloadError) {
    if files.sabotage == .publishedUnsynced { return }
    try files.synchronize(file) { file.synchronizeContents() }
  }

  func synchronize() throws(DownloadError) {
    switch files.sabotage {
    case .rowBeforeData: return
    case .entryNotSynced: try files.synchronize(file) { file.synchronizeContents() }
    default: try files.synchronize(file) { file.synchronize() }
    }
  }
}

/// Memory for arriving bytes, used again for the world's next ones.
final class SimulatedMemory: BlockMemory, @unchecked Sendable {
  // `@unchecked`: a world has one thread.

  private var idle: [Block] = []

  func take() -> Block { idle.popLast() ?? Block() }

  func giveBack(_ blocks: [Block]) {
    for block in blocks { block.clear() }
    idle += blocks
  }
}
