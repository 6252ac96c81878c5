import PodfluxCore

/// Queries, and those who observe.
extension EngineCore {
  func answer(_ query: Query, at revision: Int64) throws -> Answer {
    guard let session else { throw Refusal.isSuspended }
    switch query {
    case .resumeData(let id): return .resumeData(try session.library.resumeData(of: id))
    case .exportFeeds(let includesSecrets):
      return .opml(try session.library.opml(includingSecrets: includesSecrets))
    case .preview: preconditionFailure("the loop hands previews to their own method")
    case .snapshot(let query):
      // An observing client is shown everything up to this revision before it sees the snapshot.
      if let observation { try observers.flush(observation.token) }
      let now = readClock().wall
      return .snapshot(try session.library.snapshot(query, from: session.dispatcher.state, at: now))
    case .observe(let wish):
      endObservation()
      let token = observers.add(wish.state, interval: wish.interval, hasRoom: { [client] in client.hasRoom }) {
        [client] moment in
        client.observed(wish.includesActions ? moment : moment.withoutAttempts)
      }
      observation = (token, wish.includesActions)
      return .observing(revision: revision)
    case .unobserve:
      endObservation()
      return .unobserving
    }
  }

  func observe(
    _ query: SnapshotQuery, interval: Double, onEnd: @escaping @Sendable () -> Void,
    deliver: @escaping @Sendable (ObservedMoment) -> Void
  ) -> Observers.Token {
    observers.add(query, interval: interval, onEnd: onEnd, deliver: deliver)
  }

  func endObserving(_ token: Observers.Token) {
    observers.remove(token)
  }

  private func endObservation() {
    if let observation { observers.remove(observation.token) }
    // A delivery that is under way ends first: the next one belongs to another observation.
    observers.waitForReading()
    observation = nil
  }
}
