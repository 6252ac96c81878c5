import Flux
import GRDB
import PodfluxCore

/// Maintains the table `episode_facets`: the number of episodes for each feed and combination of traits.
///
/// Episodes have no column for it, so that neither a new day nor a change of a download writes to their rows: each
/// change takes away what an episode counted by and adds what it counts by now. It collects changes and writes them
/// once, before the transaction ends. One connection owns it and uses it on its queue.
final class EpisodeCounts {
  /// A row of the table without its count.
  struct Facet: Hashable {
    let feed: Feed.Key
    let row: PackedEpisodeTraits
  }

  private var changes: [Facet: Int] = [:]
  /// Grows when the table changes, or a text by which episodes are found.
  private(set) var version = 0
  /// Whether an episode has, or had, a download: if none has, downloads change no count. Nil if that is not known.
  private var hasDownloads: Bool?

  /// Adds a number of episodes to a facet's count; it may be negative.
  func add(_ number: Int, _ facet: Facet) {
    changes[facet, default: 0] += number
  }

  /// Notes that titles of feeds or episodes have changed.
  func noteTexts() {
    version += 1
  }

  /// Notes that an episode gets a download.
  func noteDownload() {
    hasDownloads = true
  }

  /// Drops pending changes after the transaction ended.
  func reset() {
    changes.removeAll(keepingCapacity: changes.count < 4096)
  }

  /// Drops the cache and pending changes after a rollback.
  func forgetAll() {
    reset()
    hasDownloads = nil
  }

  /// Writes the pending changes.
  func refresh(in db: Database) throws {
    guard !changes.isEmpty else { return }
    version += 1
    let writer = try CountWriter("episode_facets", keys: ["feed", "class"], in: db)
    // In any order: each facet is another row.
    for (facet, number) in changes {
      try writer.add(number) { key in
        try key.write(facet.feed)
        try key.write(facet.row.code)
      }
    }
    reset()
  }

  /// Drops the counts of a feed that is gone: its episodes are shown no more.
  func forget(_ feed: Feed.Key, in db: Database) throws {
    try refresh(in: db)
    version += 1
    try db.cachedStatement(sql: "DELETE FROM episode_facets WHERE feed = ?").execute(arguments: [feed])
  }

  /// Moves the counts of episodes whose download has come into another state; nil for a download that does not exist.
  ///
  /// Cost: a look-up, and the episodes that have it.
  func move(
    having id: DownloadID, from former: DownloadState.Kind?, to state: DownloadState.Kind?, on today: LocalDay,
    in db: Database
  ) throws {
    guard former != state, try isAnyOfDownloads(in: db) else { return }
    let rows = "episodes INDEXED BY episodes_of_download"
    try forEach(in: db, from: rows, where: Predicate("download = ?", id.description)) { episode in
      let facet = episode.facet(on: today)
      add(-1, try facet.with(state: former))
      add(1, try facet.with(state: state))
    }
  }

  /// Calls the body with each of these episodes, but for those whose feed is gone. A scope that client input shapes is
  /// not cached: the cache would grow without bound.
  func forEach(
    in db: Database, from rows: String, where scope: Predicate, isCached: Bool = true,
    _ body: (CountedEpisode) throws -> Void
  ) throws {
    let sql = "SELECT \(CountedEpisode.columns) FROM \(rows) WHERE \(scope.sql) AND \(StoredEpisode.isOfFeed)"
    let statement = try isCached ? db.cachedStatement(sql: sql) : db.makeStatement(sql: sql)
    try CountedEpisode.forEach(statement, arguments: StatementArguments(scope.values), body)
  }

  /// Whether an episode has, or had, a download.
  func isAnyOfDownloads(in db: Database) throws -> Bool {
    if let hasDownloads { return hasDownloads }
    let sql = "SELECT 1 FROM episodes INDEXED BY episodes_of_download WHERE download IS NOT NULL LIMIT 1"
    let found = try Int.fetchOne(db.cachedStatement(sql: sql)) != nil
    hasDownloads = found
    return found
  }
}

extension EpisodeCounts {
  /// Moves the counts of the episodes whose downloads a bulk change is about to change.
  func move(
    havingDownloads scope: Predicate, to state: DownloadState.Kind?, on today: LocalDay, in db: Database
  ) throws {
    guard try isAnyOfDownloads(in: db) else { return }
    let scope = Predicate("download IN (SELECT id FROM downloads WHERE \(scope.sql))", values: scope.values)
    try forEach(in: db, from: "episodes INDEXED BY episodes_of_download", where: scope, isCached: false) { episode in
      let facet = episode.facet(on: today)
      add(-1, facet)
      add(1, try facet.with(state: state))
    }
  }
}

extension EpisodeCounts.Facet {
  /// The same facet with other marks; nil leaves a mark as it is.
  func with(isPlayed: Bool?, isFavorite: Bool?) throws -> Self {
    var traits = try row.traits()
    traits.isPlayed = isPlayed ?? traits.isPlayed
    traits.isFavorite = isFavorite ?? traits.isFavorite
    return Self(feed: feed, row: PackedEpisodeTraits(traits))
  }

  /// The same facet with a download in another state; nil for no download.
  func with(state: DownloadState.Kind?) throws -> Self {
    var traits = try row.traits()
    traits.state = state
    return Self(feed: feed, row: PackedEpisodeTraits(traits))
  }
}

/// What an episode counts by, as its row and that of its download have it.
struct CountedEpisode: StatementRow {
  private let feed: Feed.Key
  private let traits: (LocalDay) -> EpisodeTraits

  /// The columns in the order of `init`, over those of `episodes`.
  static let columns = """
    feed, (SELECT state FROM downloads WHERE downloads.id = episodes.download), media, bytes,
    coalesce(published, added_at) AS "episodes.published or added_at", played, favorite
    """

  init(_ columns: inout ColumnReader) throws {
    feed = try columns.next(.log)
    let state = try (columns.next() as String?).map { try Damaged.checked("state", DownloadState.Kind(rawValue: $0)) }
    let media = try Damaged.checked("episodes.media", MediaKind(rowCode: columns.next()))
    let bytes = try columns.nextIfPresent(.length)
    let moment = Timestamp(milliseconds: try columns.next(.moment))
    let (isPlayed, isFavorite): (Bool, Bool) = try (columns.next(), columns.next())
    traits = { today in
      EpisodeTraits(
        state: state, media: media, size: SizeClass(bytes: bytes), age: AgeClass(days: today.age(of: moment)),
        isPlayed: isPlayed, isFavorite: isFavorite)
    }
  }

  /// What it counts by on a day.
  func facet(on today: LocalDay) -> EpisodeCounts.Facet {
    EpisodeCounts.Facet(feed: feed, row: PackedEpisodeTraits(traits(today)))
  }
}
