import Flux
import GRDB
import PodfluxCore
import Texts

/// Pages of episodes.
extension TableReader {
  /// How many episodes there are. Cost: the feeds, each of which has its number.
  package func episodeCount() throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT coalesce(sum(episodes), 0) FROM feeds")) ?? 0
  }

  /// A page of the episodes that the filters show. Cost: the rows of the page and those that the condition passes over
  /// in feeds that have something to show; in each order but that of adding, also two look-ups for each eight feeds,
  /// twice the page's keys where it is longer than there are eights, and what is passed over up to four times.
  package func episodes(
    _ query: EpisodesQuery, filters selection: FilterSelection = .init(), at moment: ConditionMoment
  ) throws -> EpisodesSnapshot {
    let conditions = EpisodeConditionSQL(at: moment, in: db)
    var scope = try conditions.predicate(query.condition)
    // The indexes of orders do not know the feed: while no feed is on its way out, rows need not be read for it.
    if try Int64.fetchOne(db.cachedStatement(sql: "SELECT key FROM left_feeds LIMIT 1")) != nil {
      scope = .all([scope, Predicate(StoredEpisode.isOfFeed)])
    }
    var chosen = try conditions.feeds(query.condition)
    if !query.isUnfiltered, selection.isFiltering {
      let shown = try EpisodeFilter(selection, at: moment, in: db)
      scope = .all([scope, shown.scope])
      if let feeds = shown.feeds { chosen = chosen.map(feeds.intersection) ?? shown.worthwhile(for: query.order) }
    }
    if chosen?.isEmpty == true { scope = .never }
    let feeds = chosen?.sorted()
    var items: [EpisodesSnapshot.Item] = []
    // SQLite takes no partial index for what nothing meets.
    for part in query.order.parts(behind: query.after) where items.count <= query.limit && !scope.isNever {
      let section = EpisodeSection(
        part: part, scope: .all([part.scope, scope]), isReversed: query.order.isReversed,
        limit: query.limit + 1 - items.count)
      items += try part.use(for: feeds).map { try walked(section, $0) } ?? merged(section, of: feeds)
    }
    let hasMore = items.count > query.limit
    if hasMore { items.removeLast() }
    if query.fields?.contains(.because) ?? true { try explain(&items, at: moment) }
    return EpisodesSnapshot(
      count: try episodeCount(),
      items: items, fields: query.fields,
      next: hasMore ? items.last.map { EpisodeCursor(behind: $0.episode, in: query.order) } : nil)
  }

  /// The first episodes of a section, of which an index has all in order.
  private func walked(_ section: EpisodeSection, _ use: String) throws -> [EpisodesSnapshot.Item] {
    try shown(
      "FROM episodes \(use) WHERE \(section.scope.sql) ORDER BY \(section.sorting) LIMIT ?",
      section.scope.values + [section.limit])
  }

  /// The first episodes of a section. Each eight feeds have their episodes in order. No episode is among the first
  /// `limit` whose eight is not among those with the first `limit` first episodes; nor any behind the bound, where
  /// there is one.
  private func merged(_ section: EpisodeSection, of feeds: [Int64]?) throws -> [EpisodesSnapshot.Item] {
    let heads = try self.heads(of: section, in: feeds)
    guard !heads.isEmpty else { return [] }
    var rows = section.scope
    if let bound = try bound(of: section, heads) { rows = .all([rows, section.upTo(bound)]) }
    let list = try ConditionSQL.list(heads.map(\.eight))
    return try shown(
      """
      FROM (SELECT value AS number FROM json_each(?)) AS chosen CROSS JOIN episodes
      WHERE episodes.key IN (
        SELECT key FROM episodes \(section.use) WHERE feed >> 3 = chosen.number AND \(rows.sql)
        ORDER BY \(section.sorting) LIMIT ?)
      ORDER BY \(section.sorting) LIMIT ?
      """, [list] + rows.values + [section.limit, section.limit])
  }

  /// An episode behind which none of the first `limit` is. Where there are fewer eights than episodes are wanted, it is
  /// the one at that place among the first few of each.
  ///
  /// - Returns: nil for one eight, and where the first few of each are fewer than are wanted: the last page, and
  ///   conditions that few episodes meet.
  private func bound(of section: EpisodeSection, _ heads: [EpisodeHead]) throws -> EpisodeHead? {
    guard heads.count < section.limit else { return heads.last }
    guard heads.count > 1 else { return nil }
    let each = (2 * section.limit + heads.count - 1) / heads.count
    let statement = try db.makeStatement(
      sql: """
        SELECT feed >> 3, \(section.part.value), key
        FROM (SELECT value AS number FROM json_each(?)) AS chosen CROSS JOIN episodes
        WHERE episodes.key IN (
          SELECT key FROM episodes \(section.use) WHERE feed >> 3 = chosen.number AND \(section.scope.sql)
          ORDER BY \(section.sorting) LIMIT ?)
        ORDER BY \(section.sorting) LIMIT 1 OFFSET ?
        """)
    let list = try ConditionSQL.list(heads.map(\.eight))
    return try Row.fetchOne(
      statement, arguments: StatementArguments([list] + section.scope.values + [each, section.limit - 1])
    ).map(EpisodeHead.init)
  }

  /// The eights of feeds with the first first episodes of a section, in the order of those.
  private func heads(of section: EpisodeSection, in feeds: [Int64]?) throws -> [EpisodeHead] {
    let first = "FROM episodes \(section.use) WHERE feed >> 3 = eights.number AND \(section.scope.sql)"
    let scope = feeds.map { "WHERE key IN (\($0.map(String.init).joined(separator: ", ")))" } ?? ""
    let direction = section.isReversed ? "DESC" : "ASC"
    let statement = try db.makeStatement(
      sql: """
        WITH heads (eight, value, number) AS MATERIALIZED (
          SELECT eights.number, (SELECT \(section.part.value) \(first) ORDER BY \(section.sorting) LIMIT 1),
            (SELECT key \(first) ORDER BY \(section.sorting) LIMIT 1)
          FROM (SELECT DISTINCT key >> 3 AS number FROM feeds \(scope)) AS eights)
        SELECT eight, value, number FROM heads WHERE number IS NOT NULL
        ORDER BY value \(direction), number \(direction) LIMIT ?
        """)
    let values = section.scope.values
    return try Row.fetchAll(statement, arguments: StatementArguments(values + values + [section.limit])).map(
      EpisodeHead.init)
  }

  private func shown(
    _ rows: String, _ values: [any DatabaseValueConvertible]
  ) throws -> [EpisodesSnapshot.Item] {
    let statement = try db.makeStatement(
      sql: """
        \(StoredEpisode.select), (SELECT id FROM feeds WHERE feeds.key = episodes.feed),
          (SELECT state FROM downloads WHERE downloads.id = episodes.download)
        \(rows)
        """)
    return try ShownEpisode.fetchAll(statement, arguments: StatementArguments(values)).map(\.item)
  }
}

