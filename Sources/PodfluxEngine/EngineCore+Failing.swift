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
    _ facts: [Action], _ requests: some Collection<Request>, because error: any Error, in tenure: Tenure
  ) {
    let count = facts.count + requests.count { $0.action != nil }
    logger.log(
      level: tenure.isCommitFailing ? .debug : .error, "a turn could not be committed",
      metadata: ["reason": "\(error)", "actions": "\(count)"])
    if !tenure.isCommitFailing { tenure.commitFailures += 1 }
    tenure.isCommitFailing = true
    let refusal = Refusal(.storageFailure, "the library's database cannot be written: \(error)")
    var owed = facts
    for request in requests {
      switch request.content {
      case .action(.stop(let mode)):
        stopUncommitted(mode, request, in: tenure)
        owed.append(.stop(mode))
      case .action: respond(to: request, .refusal(refusal))
      case .query, .resume, .refused, .barrier: answer(request, with: nil)
      }
    }
    redeliverLater(owed, in: tenure)
    if isDraining { giveUpDrainLater(in: tenure) }
  }

  private func redeliverLater(_ facts: [Action], in tenure: Tenure) {
    tenure.undelivered.note(failed: facts)
    guard !tenure.undelivered.isEmpty, !tenure.isRedeliverySet else { return }
    tenure.isRedeliverySet = true
    turns.asyncAfter(deadline: .now() + .milliseconds(Self.redeliveryMilliseconds)) { [self, weak tenure] in
      guard let tenure, self.tenure === tenure else { return }
      tenure.isRedeliverySet = false
      guard !tenure.undelivered.isEmpty else { return }
      deliver(facts: tenure.undelivered.take(), requests: [])
      closeIfDone()
    }
  }

  /// A client has told it to stop, and that could not be committed. It is in no row anyway: it is done all the same.
  private func stopUncommitted(_ mode: StopMode, _ request: Request, in tenure: Tenure) {
    answer(request, with: .handled(.done))
    // Until the stores know of it attempts go on; they keep what they had synced.
    if mode > .drain { setDeadline(in: tenure) }
  }

  /// Nothing can move while nothing can be committed. If that lasts, the drain is at its end, and has not succeeded.
  private func giveUpDrainLater(in tenure: Tenure) {
    let failure = tenure.commitFailures
    guard tenure.watchedFailure != failure else { return }
    tenure.watchedFailure = failure
    turns.asyncAfter(deadline: .now() + .milliseconds(Self.drainPatienceMilliseconds)) { [self, weak tenure] in
      guard let tenure, self.tenure === tenure, tenure.isCommitFailing, tenure.commitFailures == failure else { return }
      logger.error("the engine ends, although something could move still: its database cannot be written")
      hasGivenUp.store(true, ordering: .releasing)
      tenure.isDone = true
      closeIfDone()
    }
  }
}
