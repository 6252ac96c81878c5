import Flux

/// A question: it changes nothing and sees every action before it (PROTOCOL.md section 9).
public enum Query: Hashable, Sendable {
  /// What the stores hold now.
  case snapshot(SnapshotQuery)
  /// How another library can go on with a download.
  case resumeData(DownloadID)
}

/// Which part of the state a client wants to see.
public struct SnapshotQuery: Hashable, Sendable {
  /// The stores to show.
  public var stores: Set<StoreName>
  /// Which page of the downloads to show.
  public var page: PageRequest
  /// Which page of the cleanup's steps to show.
  public var stepsPage: PageRequest

  /// Asks for these stores; all, by default.
  public init(
    stores: Set<StoreName> = Set(StoreName.allCases), page: PageRequest = .init(), stepsPage: PageRequest = .init()
  ) {
    self.stores = stores
    self.page = page
    self.stepsPage = stepsPage
  }
}

/// A part of the state that can be asked for by name.
public enum StoreName: String, Hashable, Sendable, CaseIterable {
  case engine, settings, downloads, cleanup
}

/// A page of a list.
public struct PageRequest: Hashable, Sendable {
  /// The most items that a page can have.
  public static let maximumLimit = 1000

  /// How many items at most.
  public var limit: Int
  /// Where the page before it ended; nil for the first page.
  public var after: PageCursor?

  /// Asks for a page; the first hundred items, by default.
  public init(limit: Int = 100, after: PageCursor? = nil) {
    self.limit = limit
    self.after = after
  }
}

/// The place in a list at which a page ended. It stays right while rows come and go.
public struct PageCursor: Hashable, Sendable {
  /// The row key of the page's last item.
  public var key: Int64

  /// Makes a cursor.
  public init(key: Int64) {
    self.key = key
  }
}

/// An answer to a query.
public enum Answer: Hashable, Sendable {
  /// One moment of the stores that were asked for.
  case snapshot(Snapshot)
  /// What to go on with; nil if nothing of the download is kept.
  case resumeData(ResumeRecord?)
}

/// One moment of the state: all its stores at one revision. A store that was not asked for is nil.
public struct Snapshot: Hashable, Sendable {
  /// The revision that it shows.
  public var revision: Int64
  /// The engine.
  public var engine: EngineSnapshot?
  /// The settings.
  public var settings: Settings?
  /// The downloads.
  public var downloads: DownloadsSnapshot?
  /// Cleaning up.
  public var cleanup: CleanupSnapshot?

  /// Makes a snapshot.
  public init(
    revision: Int64, engine: EngineSnapshot? = nil, settings: Settings? = nil, downloads: DownloadsSnapshot? = nil,
    cleanup: CleanupSnapshot? = nil
  ) {
    self.revision = revision
    self.engine = engine
    self.settings = settings
    self.downloads = downloads
    self.cleanup = cleanup
  }
}

/// What an engine says of itself.
public struct EngineSnapshot: Hashable, Sendable {
  /// Podflux's version.
  public var version: String
  /// The library's path.
  public var library: String

  /// Makes the engine's part of a snapshot.
  public init(version: String, library: String) {
    self.version = version
    self.library = library
  }
}

/// A page of the downloads, and what there is of them in all.
public struct DownloadsSnapshot: Hashable, Sendable {
  /// How many downloads are in each state.
  public var counts: [DownloadState.Kind: Int]
  /// Bytes that arrive in a second, all running transfers together.
  public var bytesPerSecond: Int64
  /// Bytes that were fetched and thrown away, of all downloads that there ever were.
  public var discarded: Download.Discarded
  /// The page.
  public var items: [Item]
  /// Where the next page begins; nil if this is the last.
  public var next: PageCursor?

  /// A download and, while it runs, what is known beyond its row.
  public struct Item: Hashable, Sendable {
    /// The row.
    public var download: Download
    /// The running attempt.
    public var live: LiveAttempt?
    /// Until when its host is left alone, if nothing else keeps it from running.
    public var hostUntil: Timestamp?

    /// Makes an item.
    public init(download: Download, live: LiveAttempt?, hostUntil: Timestamp? = nil) {
      self.download = download
      self.live = live
      self.hostUntil = hostUntil
    }
  }

  /// Makes the downloads' part of a snapshot.
  public init(
    counts: [DownloadState.Kind: Int], bytesPerSecond: Int64, discarded: Download.Discarded = .init(), items: [Item],
    next: PageCursor?
  ) {
    self.counts = counts
    self.bytesPerSecond = bytesPerSecond
    self.discarded = discarded
    self.items = items
    self.next = next
  }
}
