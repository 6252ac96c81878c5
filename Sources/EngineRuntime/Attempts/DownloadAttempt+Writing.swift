import Flux
import PodfluxCore

/// Bytes to the disk: writes, checkpoints, the last sync.
extension DownloadAttempt {
  // MARK: Pieces

  /// Compares a piece with what is kept as far as that goes, and appends the rest.
  func lay(_ piece: AttemptTask.Piece, at now: ClockReading) -> Work? {
    var piece = piece
    piece.total = machine.total
    guard comparison.isDone else { return (.files(.compare(piece, comparison)), .comparing(piece)) }
    return (.files(.append(piece)), .appending(piece))
  }

  mutating func compared(
    _ piece: AttemptTask.Piece, _ comparison: KeptComparison, same: Int, differs: Bool, length: Int64,
    at now: ClockReading
  ) -> Work? {
    self.comparison = comparison
    var piece = piece
    piece.skipped = same
    if differs {
      held = piece
      enqueue(machine.keptDiffers(at: comparison.offset))
      return nil
    }
    if comparison.isDone { machine.keptWasRepeated() }
    guard same < piece.count else { return laid(piece, length: length, at: now) }
    return (.files(.append(piece)), .appending(piece))
  }

  /// A piece is written, or was written already.
  mutating func laid(_ piece: AttemptTask.Piece, length: Int64, at now: ClockReading) -> Work? {
    switch piece.purpose {
    case .stream: return checkpointIfDue(piece, length: length, at: now)
    case .finish:
      buffer.giveBack(piece.blocks)
      return (.files(.synchronize(orCutTo: machine.promised)), .finishing)
    case .complete:
      buffer.giveBack(piece.blocks)
      return (.files(.inspect), .inspecting)
    }
  }

  /// There is room again: takes the piece that has filled meanwhile, and lets the exchange read on.
  mutating func giveBack(_ piece: AttemptTask.Piece, at now: ClockReading) -> Work? {
    buffer.giveBack(piece.blocks)
    let next = buffer.takePiece(evenIfSmall: isExchangePaused)
    if isExchangePaused, hasExchange { command(.resumeExchange) }
    isExchangePaused = false
    // What has filled up is written at once, so that nothing is left to be written behind an order that comes later.
    guard let next, !giveWay(to: next) else { return nil }
    return lay(AttemptTask.Piece(blocks: next), at: now)
  }

  /// The store has agreed to give up what the piece kept back differs from.
  mutating func resumeWriting(at now: ClockReading) -> Work? {
    guard var piece = held else { return nil }
    held = nil
    piece.purpose = .stream
    return lay(piece, at: now)
  }

  // MARK: Checkpoints

  private mutating func checkpointIfDue(
    _ piece: AttemptTask.Piece, length: Int64, at now: ClockReading
  ) -> Work? {
    guard machine.wantsCheckpoints, syncing == nil else { return giveBack(piece, at: now) }
    switch checkpoints.decision(at: length, milliseconds: now.monotonicMilliseconds) {
    case .none: return giveBack(piece, at: now)
    case .announce:
      // The announcement promises no byte, so it needs no sync.
      let nothing = AttemptTask.Durable(length: 0, tailHash: AttemptFileWork.hashOfNothing, digestStates: [])
      return (.report(checkpoint(nothing, at: now)), .announcing(piece))
    case .synchronize where piece.blocks.count >= configuration.fastPieceBlocks:
      return (.synchronizeBeside, .beginningSync(piece, length: length))
    case .synchronize: return (.files(.synchronize(orCutTo: machine.promised)), .checkpointing(piece))
    }
  }

  /// The sync beside the writing has ended. It is reported, unless the end has come by then: the last sync covers this
  /// one. That one waits for this one, since the kernel tells a failed write to one of them only.
  mutating func endSync(_ failure: DownloadError?, at now: ClockReading) -> Work? {
    guard let syncing else { preconditionFailure("a sync ended, and none was under way") }
    self.syncing = nil
    if let failure {
      machine.synchronizationFailed()
      return (.files(.truncate(to: machine.promised)), .cutting(failure))
    }
    guard machine.isReceiving, !syncing.isOutdated else { return takeUpPendingSync(at: now) }
    return (
      .files(.hashTail(ofDurable: syncing.length)),
      .recording(length: syncing.length, digestStates: syncing.digestStates)
    )
  }

  /// Starts the step that was postponed until the running sync ended.
  mutating func takeUpPendingSync(at now: ClockReading) -> Work? {
    let pending = pendingSync
    pendingSync = nil
    switch pending {
    case nil: return nil
    case .contents: return synchronizeContents()
    case .everything: return finishWriting(at: now)
    }
  }

  // MARK: The end of writing

  /// Writes the remaining bytes and syncs the whole file, so that a later attempt can continue it.
  mutating func finishWriting(at now: ClockReading) -> Work? {
    guard syncing == nil else {
      pendingSync = .everything
      return nil
    }
    return layRest(for: .finish, at: now) ?? (.files(.synchronize(orCutTo: machine.promised)), .finishing)
  }

  /// Writes the remaining bytes of a complete file.
  mutating func completeWriting(at now: ClockReading) -> Work? {
    layRest(for: .complete, at: now) ?? (.files(.inspect), .inspecting)
  }

  /// Makes a complete file's contents durable.
  mutating func synchronizeContents() -> Work? {
    guard syncing == nil else {
      pendingSync = .contents
      return nil
    }
    return (.files(.synchronizeContents(orCutTo: machine.promised)), .synchronizingContents)
  }

  private mutating func layRest(for purpose: AttemptTask.Piece.Purpose, at now: ClockReading) -> Work? {
    buffer.takeAll().flatMap { lay(AttemptTask.Piece(blocks: $0, purpose: purpose), at: now) }
  }
}
