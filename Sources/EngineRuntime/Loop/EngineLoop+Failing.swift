import PodfluxCore

/// Handles turns that cannot be committed, such as on a full disk. They do not keep the process from ending.
extension EngineLoop {
  /// A turn could not be committed: requests are refused, facts are tried again later.
  func fail(_ facts: [Action], _ requests: some Collection<EngineRequest>, because error: any Error) {
    let batch = FailedBatch(facts: facts, intents: requests.compactMap(\.intent), error: error)
    noteFailure(batch)
    let refusal = Refusal(.storageFailure, "the library's database cannot be written: \(error)")
    var owed = facts
    for request in requests {
      switch request.content {
      case .intent(.stop(let mode)):
        // No row records a stop, so the engine stops all the same. Until the stores handle the stop, attempts go on;
        // they keep what they had synced.
        answer(request, with: .handled(.done))
        owed.append(.intent(.stop(mode)))
      case .intent: respond(to: request, .refusal(refusal))
      case .query, .resume, .refused, .barrier: answer(request, with: nil)
      }
    }
    redeliverLater(owed)
    if lifecycle.isDraining { giveUpDrainLater() }
  }

  private func noteFailure(_ batch: FailedBatch) {
    guard case .succeed? = held?.commits else { return host.noticed(.commitFailed(batch, isFirst: false)) }
    held?.commits = .fail(isDrainWaiting: false)
    host.noticed(.commitFailed(batch, isFirst: true))
  }

  func noteSuccess() {
    guard case .fail? = held?.commits else { return }
    held?.commits = .succeed
    host.set(.drainPatience, afterMilliseconds: nil)
    host.noticed(.commitsSucceedAgain)
  }

  // MARK: Redelivery

  /// Takes out the facts of failed turns, in front of later ones; nil if there are none.
  func takeUndelivered(with later: [Action] = []) -> [Action]? {
    guard held?.undelivered.isEmpty == false else { return nil }
    return held?.undelivered.take(with: later)
  }

  func redeliver() {
    held?.isRedeliverySet = false
    guard let facts = takeUndelivered() else { return }
    deliver(facts: facts, requests: [])
  }

  private func redeliverLater(_ facts: [Action]) {
    held?.undelivered.note(failed: facts)
    guard let held, !held.undelivered.isEmpty, !held.isRedeliverySet else { return }
    self.held?.isRedeliverySet = true
    host.set(.redelivery, afterMilliseconds: Self.redeliveryMilliseconds)
  }

  /// Ends a drain without success if turns cannot be committed for long: nothing can move meanwhile.
  private func giveUpDrainLater() {
    guard case .fail(isDrainWaiting: false)? = held?.commits else { return }
    held?.commits = .fail(isDrainWaiting: true)
    host.set(.drainPatience, afterMilliseconds: Self.drainPatienceMilliseconds)
  }
}
