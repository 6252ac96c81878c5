import Synchronization

/// The observation of one client, from `Query.observe` to the next one, to `Query.unobserve` or to the client's end.
final class ClientObservation: Sendable {
  let includesActions: Bool
  private let client: any EngineClient
  private let isOver = Mutex(false)

  init(of client: any EngineClient, includesActions: Bool) {
    self.client = client
    self.includesActions = includesActions
  }

  var hasRoom: Bool { client.hasRoom }

  /// Shows the client a moment, unless the observation is over.
  func deliver(_ moment: ObservedMoment) {
    isOver.withLock { isOver in
      guard !isOver else { return }
      client.observed(includesActions ? moment : moment.withoutAttempts)
    }
  }

  /// Ends it. Waits for a delivery to this client that is under way: none comes when it returns.
  func end() {
    isOver.withLock { $0 = true }
  }
}
