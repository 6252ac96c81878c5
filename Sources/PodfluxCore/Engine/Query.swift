import Flux

/// A question: it changes nothing and sees every action before it (the article Protocol).
package enum Query: Hashable, Sendable {
  /// The current state of the stores that the query names.
  case snapshot(SnapshotQuery)
  /// How another library can go on with a download.
  case resumeData(DownloadID)
  /// All subscriptions as OPML, with user names, passwords and tokens in addresses or without.
  case exportFeeds(includingSecrets: Bool)
  /// What a subscription would bring. The answer comes when the feed has come, at the latest after
  /// `FeedPreview.Limits.milliseconds`; meanwhile the engine answers others.
  case preview(FeedPreview.Wish)
  /// What rules would do about a feed's episodes.
  case planRules(RulesQuery)
  /// Tell from now on what changes, instead of what was asked for before.
  case observe(Observation)
  /// Tell no more of what changes.
  case unobserve
}

/// What a client wants to observe.
package struct Observation: Hashable, Sendable {
  /// The stores, and which part of each.
  package var state: SnapshotQuery
  /// Whether the client gets committed actions too.
  package var includesActions: Bool
  /// How long changes are gathered at least, in seconds.
  package var interval: Double

  /// Seconds between two lines of a store.
  package static let intervals = 0.05...3600.0

  /// The nearest interval within the limits; the shortest in the place of what is no number.
  package static func bounded(_ interval: Double) -> Double {
    interval >= intervals.lowerBound ? min(interval, intervals.upperBound) : intervals.lowerBound
  }

  /// Makes an observation; of all stores each quarter of a second, by default.
  package init(state: SnapshotQuery = .init(), includesActions: Bool = false, interval: Double = 0.25) {
    self.state = state
    self.includesActions = includesActions
    self.interval = interval
  }
}

/// Which part of the state a client wants to see.
///
/// ```swift
/// let query = SnapshotQuery(stores: [.downloads, .network], downloads: .init(condition: .states([.running])))
/// let snapshot = try await podflux.snapshot(query)
/// print(snapshot.network?.path.status.rawValue ?? "", snapshot.downloads?.items.count ?? 0)
/// ```
public struct SnapshotQuery: Hashable, Sendable {
  /// The stores to show.
  public var stores: Set<StoreName>
  /// Which downloads to show, and what of them.
  public var downloads: DownloadsQuery
  /// Which feeds to show, and what of them.
  public var feeds: FeedsQuery
  /// Which episodes to show, and what of them.
  public var episodes: EpisodesQuery
  /// Which page of the cleanup's steps to show.
  public var stepsPage: PageRequest

  /// Asks for these stores; all, by default.
  public init(
    stores: Set<StoreName> = Set(StoreName.allCases), downloads: DownloadsQuery = .init(),
    feeds: FeedsQuery = .init(), episodes: EpisodesQuery = .init(), stepsPage: PageRequest = .init()
  ) {
    self.stores = stores
    self.downloads = downloads
    self.feeds = feeds
    self.episodes = episodes
    self.stepsPage = stepsPage
  }
}

/// A part of the state that a query can ask for by name.
///
/// Use: `StoreName(rawValue: "downloads")`; a `SnapshotQuery` takes a set of them.
public enum StoreName: String, Hashable, Sendable, CaseIterable {
  case engine, settings, network, filters, feeds, episodes, downloads, sessions, cleanup
}

/// Which downloads a client wants to see, in which order, and what of each.
///
/// ```swift
/// let query = DownloadsQuery(condition: .podcasts(["Night Trains"]), order: .init(.title), limit: 20)
/// for await page in podflux.downloads(query) { print(page.items.map(\.download.id)) }
/// ```
public struct DownloadsQuery: Hashable, Sendable {
  /// Which ones, of those that the filters show.
  public var condition: Condition
  /// Whether those are shown too that the filters hide.
  public var isUnfiltered: Bool
  public var order: DownloadOrder
  /// How many at most; the nearest number from 1 to `PageRequest.maximumLimit` counts.
  public var limit: Int
  /// Where the page before it ended; nil for the first page.
  public var after: OrderCursor?
  /// What of each is shown; nil for everything.
  public var fields: Set<ItemField>?

