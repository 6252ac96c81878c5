import Flux

/// Which feeds a client wants to see, and in which order.
///
/// ```swift
/// for await feeds in podflux.feeds(.init(groups: ["News"])) { print(feeds.items.map(\.feed.shownTitle)) }
/// ```
public struct FeedsQuery: Hashable, Sendable {
  /// Only feeds of these groups; nil for all.
  public var groups: [String]?
  /// Only these feeds; nil for all.
  public var ids: [FeedID]?
  public var order: FeedOrder
  /// How many at most; the nearest number from 1 to `PageRequest.maximumLimit` counts.
  public var limit: Int
  /// Where the page before it ended; nil for the first page.
  public var after: FeedCursor?
  /// What of each is shown; nil for everything.
  public var fields: Set<FeedField>?

  /// Asks for a page; the first hundred feeds in the order of their titles, by default.
  public init(
    groups: [String]? = nil, ids: [FeedID]? = nil, order: FeedOrder = .init(.title), limit: Int = 100,
    after: FeedCursor? = nil, fields: Set<FeedField>? = nil
  ) {
    self.groups = groups
    self.ids = ids
    self.order = order
    self.limit = limit
    self.after = after
    self.fields = fields
  }
}

/// Which episodes a client wants to see, and in which order.
///
/// ```swift
/// let query = EpisodesQuery(condition: .feeds([feed.id]), isUnfiltered: true, limit: 20)
/// for await page in podflux.episodes(query) { print(page.items.map(\.episode.id)) }
/// ```
public struct EpisodesQuery: Hashable, Sendable {
  /// Which ones, of those that the filters show.
  public var condition: EpisodeCondition
  /// Whether those are shown too that the filters hide.
  public var isUnfiltered: Bool
  public var order: EpisodeOrder
  /// How many at most; the nearest number from 1 to `PageRequest.maximumLimit` counts.
  public var limit: Int
  /// Where the page before it ended; nil for the first page.
  public var after: EpisodeCursor?
  /// What of each is shown; nil for everything.
  public var fields: Set<EpisodeField>?

  /// Asks for a page; the hundred latest episodes that the filters show, by default.
  public init(
    condition: EpisodeCondition = .everything, isUnfiltered: Bool = false,
    order: EpisodeOrder = .init(.published, isReversed: true), limit: Int = 100, after: EpisodeCursor? = nil,
    fields: Set<EpisodeField>? = nil
  ) {
    self.condition = condition
    self.isUnfiltered = isUnfiltered
    self.order = order
    self.limit = limit
    self.after = after
    self.fields = fields
  }
}

/// The place in a list at which a page ended: what the order looks at in the page's last item, and its row. It stays
/// right while rows come, go and change.
///
/// ```swift
/// var query = EpisodesQuery(limit: 50)
/// query.after = try await podflux.snapshot(.init(stores: [.episodes], episodes: query)).episodes?.next
/// ```
public struct ListCursor<Key: ListOrderKey>: Hashable, Sendable {
  public var order: ListOrder<Key>
  public var value: OrderCursor.Value
  /// The row key of the page's last item.
  public var key: Int64

  public init(order: ListOrder<Key>, value: OrderCursor.Value, key: Int64) {
    self.order = order
    self.value = value
    self.key = key
  }
}

/// What feeds can be sorted by.
///
/// Use: `FeedsQuery().order.key`, which is `.title` by default.
public enum FeedOrderKey: String, ListOrderKey {
  /// When it was subscribed to.
  case added
  /// The shown title, without regard to case and diacritics.
  case title
}

/// What episodes can be sorted by. Where there is no value, the episode comes first.
///
/// Use: `EpisodesQuery().order.key`, which is `.published` by default.
public enum EpisodeOrderKey: String, ListOrderKey {
  /// When the engine first saw it.
  case added
  case published
  /// The title, without regard to case and diacritics.
  case title
  /// The length in bytes that the feed claims.
  case size
  /// The length in seconds.
  case seconds
}