/// The episodes of a part that are wanted.
private struct EpisodeSection {
  let part: EpisodePart
  let scope: Predicate
  let isReversed: Bool
  /// How many episodes are wanted.
  let limit: Int

  var use: String { part.index.map { "INDEXED BY \($0)" } ?? "" }

  var sorting: String {
    let direction = isReversed ? "DESC" : "ASC"
    return part.hasValue ? "\(part.value) \(direction), key \(direction)" : "key \(direction)"
  }

  /// Whether an episode is not behind another one.
  func upTo(_ head: EpisodeHead) -> Predicate {
    let comparison = isReversed ? ">=" : "<="
    return part.hasValue
      ? Predicate("(\(part.value), key) \(comparison) (?, ?)", head.value, head.number)
      : Predicate("key \(comparison) ?", head.number)
  }
}

/// The first episode of eight feeds in a section.
private struct EpisodeHead {
  let eight: Int64
  let value: DatabaseValue
  let number: DatabaseValue

  init(_ row: Row) throws {
    eight = try Damaged.checked("feeds.key", Int64.fromDatabaseValue(row[0]))
    (value, number) = (row[1], row[2])
  }
}

/// An episode with what its feed and its download say.
private struct ShownEpisode: StatementRow {
  let item: EpisodesSnapshot.Item

