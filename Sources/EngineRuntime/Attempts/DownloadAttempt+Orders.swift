import Flux
import PodfluxCore

/// The machine's orders as steps, and what follows each of them.
extension DownloadAttempt {
  /// Begins an order.
  ///
  /// - Returns: nil where it needs no step.
  mutating func begin(_ order: TransferMachine.Order, at now: ClockReading) -> Work? {
    switch order {
    case .openPartial(let tail): return (.files(.open(tail: tail)), .opening)
    case .truncate(let length):
      if let syncing, syncing.length > length { self.syncing?.isOutdated = true }
      return (.files(.truncate(to: length)), .truncating(to: length))
    case .request(let plan):
      guard attempt.digestAlgorithms.isEmpty else { return (followDigests, .preparing(plan)) }
      startExchange(plan, at: now)
      return nil
    case .cancelExchange:
      if hasExchange { command(.cancelExchange) }
      return nil
    case .resumeWriting:
      comparison = KeptComparison(from: machine.base, to: machine.base)
      // The file has been cut, and was perhaps complete then: there need not be a piece.
      return attempt.digestAlgorithms.isEmpty ? resumeWriting(at: now) : (followDigests, .resuming)
    case .finishWriting: return finishWriting(at: now)
    case .completeWriting:
      return (.report(report(.reading(received: machine.received, phase: .verifying))), .verifying)
    case .synchronizeContents: return synchronizeContents()
    case .name(let number): return (.files(.name(namingFacts, number: number)), .naming)
    case .publish(let file): return (.files(.publish(file)), .publishing)
    case .report(let news): return (.report(report(news)), .reporting(pendingSync: false))
    case .end(let news): return (.end(report(news)), .ending)
    }
  }

  /// Takes up what a step has found out.
  mutating func go(on outcome: AttemptTask.Outcome, in stage: Stage, at now: ClockReading) -> Work? {
    switch (stage, outcome) {
    case (.opening, .opened(let length, let tailHash, let room, let reserve)):
      enqueue(machine.partialOpened(length: length, tailHash: tailHash, room: room, reserve: reserve))
    case (.truncating(let length), _):
      // Checkpoints are counted from there.
      checkpoints.begin(at: length, milliseconds: now.monotonicMilliseconds)
    case (.preparing(let plan), _): startExchange(plan, at: now)
    case (.resuming, _): return resumeWriting(at: now)
    case (.comparing(let piece), .compared(let comparison, let same, let differs, let length)):
      return compared(piece, comparison, same: same, differs: differs, length: length, at: now)
    case (.appending(let piece), .appended(let length)): return laid(piece, length: length, at: now)
    case (.verifying, _): return completeWriting(at: now)
    case (.announcing(let piece), _): return giveBack(piece, at: now)
    case (.beginningSync(let piece, let length), .synchronizing(let states)):
      syncing = (length, states, isOutdated: false)
      return giveBack(piece, at: now)
    case (.checkpointing(let piece), .synchronized(let durable)):
      return (.report(checkpoint(durable, at: now)), .announcing(piece))
    case (.recording(let length, let states), .hashed(let hash)):
      let durable = AttemptTask.Durable(length: length, tailHash: hash, digestStates: states)
      return (.report(checkpoint(durable, at: now)), .reporting(pendingSync: true))
    case (.reporting(let pendingSync), _): return pendingSync ? takeUpPendingSync(at: now) : nil
    case (.cutting(let error), _): return fail(error)
    case (.savingWritten(let error, let piece), .synchronized(let durable)):
      guard piece.purpose == .finish, error.code == .noSpace else { return fail(error) }
      // What fits counts all the same. Part of a piece may have been written that no digest has seen.
      written(AttemptTask.Durable(length: durable.length, tailHash: durable.tailHash, digestStates: []), at: now)
    case (.finishing, .synchronized(let durable)): written(durable, at: now)
    case (.inspecting, .contents(let contents)):
      let blank = machine.record(durable: 0, tailHash: AttemptFileWork.hashOfNothing, savedAt: now.wall)
      enqueue(machine.completed(contents, blank: blank))
    case (.synchronizingContents, .done): enqueue(machine.contentsSynchronized())
    case (.naming, .named(let path)):
      guard let path else {
        enqueue(machine.named(nil, inode: 0))
        return nil
      }
      return gather(for: path, at: now)
    case (.lookingForTagParts(let path), .lacks(let parts)): return gather(parts, for: path, at: now)
    case (.preparingToMove(let path), .prepared(let file)):
      enqueue(machine.named(path, inode: file?.inode ?? 0, tags: file?.tags ?? .notWanted))
    case (.publishing, .published(let publication)): enqueue(machine.published(publication))
    case (.ending, _): return nil
    default: preconditionFailure("the step for \(stage) came to \(outcome)")
    }
    return nil
  }

  /// A step has failed.
  mutating func fail(_ error: DownloadError, in stage: Stage) -> Work? {
    switch stage {
    case .comparing(let piece) where piece.purpose != .stream, .appending(let piece) where piece.purpose != .stream:
      // The bytes written before the failing piece are made durable all the same.
      return (.files(.synchronize(orCutTo: machine.promised)), .savingWritten(error, piece))
    case .savingWritten(let first, let piece):
      return fail(piece.purpose == .finish && first.code == .noSpace ? error : first)
    case .beginningSync: syncing = nil
    case .cutting(let first): return fail(first)
    default: break
    }
    return fail(error)
  }

  private var followDigests: AttemptTask { .files(.followDigests(from: machine.keptDigestStates)) }

  private var namingFacts: PublishingFacts {
    PublishingFacts(
      description: attempt.description, address: attempt.ownAddress,
      contentDisposition: machine.head?.contentDisposition, contentType: machine.head?.contentType,
      beginning: machine.contents?.beginning ?? [], settings: attempt.settings, naming: attempt.naming)
  }

  private mutating func report(_ news: AttemptReport.News) -> AttemptReport {
    // A reading may be lost behind the next one: it tells of no bytes that have to be counted.
    guard !news.isReading else { return AttemptReport(attempt: attempt.id, news: news) }
    defer { fetched = 0 }
    return AttemptReport(attempt: attempt.id, news: news, fetched: fetched)
  }

  /// A report of a record that is durable.
  mutating func checkpoint(_ durable: AttemptTask.Durable, at now: ClockReading) -> AttemptReport {
    let record = record(durable, at: now)
    machine.checkpointed(record)
    return report(.checkpoint(record))
  }

  private func record(_ durable: AttemptTask.Durable, at now: ClockReading) -> ResumeRecord {
    machine.record(
      durable: durable.length, tailHash: durable.tailHash, savedAt: now.wall, digestStates: durable.digestStates)
  }

  private mutating func written(_ durable: AttemptTask.Durable, at now: ClockReading) {
    // Without any bytes a record tells how long the file is, where that is why there are none.
    let isNews = durable.length > 0 || machine.isTooLongForRoom
    enqueue(machine.written(isNews ? record(durable, at: now) : nil))
  }
}
