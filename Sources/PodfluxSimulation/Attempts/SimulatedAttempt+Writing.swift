import Flux
import PodfluxCore

/// Bytes to the disk, step by step, as `DownloadOperation+Writing` does it.
extension SimulatedAttempt {
  func write(_ piece: [UInt8]) throws {
    if try lay(piece) { follow(with: .afterWrite) }
  }

  /// Compares with what is kept as far as that goes, and appends the rest; false where the piece differs.
  private func lay(_ piece: [UInt8]) throws -> Bool {
    let file = try openedFile()
    var repeated = 0
    if !comparison.isDone {
      switch try piece.withUnsafeBytes({ try comparison.compare($0, with: file) }) {
      case .repeats(let count): repeated = count
      case .differs(let count):
        held = Array(piece.dropFirst(count))
        try carryOut(machine.keptDiffers(at: comparison.offset))
        return false
      }
      if comparison.isDone { machine.keptWasRepeated() }
    }
    let new = Array(piece.dropFirst(repeated))
    guard !new.isEmpty else { return true }
    if let syncFailure { throw syncFailure }
    try disk.append(new, to: file)
    new.withUnsafeBytes { digests.append($0) }
    if unrecordedSince == nil { unrecordedSince = world.now }
    return true
  }

  /// The store has agreed to give up what the piece kept back differs from.
  func resumeWriting() throws {
    comparison = KeptComparison(from: machine.base, to: machine.base)
    // The file has been cut, and was perhaps complete then: there need not be a piece.
    try bringDigestsUpToDate()
    guard let piece = held else { return }
    held = nil
    follow(with: .write(piece))
  }

  func bringDigestsUpToDate() throws {
    guard !attempt.digestAlgorithms.isEmpty else { return }
    let file = try openedFile()
    try digests.follow(file, to: Int64(file.length), from: machine.keptDigestStates)
  }

  /// There is room again: writes the piece that has filled meanwhile, and lets the exchange read on.
  func goOnReading() {
    buffer.giveBack()
    let isPaused = exchange?.isPaused == true
    if let piece = buffer.takePiece(evenIfSmall: isPaused) { follow(with: .write(piece)) }
    if isPaused { resumeExchange() }
  }

  // MARK: Checkpoints

  func checkpointIfDue() throws {
    let length = try openedFile().length
    let step = machine.isReceiving ? checkpoints.step(at: Int64(length), milliseconds: world.now) : .none
    switch step {
    case .none:
      try checkPatience()
      goOnReading()
    case .announce:
      try report(checkpoint: 0)
      goOnReading()
    case .synchronize:
      try synchronize(try openedFile())
      follow(with: .checkpoint(length: length))
    }
  }

  private func synchronize(_ file: SimulatedFile) throws {
    switch world.sabotage {
    case .rowBeforeData: return
    case .entryNotSynced: file.synchronizeContents()
    default: try synchronize(file) { file.synchronize() }
    }
  }

  /// A sync, which may fail; once it has, it always does, as with the product's own partial files.
  func synchronize(_ file: SimulatedFile, by sync: () -> Void) throws {
    if let syncFailure { throw syncFailure }
    guard world.suffers(.disk), world.random.once(in: 60) else { return sync() }
    file.failToSynchronize()
    let failure = DownloadError(.io, "the simulated device does not take it")
    if world.sabotage != .syncFailureForgotten {
      syncFailure = failure
      file.truncate(to: Int(machine.synchronizationFailed()))
    }
    throw failure
  }

  func checkpoint(_ length: Int) throws {
    try report(checkpoint: length)
    unrecordedSince = nil
    goOnReading()
  }

  private func checkPatience() throws {
    guard machine.isReceiving, let since = unrecordedSince else { return }
    let limit = 2 * WritePolicy.checkpointMilliseconds
    guard world.now - since > limit, world.now - clockAtRequest > limit else { return }
    throw Violation(
      .checkpointed,
      "attempt \(attempt.id.generation) of \(download) wrote bytes at \(since) ms and has not recorded them at \(world.now) ms"
    )
  }

  private func report(checkpoint durable: Int) throws {
    let record = try record(durable: durable)
    machine.checkpointed(record)
    try report(.checkpoint(record))
  }

  private func record(durable: Int) throws -> ResumeRecord {
    let range = max(0, durable - Int(ResumeRecord.overlap))..<durable
    return machine.record(
      durable: Int64(durable), tailHash: try openedFile().hash(of: range), savedAt: world.clock.wall,
      digestStates: try durable == openedFile().length ? digests.states : [])
  }

  // MARK: The end of writing

  func finishWriting() throws {
    if try layRest() { follow(with: .finishSync) }
  }

  func finishSync() throws {
    let file = try openedFile()
    try synchronize(file) { file.synchronize() }
    try carryOut(machine.written(file.length == 0 ? nil : try record(durable: file.length)))
  }

  func completeWriting() throws {
    guard try layRest() else { return }
    let file = try openedFile()
    var contents = TransferMachine.Contents(
      length: Int64(file.length), beginning: file.read(offset: 0, count: MediaSignature.length),
      digests: digests.values)
    if world.sabotage == .digestNotChecked, let integrity = attempt.description.integrity {
      contents.digests[integrity.algorithm] = integrity.digests[0]
    }
    try carryOut(machine.completed(contents, blank: try record(durable: 0)))
  }

  private func layRest() throws -> Bool {
    guard let rest = buffer.takePiece(evenIfSmall: true) else { return true }
    let file = try openedFile()
    do {
      guard try lay(rest) else { return false }
      buffer.giveBack()
      return true
    } catch {
      // What was written before counts all the same.
      try? synchronize(file) { file.synchronize() }
      throw error
    }
  }
}
