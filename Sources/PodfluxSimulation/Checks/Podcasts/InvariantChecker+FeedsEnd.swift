import Flux
import PodfluxCore

/// Checks of feeds after faults have stopped.
extension InvariantChecker {
  /// Each living feed has been refreshed since then: its rows are what it has.
  func checkRefreshed(since moment: Timestamp, in world: World) throws {
    try compareFeeds(world)
    guard let simulated = world.feeds else { return }
    for feed in feeds.feeds.values.sorted(by: { $0.key < $1.key }) where !feed.refreshes.hasEnded {
      if isOfOtherPodcast(feed, in: simulated) { continue }
      guard let last = feed.refreshes.last, last >= moment, feed.refreshes.error == nil else {
        throw Violation(
          .liveness, "\(feed.id) at \(feed.address) could be refreshed, and was not: \(feed.refreshes.error as Any)")
      }
      guard let place = simulated.place(at: feed.address) else { continue }
      guard let part = simulated.podcasts[simulated.places[place].podcast].part(1) else { continue }
      if let fault = fault(of: feed, comparedWith: part) { throw Violation(.nothingLost, fault) }
      try checkNotesAtRest(of: feed, comparedWith: part.items, in: world)
    }
    try checkRulesDone(in: world)
    guard world.process?.dispatcher.state.podcasts.live.isEmpty == true else {
      throw Violation(.liveness, "refreshes are live for ever")
    }
  }

  /// Whether a feed has become another podcast's, which the engine believes after some days.
  private func isOfOtherPodcast(_ feed: Feed, in simulated: SimulatedFeeds) -> Bool {
    guard feed.refreshes.meetsOtherPodcast, let place = simulated.place(at: feed.address) else {
      return false
    }
    let podcast = simulated.podcasts[simulated.places[place].podcast]
    guard let guid = podcast.guid, let known = feed.podcast?.guid else { return podcast.title != feed.podcast?.title }
    return guid != known
  }

  /// The feeds that are refreshed without a client's request and have not been since then. Those that have become
  /// another podcast's are looked at in the end.
  func unrefreshed(since moment: Timestamp) -> [FeedID] {
    feeds.feeds.values.filter { feed in
      !feed.wishes.isPaused && !feed.refreshes.hasEnded && !feed.refreshes.meetsOtherPodcast
        && feed.refreshes.last.map { $0 < moment } ?? true
    }.map(\.id).sorted()
  }
}

extension Feed.Refreshes {
  /// Whether the last one has met another podcast's feed.
  fileprivate var meetsOtherPodcast: Bool { error?.message == DownloadError.otherPodcast.message }
}
