import PodfluxCore

/// Caches the rows of feeds whose refreshes have begun, until something writes to them: mostly a refresh finds nothing
/// new, and its row is read once for its beginning and its end.
///
/// One connection owns it and uses it on its queue; only this process writes to the database. Each write to `feeds`
/// forgets the rows that it changes, before it begins.
final class KnownFeeds {
  /// How many rows are cached at most, some kilobytes each: more than refreshes are under way at once.
  private static let limit = 2 * PodcastsStore.Limits.refreshes

  private var feeds: [Feed.Key: Feed] = [:]

  subscript(key: Feed.Key) -> Feed? { feeds[key] }

  /// Caches a row's current value.
  func note(_ feed: Feed) {
    if feeds.count >= Self.limit { feeds = [:] }
    feeds[feed.key] = feed
  }

  func forget(_ key: Feed.Key) {
    feeds[key] = nil
  }

  /// Clears the cache, before a bulk change or after a rollback.
  func forgetAll() {
    feeds = [:]
  }
}
