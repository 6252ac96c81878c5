import Flux

/// Steps that wait for others.
extension CleanupStore {
  /// Hands out the steps whose places others have left. When the run was cancelled they stay as they are.
  mutating func handOutDeferred(reading context: Context, in turn: inout StoreTurn<Self>) throws {
    let steps = deferred
    deferred = []
    for step in steps {
      if active?.isCancelled == true {
        _ = self.steps.end(step.key)
      } else {
        try handOut(step, reading: context, in: &turn)
      }
    }
  }
}

extension CleanupStore {
  /// Refuses a request for a feed that is not there.
  func checkExists(_ feed: FeedID?, in turn: borrowing StoreTurn<Self>) throws {
    guard let feed, try turn.tables.feeds.find(feed) == nil else { return }
    throw Refusal(.notFound, "there is no feed \"\(feed)\"", path: "payload.feed")
  }
}

extension CleanupStore.Context {
  /// Copies what this context has of the stores.
  init(_ stores: borrowing Stores) {
    isScheduling = stores.lifecycle.isScheduling
    settings = stores.settings.settings
    live = stores.downloads.live
  }
}
