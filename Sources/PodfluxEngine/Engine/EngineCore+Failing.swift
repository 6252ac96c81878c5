import Dispatch
import PodfluxCore

/// Turns that cannot be committed. A full disk keeps no process from ending.
extension EngineCore {
  /// How long a drain waits for turns that can be committed again, in milliseconds: in between somebody may free some room.
  private static let drainPatienceMilliseconds = 10_000

  /// How long to wait before undelivered facts are tried again.
  private static let redeliveryMilliseconds = 1000

  /// A turn could not be committed: requests are refused, facts are tried again later.
  func fail(
    _ facts: [Action], _ requests: some Collection<EngineRequest>, because error: any Error, in session: LibrarySession
  ) {
    let count = facts.count + requests.count { $0.action != nil }
    logger.log(
      level: session.isCommitFailing ? .debug : .error, "a turn could not be committed",
      metadata: ["reason": "\(error)", "actions": "\(count)"])
    if !session.isCommitFailing { session.commitFailures += 1 }
    session.isCommitFailing = true
    let refusal = Refusal(.storageFailure, "the library's database cannot be written: \(error)")
    var owed = facts
    for request in requests {
      switch request.content {
      case .action(.stop(let mode)):
        stopUncommitted(mode, request, in: session)
        owed.append(.stop(mode))
      case .action: respond(to: request, .refusal(refusal))
      case .query, .resume, .refused, .barrier: answer(request, with: nil)
      }
    }
    redeliverLater(owed, in: session)
    if isDraining { giveUpDrainLater(in: session) }
  }

  private func redeliverLater(_ facts: [Action], in session: LibrarySession) {
    session.undelivered.note(failed: facts)
    guard !session.undelivered.isEmpty, !session.isRedeliverySet else { return }
    session.isRedeliverySet = true
    turns.asyncAfter(deadline: .now() + .milliseconds(Self.redeliveryMilliseconds)) { [self, weak session] in
      guard let session, self.session === session else { return }
      session.isRedeliverySet = false
      guard !session.undelivered.isEmpty else { return }
      deliver(facts: session.undelivered.take(), requests: [])
      closeIfDone()
    }
  }

  /// A client has told it to stop, and that could not be committed. It is in no row anyway: it is done all the same.
  private func stopUncommitted(_ mode: StopMode, _ request: EngineRequest, in session: LibrarySession) {
    answer(request, with: .handled(.done))
    // Until the stores know of it attempts go on; they keep what they had synced.
    if mode > .drain { setDeadline(in: session) }
  }

  /// Nothing can move while nothing can be committed. If that lasts, the drain is at its end, and has not succeeded.
  private func giveUpDrainLater(in session: LibrarySession) {
    let failure = session.commitFailures
    guard session.watchedFailure != failure else { return }
    session.watchedFailure = failure
    turns.asyncAfter(deadline: .now() + .milliseconds(Self.drainPatienceMilliseconds)) { [self, weak session] in
      guard let session, self.session === session, session.isCommitFailing, session.commitFailures == failure else {
        return
      }
      logger.error("the engine ends, although something could move still: its database cannot be written")
      hasGivenUp.store(true, ordering: .releasing)
      session.isDone = true
      closeIfDone()
    }
  }
}
