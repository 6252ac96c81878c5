import Crypto
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
        var next: [Block]? = piece
        while let piece = next {
          try append(piece)
          try checkpointIfDue(besideWriting: piece.count >= WritePolicy.fastPieceBlocks)
          next = giveBack(piece)
        }
      } catch {
        advance { $0.machine.filesFailed(error) }
      }
    }
  }

  private func append(_ piece: [Block]) throws(DownloadError) {
    let file = try openedPartial()
    for block in piece {
      try file.append(block.bytes)
    }
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
      try report(checkpoint: file, durable: 0)
    case .synchronize where besideWriting: synchronize(file, upTo: length)
    case .synchronize:
      defer { state.withLock { $0.isSyncing = false } }
      try synchronized(file.synchronize)
      try report(checkpoint: file, durable: length)
    }
  }

  /// Syncs beside the writing that goes on, and reports when it is done, unless the end has come by then: the last
  /// sync covers this one. It waits for this one, since the kernel tells a failed write to one of them only.
  private func synchronize(_ file: any PartialContents, upTo length: Int64) {
    DispatchQueue.global(qos: .utility).async { [self] in
      let outcome = Result { () throws(DownloadError) in try file.synchronize() }
      queue.async { [self] in
        let (isReceiving, pending) = state.withLock { state in
          state.isSyncing = false
          return (state.machine.isReceiving, state.pendingSync)
        }
        do throws(DownloadError) {
          try synchronized(outcome.get)
          if isReceiving { try report(checkpoint: file, durable: length) }
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

  private func report(checkpoint file: any PartialContents, durable: Int64) throws(DownloadError) {
    let record = try record(of: file, durable: durable, savedAt: environment.readClock().wall)
    state.withLock { $0.machine.checkpointed(record) }
    report(.checkpoint(record))
  }

  private func record(
    of file: any PartialContents, durable: Int64, savedAt: Timestamp
  ) throws(DownloadError) -> ResumeRecord {
    let hash = try tailHash(of: file, in: max(0, durable - ResumeRecord.overlap)..<durable)
    return state.withLock { $0.machine.record(durable: durable, tailHash: hash, savedAt: savedAt) }
  }

  func tailHash(of file: any PartialContents, in range: Range<Int64>) throws(DownloadError) -> String {
    let bytes = try file.read(offset: range.lowerBound, count: Int(range.upperBound - range.lowerBound))
    return SHA256.hash(data: bytes).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  // MARK: The end of writing

  /// Writes what is left and makes all of it durable, for another attempt.
  func finishWriting() throws(DownloadError) {
    guard !mustWait(for: .everything) else { return }
    let file = try openedPartial()
    try appendRest(to: file)
    let length = try file.length()
    try synchronized(file.synchronize)
    let kept = length == 0 ? nil : try record(of: file, durable: length, savedAt: environment.readClock().wall)
    advance { $0.machine.written(kept) }
  }

  /// Writes what is left of a complete file.
  func completeWriting() throws(DownloadError) {
    let file = try openedPartial()
    try appendRest(to: file)
    let length = try file.length()
    let blank = try record(of: file, durable: 0, savedAt: environment.readClock().wall)
    advance { $0.machine.completed(length: length, blank: blank) }
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

  private func appendRest(to file: any PartialContents) throws(DownloadError) {
    guard let rest = state.withLock({ $0.buffer.takePiece(evenIfSmall: true) }) else { return }
    do throws(DownloadError) {
      try append(rest)
    } catch {
      // What was written before counts all the same.
      try? synchronized(file.synchronize)
      throw error
    }
  }
}
