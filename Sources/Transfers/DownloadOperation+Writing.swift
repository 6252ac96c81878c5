import Digests
import Flux
import Foundation
import PodfluxCore

/// Bytes to the disk: writes, checkpoints, the last sync. All of it on the operation's queue.
extension DownloadOperation {
  /// Has a piece written, and whatever has filled up by the time it is written, so that nothing is left to be written
  /// behind an order that comes later.
  func write(_ piece: [Block]) {
    queue.async { [self] in
      do throws(DownloadError) {
        try writeOn(with: piece, skipping: 0)
      } catch {
        advance { $0.machine.filesFailed(error) }
      }
    }
  }

  private func writeOn(with piece: [Block], skipping skipped: Int) throws(DownloadError) {
    var next: [Block]? = piece
    var skipped = skipped
    while let piece = next {
      guard try lay(piece, skipping: skipped) else { return }
      try checkpointIfDue(besideWriting: piece.count >= WritePolicy.fastPieceBlocks)
      next = giveBack(piece)
      skipped = 0
    }
  }

  /// The store has agreed to give up what the piece kept back differs from.
  func resumeWriting() throws(DownloadError) {
    let held = state.withLock { state in
      defer { state.held = nil }
      state.comparison = KeptComparison(from: state.machine.base, to: state.machine.base)
      return state.held
    }
    // The file has been cut, and was perhaps complete then: there need not be a piece.
    try bringDigestsUpToDate()
    guard let held else { return }
    try writeOn(with: held.piece, skipping: held.repeated)
  }

