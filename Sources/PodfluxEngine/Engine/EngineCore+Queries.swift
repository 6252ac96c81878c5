import EngineRuntime
import PodfluxCore

/// Answers queries, and begins and ends observations.
extension EngineCore {
  func answer(_ query: Query, for id: ClientID?, at revision: Int64) throws -> Answer {
    guard let session else { throw Refusal.isSuspended }
    // A client that is gone reads no answer.
    guard let id, let client = clients.client(id) else { throw Refusal.hasStopped }
    switch query {
    case .resumeData(let id): return .resumeData(try session.library.resumeData(of: id))
    case .exportFeeds(let includesSecrets):
      return .opml(try session.library.opml(includingSecrets: includesSecrets))
    case .planRules(let query):
      return .rulesPlan(
        try session.library.rulesPlan(query, from: session.dispatcher.state, at: readClock().wall))
    case .preview: preconditionFailure("the loop hands previews to their own method")
    case .snapshot(let query):
      // An observing client is shown everything up to this revision before it sees the snapshot.
      if let token = clients.observationToken(of: id) { observers.flush(token) }
      let now = readClock().wall
      return .snapshot(try session.library.snapshot(query, from: session.dispatcher.state, at: now))
    case .observe(let wish):
      endObservation(of: id)
      let observation = ClientObservation(of: client, includesActions: wish.includesActions)
      let token = observers.add(
        wish.state, interval: wish.interval, hasRoom: { observation.hasRoom }, deliver: observation.deliver)
      clients.begin(observation, token, of: id)
      return .observing(revision: revision)
    case .unobserve:
      endObservation(of: id)
      return .unobserving
    }
  }

  /// Begins an observation. One that cannot be read ends at once, and has no token.
  func observe(
    _ query: SnapshotQuery, interval: Double, onEnd: @escaping @Sendable () -> Void,
    deliver: @escaping @Sendable (ObservedMoment) -> Void
  ) -> Observers.Token? {
    do throws(Refusal) {
      try query.checkConditions()
    } catch {
      logger.error("a query cannot be observed", metadata: ["reason": "\(error.message)"])
      onEnd()
      return nil
    }
    return observers.add(query, interval: interval, onEnd: onEnd, deliver: deliver)
  }

  func endObserving(_ token: Observers.Token) {
    observers.remove(token)
  }

  func endObservation(of id: ClientID) {
    guard let (observation, token) = clients.takeObservation(of: id) else { return }
    observers.remove(token)
    observation.end()
  }
}