  /// Asks for a page; the first hundred downloads that the filters show, in the order in which they were added, by
  /// default.
  public init(
    condition: Condition = .everything, isUnfiltered: Bool = false, order: DownloadOrder = .init(), limit: Int = 100,
    after: OrderCursor? = nil, fields: Set<ItemField>? = nil
  ) {
    self.condition = condition
    self.isUnfiltered = isUnfiltered
    self.order = order
    self.limit = limit
    self.after = after
    self.fields = fields
  }
}

/// The place in a list of downloads at which a page ended. It stays right while rows come, go and change: what has the
/// page's last place or one before it is not shown again.
///
/// ```swift
/// var query = DownloadsQuery(limit: 50)
/// query.after = try await podflux.snapshot(.init(stores: [.downloads], downloads: query)).downloads?.next
/// ```
public struct OrderCursor: Hashable, Sendable {
  /// What decides in the list.
  public var order: DownloadOrder
  /// What the order looks at in the page's last item.
  public var value: Value
  /// The row key of the page's last item.
  public var key: Int64

  /// The value of a row by which an order sorts.
  ///
  /// Use: `downloads.next?.value`. A program hands the cursor back as it got it.
  public enum Value: Hashable, Sendable {
    /// The key alone.
    case none
    /// A number: a moment, a length, a state; nil where there is none.
    case number(Int64?)
    /// A title; nil where there is none.
    case text(String?)
    /// Priority, as its number in order of urgency from 0, and position.
    case rank(Int64, Int64)
  }

  /// Makes a cursor.
  public init(order: DownloadOrder, value: Value, key: Int64) {
    self.order = order
    self.value = value
    self.key = key
  }
}

/// What a query can leave out of a download's line (the article Protocol). A Swift program gets the rows whole.
///
/// ```swift
/// _ = DownloadsQuery(fields: [.id, .title, .state])
/// ```
public enum ItemField: String, Hashable, Sendable, CaseIterable {
  case addedAt, attempt, bytes, detail, error, eta, finishedAt, id, modifiedAt, network, origin, path, phase, podcast
  case position, priority
  case rate, reason, resumable, retryAt, sha256, startedAt, state, tagged, title, untagged, url
}

/// Which page of the cleanup's steps a query asks for.
///
/// ```swift
/// var query = SnapshotQuery(stores: [.cleanup], stepsPage: PageRequest(limit: 200))
/// query.stepsPage.after = try await podflux.snapshot(query).cleanup?.next
/// ```
public struct PageRequest: Hashable, Sendable {
  /// The most items that a page can have.
  public static let maximumLimit = 1000

  /// How many items at most; the nearest number from 1 to `maximumLimit` counts.
  public var limit: Int
  /// Where the page before it ended; nil for the first page.
  public var after: PageCursor?

  /// Asks for a page; the first hundred items, by default.
  public init(limit: Int = 100, after: PageCursor? = nil) {
    self.limit = limit
    self.after = after
  }
}

/// The place in the list of the cleanup's steps at which a page ended. It stays right while rows come and go.
///
/// Use: `cleanup.next`, nil on the last page.
public struct PageCursor: Hashable, Sendable {
  /// The row key of the page's last item.
  public var key: Int64

  /// Makes a cursor.
  public init(key: Int64) {
    self.key = key
  }
}

/// An answer to a query.
package enum Answer: Hashable, Sendable {
  /// The state of the requested stores at one moment.
  case snapshot(Snapshot)
  /// What to go on with; nil if nothing of the download is kept.
  case resumeData(ResumeRecord?)
  /// The subscriptions as OPML.
  case opml(String)
  /// What a subscription would bring.
  case preview(FeedPreview)
  /// What rules would do.
  case rulesPlan(RulesPlan)
  /// The client observes from now on, beginning with this revision.
  case observing(revision: Int64)
  /// The client observes no longer.
  case unobserving
}

/// One moment of the state: all its stores at one revision. A store that was not asked for is nil.
///
/// ```swift
/// let snapshot = try await podflux.snapshot()
/// print(snapshot.revision, snapshot.downloads?.counts[.completed] ?? 0, snapshot.feeds?.count ?? 0)
/// ```
public struct Snapshot: Hashable, Sendable {
  /// The revision that it shows.
  public var revision: Int64
  public var engine: EngineSnapshot?
  public var settings: Settings?
  public var network: NetworkState?
  public var filters: FiltersSnapshot?
  public var downloads: DownloadsSnapshot?
  public var feeds: FeedsSnapshot?
  public var episodes: EpisodesSnapshot?
  /// The sessions, in the order of their ids.
  public var sessions: [Session]?
  /// Cleaning up.
  public var cleanup: CleanupSnapshot?