  /// Compares with what is kept as far as that goes, and appends the rest.
  ///
  /// - Returns: false where the piece differs: then it is kept back, and the machine knows.
  private func lay(_ piece: [Block], skipping skipped: Int) throws(DownloadError) -> Bool {
    try environment.endOfWork.check()
    let file = try openedPartial()
    let room = try environment.files.availableBytes()
    let length = Int64(piece.reduce(0) { $0 + $1.bytes.count })
    let reserve = environment.limits.reserveFreeBytes
    if let error = DownloadError.shortage(of: length, room: room, reserve: reserve) { throw error }
    var position = 0
    var new: [UnsafeRawBufferPointer] = []
    for block in piece {
      let bytes = UnsafeRawBufferPointer(rebasing: block.bytes.dropFirst(max(0, skipped - position)))
      let repeated: Int
      switch try compare(bytes, with: file) {
      case .repeats(let count): repeated = count
      case .differs(let count):
        let sameUpTo = max(position, skipped) + count
        advance { state in
          state.held = (piece, sameUpTo)
          return state.machine.keptDiffers(at: state.comparison.offset)
        }
        return false
      }
      if repeated < bytes.count { new.append(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(repeated))) }
      position += block.bytes.count
    }
    guard !new.isEmpty else { return true }
    try file.append(new)
    digests.withLock { digests in
      for bytes in new { digests.append(bytes) }
    }
    return true
  }

  private func compare(
    _ bytes: UnsafeRawBufferPointer, with file: any PartialContents
  ) throws(DownloadError) -> KeptComparison.Finding {
    var comparison = state.withLock(\.comparison)
    guard !comparison.isDone else { return .repeats(0) }
    let finding = try comparison.compare(bytes, with: file)
    state.withLock { state in
      state.comparison = comparison
      if comparison.isDone { state.machine.keptWasRepeated() }
    }
    return finding
  }

  /// There is room again: takes the piece that has filled meanwhile, and lets the exchange read on.
  private func giveBack(_ piece: [Block]) -> [Block]? {
    let (next, paused) = state.withLock { state in
      state.buffer.giveBack(piece)
      defer { state.isExchangePaused = false }
      let next = state.buffer.takePiece(evenIfSmall: state.isExchangePaused)
      return (next, state.isExchangePaused ? state.exchange : nil)
    }
    paused?.resume()
    return next
  }

  // MARK: Checkpoints

  private func checkpointIfDue(besideWriting: Bool) throws(DownloadError) {
    let now = environment.readClock()
    let file = try openedPartial()
    let length = try file.length()
    let step = state.withLock { state -> CheckpointMeter.Step in
      guard state.machine.wantsCheckpoints, !state.isSyncing else { return .none }
      let step = state.checkpoints.step(at: length, milliseconds: now.monotonicMilliseconds)
      state.isSyncing = step == .synchronize
      return step
    }
    switch step {
    case .none: return
    case .announce:
      // That promises no byte, so it needs no sync.
      try report(checkpoint: file, durable: 0, digestStates: [])
    case .synchronize where besideWriting: synchronize(file, upTo: length, digests.withLock(\.states))
    case .synchronize:
      defer { state.withLock { $0.isSyncing = false } }
      try synchronized(file.synchronize)
      try report(checkpoint: file, durable: length, digestStates: digests.withLock(\.states))
    }
  }

  /// Syncs beside the writing that goes on, and reports when it is done, unless the end has come by then: the last
  /// sync covers this one. It waits for this one, since the kernel tells a failed write to one of them only.
  private func synchronize(_ file: any PartialContents, upTo length: Int64, _ digestStates: [String]) {
    DispatchQueue.global(qos: .utility).async { [self] in
      let outcome = Result { () throws(DownloadError) in try file.synchronize() }
      queue.async { [self] in
        let (isReceiving, pending) = state.withLock { state in
          state.isSyncing = false
          return (state.machine.isReceiving, state.pendingSync)
        }
        do throws(DownloadError) {
          try synchronized(outcome.get)
          if isReceiving { try report(checkpoint: file, durable: length, digestStates: digestStates) }
          switch pending {
          case nil: break
          case .contents: try synchronizeContents()
          case .everything: try finishWriting()
          }
        } catch {
          advance { $0.machine.filesFailed(error) }
        }
      }
    }
  }

  private func report(
    checkpoint file: any PartialContents, durable: Int64, digestStates: [String]
  ) throws(DownloadError) {
    let record = try record(of: file, durable: durable, digestStates: digestStates)
    state.withLock { $0.machine.checkpointed(record) }
    report(.checkpoint(record))
  }

  private func record(
    of file: any PartialContents, durable: Int64, digestStates: [String]
  ) throws(DownloadError) -> ResumeRecord {
    let hash = try tailHash(of: file, in: ResumeRecord.tailRange(ofDurable: durable))
    let now = environment.readClock().wall
    return state.withLock {
      $0.machine.record(durable: durable, tailHash: hash, savedAt: now, digestStates: digestStates)
    }
  }

  func tailHash(of file: any PartialContents, in range: Range<Int64>) throws(DownloadError) -> String {
    RunningDigest.sha256(of: try file.read(offset: range.lowerBound, count: range.count))
  }

  /// Makes the digests those of all that the partial holds. What the record's states cover is not read again.
  func bringDigestsUpToDate() throws(DownloadError) {
    guard !attempt.digestAlgorithms.isEmpty else { return }
    let file = try openedPartial()
    let length = try file.length()
    let states = state.withLock(\.machine.keptDigestStates)
    var digests = digests.withLock { $0 }
    try digests.follow(file, to: length, from: states)
    self.digests.withLock { $0 = digests }
  }

  // MARK: The end of writing

  /// Writes what is left and makes all of it durable, for another attempt.
  func finishWriting() throws(DownloadError) {
    guard !mustWait(for: .everything) else { return }
    let file = try openedPartial()
    var states: [String]?
    do throws(DownloadError) {
      guard try layRest(on: file) else { return }
      states = digests.withLock(\.states)
    } catch {
      // What fits counts all the same. Part of a piece may have been written that no digest has seen.
      guard error.code == .noSpace else { throw error }
    }
    let length = try file.length()
    try synchronized(file.synchronize)
    let kept = length == 0 ? nil : try record(of: file, durable: length, digestStates: states ?? [])
    advance { $0.machine.written(kept) }
  }

  /// Writes what is left of a complete file.
  func completeWriting() throws(DownloadError) {
    let file = try openedPartial()
    guard try layRest(on: file) else { return }
    let contents = TransferMachine.Contents(
      length: try file.length(), beginning: try file.read(offset: 0, count: MediaSignature.length),
      digests: digests.withLock(\.values))
    let blank = try record(of: file, durable: 0, digestStates: [])
    advance { $0.machine.completed(contents, blank: blank) }
  }

  /// Makes a complete file's contents durable.
  func synchronizeContents() throws(DownloadError) {
    guard !mustWait(for: .contents) else { return }
    try synchronized(openedPartial().synchronizeContents)
    advance { $0.machine.contentsSynchronized() }
  }

  /// Has what a failed sync leaves in doubt cut away before the failure takes its way.
  private func synchronized(_ sync: () throws(DownloadError) -> Void) throws(DownloadError) {
    do throws(DownloadError) {
      try sync()
    } catch {
      let believed = state.withLock { $0.machine.synchronizationFailed() }
      // If that fails too, the record still lets nobody believe more.
      try? openedPartial().truncate(to: believed)
      throw error
    }
  }

  /// Whether a checkpoint's sync is under way; then this one is taken up at its end.
  private func mustWait(for sync: PendingSync) -> Bool {
    state.withLock { state in
      state.pendingSync = state.isSyncing ? sync : nil
      return state.isSyncing
    }
  }

  /// - Returns: false where it differs from what is kept: then the machine knows.
  private func layRest(on file: any PartialContents) throws(DownloadError) -> Bool {
    guard let rest = state.withLock({ $0.buffer.takeAll() }) else { return true }
    do throws(DownloadError) {
      guard try lay(rest, skipping: 0) else { return false }
      state.withLock { $0.buffer.giveBack(rest) }
      return true
    } catch {
      // What was written before counts all the same.
      try? synchronized(file.synchronize)
      throw error
    }
  }
}