/// The order of a list of feeds.
///
/// Use: `FeedOrder(.added, isReversed: true)`, the latest subscription first.
public typealias FeedOrder = ListOrder<FeedOrderKey>
/// The order of a list of episodes.
///
/// Use: `EpisodeOrder(.seconds)`, the shortest first, behind those whose length is unknown.
public typealias EpisodeOrder = ListOrder<EpisodeOrderKey>
/// The place in a list of feeds at which a page ended.
///
/// Use: `feeds.next`, nil on the last page; `FeedsQuery.after` takes it.
public typealias FeedCursor = ListCursor<FeedOrderKey>
/// The place in a list of episodes at which a page ended.
///
/// Use: `episodes.next`, nil on the last page; `EpisodesQuery.after` takes it.
public typealias EpisodeCursor = ListCursor<EpisodeOrderKey>

/// What a query can leave out of a feed's line (the article Protocol). To a Swift program one matters: without
/// `downloaded` the engine does not count, and `FeedsSnapshot.Item.downloaded` is 0.
///
/// ```swift
/// _ = FeedsQuery(fields: [.id, .title])
/// ```
public enum FeedField: String, Hashable, Sendable, CaseIterable {
  case author, description, downloaded, ended, episodes, error, filenameTemplate, group, id, image, language
  case lastRefreshed, link, movedFrom, network, nextRefresh, paused, refreshing, rules, title, url
}

/// What a query can leave out of an episode's line (the article Protocol). To a Swift program one matters: without
/// `because` the engine asks no rules, and `EpisodesSnapshot.Item.verdict` is nil.
///
/// ```swift
/// _ = EpisodesQuery(fields: [.id, .title])
/// ```
public enum EpisodeField: String, Hashable, Sendable, CaseIterable {
  case alternates, archived, because, chapters, download, enclosure, favorite, feed, guid, id, link, missingFromFeed,
    number
  case played, published, season, seconds, state, title, transcript, type
}

/// A page of the feeds, and what there is of them in all.
///
/// ```swift
/// for await feeds in podflux.feeds() { print(feeds.count, feeds.items.filter(\.isRefreshing).map(\.feed.shownTitle)) }
/// ```
public struct FeedsSnapshot: Hashable, Sendable {
  /// How many feeds there are.
  public var count: Int
  public var items: [Item]
  /// What of each item is shown; nil for everything.
  public var fields: Set<FeedField>?
  /// Where the next page begins; nil if this is the last.
  public var next: FeedCursor?

  /// A feed of a page, with what the engine counts and knows of it beside its row.
  ///
  /// Use: `feeds.items.first`.
  public struct Item: Hashable, Sendable {
    public var feed: Feed
    /// How many of its episodes have a completed download.
    public var downloaded: Int64
    /// Whether a refresh of it is under way.
    public var isRefreshing: Bool

    package init(feed: Feed, downloaded: Int64, isRefreshing: Bool) {
      self.feed = feed
      self.downloaded = downloaded
      self.isRefreshing = isRefreshing
    }
  }

  package init(count: Int, items: [Item], fields: Set<FeedField>? = nil, next: FeedCursor?) {
    self.count = count
    self.items = items
    self.fields = fields
    self.next = next
  }
}

/// A page of the episodes, and how many there are in all.
///
/// ```swift
/// for await episodes in podflux.episodes() { print(episodes.count, episodes.items.first?.episode.id as Any) }
/// ```
public struct EpisodesSnapshot: Hashable, Sendable {
  /// How many episodes there are.
  public var count: Int64
  public var items: [Item]
  /// What of each item is shown; nil for everything.
  public var fields: Set<EpisodeField>?
  /// Where the next page begins; nil if this is the last.
  public var next: EpisodeCursor?

  /// An episode of a page, with what the engine knows of it beside its row.
  ///
  /// ```swift
  /// for item in episodes.items { print(item.episode.id, item.state?.rawValue ?? "no download") }
  /// ```
  public struct Item: Hashable, Sendable {
    public var episode: Episode
    public var feed: FeedID
    /// The state of its download; nil if none exists.
    public var state: DownloadState.Kind?
    /// What the feed's rules say of it, or have done; nil if they have no say.
    public var verdict: RuleVerdict?

    package init(episode: Episode, feed: FeedID, state: DownloadState.Kind?, verdict: RuleVerdict? = nil) {
      self.episode = episode
      self.feed = feed
      self.state = state
      self.verdict = verdict
    }
  }

  package init(count: Int64, items: [Item], fields: Set<EpisodeField>? = nil, next: EpisodeCursor?) {
    self.count = count
    self.items = items
    self.fields = fields
    self.next = next
  }
}
