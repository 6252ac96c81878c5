import Flux
import GRDB
import PodfluxCore
import Texts

/// Feeds and episodes for snapshots and refreshes.
extension TableReader {
  /// What tells the episodes of a feed from others, in the order in which they were added.
  ///
  /// - Parameter withNotes: Whether the hashes of their notes are read too.
  package func episodeTraces(of feed: Feed.Key, withNotes: Bool = false) throws -> [EpisodeTraces] {
    var names: [Int64: EpisodeTraces.FormerNames] = [:]
    let sql = """
      SELECT episode, episode_names.kind, name FROM episode_names JOIN episodes ON episodes.key = episode
      WHERE feed = ? ORDER BY episode, place
      """
    for name in try FormerName.fetchAll(db.cachedStatement(sql: sql), arguments: [feed]) {
      try name.note(in: &names[name.episode, default: .init()])
    }
    var traces: [EpisodeTraces] = []
    try StoredTraces.forEach(db.cachedStatement(sql: StoredTraces.select), arguments: [feed]) { row in
      traces.append(row.traces)
      if let former = names[row.traces.id.number] { traces[traces.count - 1].formerNames = former }
    }
    if withNotes { try addNotes(to: &traces, of: feed) }
    return traces
  }

  /// The hash stands before the text in its row: texts that are long are not read.
  private func addNotes(to traces: inout [EpisodeTraces], of feed: Feed.Key) throws {
    let sql = """
      SELECT episode, hash FROM episodes INDEXED BY episodes_feed JOIN episode_notes ON episode = key
      WHERE feed = ? ORDER BY key
      """
    var index = traces.startIndex
    try NotesHash.forEach(db.cachedStatement(sql: sql), arguments: [feed]) { row in
      while index < traces.endIndex, traces[index].id.number < row.episode { index += 1 }
      guard index < traces.endIndex, traces[index].id.number == row.episode else { return }
      traces[index].notesHash = row.hash
    }
  }

  /// What the library keeps of an episode's notes; nil if it has none.
  package func notes(of episode: EpisodeID) throws -> EpisodeNotes? { try episodeTable.notes(of: episode) }

  /// A download, and what its file can be named after; nil if it is none of this feed, where one is named. Cost: a few
  /// look-ups; one for a download of another feed.
  package func nameable(_ id: DownloadID, of feed: FeedID? = nil) throws -> NameableDownload? {
    if let feed {
      let sql = "SELECT 1 FROM episodes JOIN feeds ON feeds.key = episodes.feed WHERE download = ? AND feeds.id = ?"
      guard try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [id.description, feed.description]) != nil else {
        return nil
      }
    }
    guard let download = try download(id) else { return nil }
    let episode = try episodeTable.find(having: id)
    return NameableDownload(
      download, episode: episode, feed: try episode.flatMap { try feedTable.find($0.feed) })
  }

  /// The places of a feed's episodes among those that have a date, 1 for the oldest.
  package func episodeIndexes(of feed: Feed.Key) throws -> [EpisodeID: Int64] {
    let sql = """
      SELECT key FROM episodes INDEXED BY episodes_feed WHERE feed = ? AND published IS NOT NULL ORDER BY published, key
      """
    var indexes: [EpisodeID: Int64] = [:]
    for key in try Int64.fetchAll(db.cachedStatement(sql: sql), arguments: [feed]) {
      indexes[EpisodeID(number: key)] = Int64(indexes.count + 1)
    }
    return indexes
  }

  /// The subscription that has an address, now or before a move; nil if there is none.
  package func feed(at address: WebAddress) throws -> FeedID? {
    try feedTable.find(at: address)
  }

  /// How many feeds there are.
  package func feedCount() throws -> Int {
    try feedTable.count()
  }

  /// A page of the feeds. `live` has those that are being refreshed.
  package func feeds(_ query: FeedsQuery, refreshing live: Set<FeedID>) throws -> FeedsSnapshot {
    let scope = Predicate.all(
      [
        try query.ids.map {
          Predicate("id IN (SELECT value FROM json_each(?))", try ConditionSQL.list($0.map(\.description)))
        },
        try query.groups.map {
          Predicate("coalesce(grouping, '') IN (SELECT value FROM json_each(?))", try ConditionSQL.list($0))
        },
        query.after.map(Self.behind),
      ].compactMap(\.self))
    let direction = query.order.isReversed ? "DESC" : "ASC"
    let sorting = query.order.key == .title ? "title_key \(direction), key \(direction)" : "key \(direction)"
    let statement = try db.makeStatement(
      sql: "\(StoredFeed.select) FROM feeds WHERE \(scope.sql) ORDER BY \(sorting) LIMIT ?")
    var feeds = try StoredFeed.fetchAll(statement, arguments: StatementArguments(scope.values + [query.limit + 1]))
      .map(\.feed)
    let hasMore = feeds.count > query.limit
    if hasMore { feeds.removeLast() }
    let wantsDownloaded = query.fields?.contains(.downloaded) ?? true
    let items = try feeds.map { feed in
      FeedsSnapshot.Item(
        feed: feed, downloaded: wantsDownloaded ? try downloaded(of: feed.key) : 0, isRefreshing: live.contains(feed.id)
      )
    }
    return FeedsSnapshot(
      count: try feedCount(), items: items, fields: query.fields,
      next: hasMore ? feeds.last.map { Self.cursor(behind: $0, in: query.order) } : nil)
  }

  /// All feeds in the order in which they were subscribed to, one at a time.
  package func forEachFeed(_ body: (Feed) throws -> Void) throws {
    try StoredFeed.forEach(db.cachedStatement(sql: "\(StoredFeed.select) FROM feeds ORDER BY key")) {
      try body($0.feed)
    }
  }

  /// How many of a feed's episodes have a completed download.
  private func downloaded(of feed: Feed.Key) throws -> Int64 {
    let state = PackedEpisodeTraits.state(of: .completed)
    let sql =
      "SELECT coalesce(sum(number), 0) FROM episode_facets WHERE feed = ? AND class & \(state.mask) = \(state.code)"
    return try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: [feed]) ?? 0
  }

  private static func cursor(behind feed: Feed, in order: FeedOrder) -> FeedCursor {
    FeedCursor(order: order, value: order.key == .title ? .text(feed.shownTitle) : .none, key: feed.key)
  }

  private static func behind(_ cursor: FeedCursor) -> Predicate {
    let beyond = cursor.order.isReversed ? "<" : ">"
    guard cursor.order.key == .title, case .text(let text?) = cursor.value else {
      return Predicate("key \(beyond) ?", cursor.key)
    }
    return Predicate("(title_key, key) \(beyond) (?, ?)", FoldedText.of(DownloadRow.text(text)), cursor.key)
  }
}

/// What a row of `episode_notes` has beside the text.
private struct NotesHash: StatementRow {
  let episode: Int64
  let hash: Int64

  init(_ columns: inout ColumnReader) throws {
    (episode, hash) = try (columns.next(), columns.next())
  }
}

/// A row of `episode_names`.
private struct FormerName: StatementRow {
  let episode: Int64
  private let kind: String
  private let name: String

  init(_ columns: inout ColumnReader) throws {
    (episode, kind, name) = try (columns.next(), columns.next(), columns.next())
  }

  func note(in names: inout EpisodeTraces.FormerNames) throws {
    guard kind == "url" else { return names.guids.append(name) }
    names.enclosures.append(try Damaged.checked("episode_names.name", try? WebAddress(name)))
  }
}