  /// Makes a snapshot.
  package init(
    revision: Int64, engine: EngineSnapshot? = nil, settings: Settings? = nil, network: NetworkState? = nil,
    filters: FiltersSnapshot? = nil, downloads: DownloadsSnapshot? = nil, feeds: FeedsSnapshot? = nil,
    episodes: EpisodesSnapshot? = nil, sessions: [Session]? = nil, cleanup: CleanupSnapshot? = nil
  ) {
    self.revision = revision
    self.engine = engine
    self.settings = settings
    self.network = network
    self.filters = filters
    self.downloads = downloads
    self.feeds = feeds
    self.episodes = episodes
    self.sessions = sessions
    self.cleanup = cleanup
  }
}

/// The engine's part of a snapshot: its version, and the library's path.
///
/// Use: `snapshot.engine`, nil if the query did not name `StoreName.engine`.
public struct EngineSnapshot: Hashable, Sendable {
  /// Podflux's version.
  public var version: String
  /// The library's path.
  public var library: String

  /// Makes the engine's part of a snapshot.
  package init(version: String, library: String) {
    self.version = version
    self.library = library
  }
}

/// A page of the downloads, and what there is of them in all.
///
/// ```swift
/// for await downloads in podflux.downloads() {
///   print(downloads.counts[.running] ?? 0, "running,", downloads.bytesPerSecond, "bytes a second")
/// }
/// ```
public struct DownloadsSnapshot: Hashable, Sendable {
  /// How many downloads are in each state; one that none is in may be missing.
  public var counts: [DownloadState.Kind: Int]
  /// Bytes that arrive in a second, all running transfers together.
  public var bytesPerSecond: Int64
  /// Bytes that were fetched and thrown away, of all downloads that there ever were.
  public var discarded: Download.Discarded
  /// The page.
  public var items: [Item]
  /// What of each item is shown; nil for everything.
  public var fields: Set<ItemField>?
  /// Where the next page begins; nil if this is the last.
  public var next: OrderCursor?

  /// A download and, while it runs, what is known beyond its row.
  ///
  /// ```swift
  /// for item in downloads.items { print(item.download.id, item.live?.received ?? item.download.progress.durable) }
  /// ```
  public struct Item: Hashable, Sendable {
    /// The row.
    public var download: Download
    /// The running attempt.
    public var live: LiveAttempt?
    /// What keeps it from running, if it would run otherwise.
    public var obstacle: Obstacle?
    /// How many bytes its partial file has with which the next attempt goes on: an engine that was killed has left more
    /// than the row knows of. 0 where the partial file was not read.
    public var kept: Int64

    /// Makes an item.
    package init(download: Download, live: LiveAttempt?, obstacle: Obstacle? = nil, kept: Int64 = 0) {
      self.download = download
      self.live = live
      self.obstacle = obstacle
      self.kept = kept
    }
  }

  /// Makes the downloads' part of a snapshot.
  package init(
    counts: [DownloadState.Kind: Int], bytesPerSecond: Int64, discarded: Download.Discarded = .init(), items: [Item],
    fields: Set<ItemField>? = nil, next: OrderCursor?
  ) {
    self.counts = counts
    self.bytesPerSecond = bytesPerSecond
    self.discarded = discarded
    self.items = items
    self.fields = fields
    self.next = next
  }
}

/// How two snapshots are compared in one store.
package struct SnapshotPart: Sendable {
  package let store: StoreName
  package let isSame: @Sendable (Snapshot, Snapshot) -> Bool

  fileprivate init<Value: Equatable & Sendable>(_ store: StoreName, _ path: KeyPath<Snapshot, Value> & Sendable) {
    self.store = store
    isSame = { $0[keyPath: path] == $1[keyPath: path] }
  }
}

extension Snapshot {
  /// The stores whose state changes.
  package static let parts: [SnapshotPart] = [
    .init(.settings, \.settings), .init(.network, \.network), .init(.filters, \.filters), .init(.feeds, \.feeds),
    .init(.episodes, \.episodes), .init(.downloads, \.downloads), .init(.sessions, \.sessions),
    .init(.cleanup, \.cleanup),
  ]
}