  init(_ columns: inout ColumnReader) throws {
    let episode = try StoredEpisode(&columns).episode
    let feed = try Damaged.checked("feeds.id", FeedID(columns.next()))
    let state = try (columns.next() as String?).map { try Damaged.checked("state", DownloadState.Kind(rawValue: $0)) }
    item = EpisodesSnapshot.Item(episode: episode, feed: feed, state: state)
  }
}

extension EpisodeCursor {
  init(behind episode: Episode, in order: EpisodeOrder) {
    let content = episode.content
    let value: OrderCursor.Value =
      switch order.key {
      case .added: .none
      case .published: .number(content.published?.moment.milliseconds)
      case .title: .text(content.title)
      case .size: .number(content.enclosure?.length)
      case .seconds: .number(content.seconds)
      }
    self.init(order: order, value: value, key: episode.id.number)
  }
}

/// A part of the ordered episodes: those without a value for the order, or those with one.
private struct EpisodePart {
  private static let noValue = "NULL"

  /// The index that has the episodes of each eight feeds in the order; nil for the order of adding.
  let index: String?
  let scope: Predicate
  /// What the order looks at: a column, or NULL where no episode of the part has a value.
  let value: String

  init(index: String?, scope: Predicate, value: String? = nil) {
    self.index = index
    self.scope = scope
    self.value = value ?? Self.noValue
  }

  var hasValue: Bool { value != Self.noValue }

  /// How SQLite reads the part's episodes of these feeds, or of all, in order; nil if they are merged from the eights.
  func use(for feeds: [Int64]?) -> String? {
    switch (index, feeds) {
    case (nil, let feeds?) where !feeds.isEmpty: "INDEXED BY episodes_feed"
    case (nil, _): "NOT INDEXED"
    case (let index?, nil) where !hasValue: "INDEXED BY \(index)_unknown"
    case (_?, _): nil
    }
  }
}

extension EpisodeOrder {
  private var column: (name: String, index: String)? {
    switch key {
    case .added: nil
    case .published: ("published", "episodes_published")
    case .title: ("title_key", "episodes_title")
    case .size: ("bytes", "episodes_bytes")
    case .seconds: ("seconds", "episodes_seconds")
    }
  }

  /// The parts behind a page's end: episodes without a value come first.
  fileprivate func parts(behind cursor: EpisodeCursor?) -> [EpisodePart] {
    let beyond = isReversed ? "<" : ">"
    guard let (name, index) = column else {
      let scope = cursor.map { Predicate("key \(beyond) ?", $0.key) } ?? .always
      return [EpisodePart(index: nil, scope: scope)]
    }
    var (null, other): (Predicate?, Predicate?) = (.always, Predicate("\(name) IS NOT NULL"))
    if let cursor {
      if let value = cursor.databaseValue {
        other = Predicate("(\(name), key) \(beyond) (?, ?)", value, cursor.key)
        null = isReversed ? .always : nil
      } else {
        null = Predicate("key \(beyond) ?", cursor.key)
        if isReversed { other = nil }
      }
    }
    let nullPart = null.map {
      EpisodePart(index: index, scope: .all([Predicate("\(name) IS NULL"), $0]))
    }
    let otherPart = other.map { EpisodePart(index: index, scope: $0, value: name) }
    return (isReversed ? [otherPart, nullPart] : [nullPart, otherPart]).compactMap(\.self)
  }
}

extension EpisodeCursor {
  /// Clients may forge a cursor: a value that does not fit the order becomes nil.
  fileprivate var databaseValue: (any DatabaseValueConvertible)? {
    switch (order.key, value) {
    case (.title, .text(let text?)): FoldedText.of(DownloadRow.text(text))
    case (.published, .number(let number?)), (.size, .number(let number?)), (.seconds, .number(let number?)): number
    default: nil
    }
  }
}
