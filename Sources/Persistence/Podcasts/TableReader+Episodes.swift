import Flux
import GRDB
import PodfluxCore
import Texts

/// Pages of episodes.
extension TableReader {
  /// A page of the episodes. Cost: the rows of the page and those that the condition passes over; an index has the rows of
  /// each order, and those of each feed.
  public func episodes(_ query: EpisodesQuery, at moment: ConditionMoment) throws -> EpisodesSnapshot {
    let conditions = EpisodeConditionSQL(at: moment, in: db)
    let scope = try conditions.predicate(query.condition)
    let isOfFeeds = try conditions.feeds(query.condition)?.isEmpty == false
    var items: [EpisodesSnapshot.Item] = []
    for part in query.order.parts(behind: query.after) where items.count <= query.limit {
      let rows = Predicate.all([part.scope, scope])
      let use = isOfFeeds ? "INDEXED BY episodes_feed" : part.use
      let statement = try db.makeStatement(
        sql: """
          \(StoredEpisode.select), (SELECT id FROM feeds WHERE feeds.key = episodes.feed),
            (SELECT state FROM downloads WHERE downloads.id = episodes.download)
          FROM episodes \(use) WHERE \(rows.sql) ORDER BY \(part.sorting) LIMIT ?
          """)
      items += try ShownEpisode.fetchAll(
        statement, arguments: StatementArguments(rows.values + [query.limit + 1 - items.count])
      ).map(\.item)
    }
    let hasMore = items.count > query.limit
    if hasMore { items.removeLast() }
    return EpisodesSnapshot(
      count: try Int64.fetchOne(db.cachedStatement(sql: "SELECT coalesce(sum(episodes), 0) FROM feeds")) ?? 0,
      items: items, fields: query.fields,
      next: hasMore ? items.last.map { EpisodeCursor(behind: $0.episode, in: query.order) } : nil)
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

/// A section of the ordered rows that one range of an index covers.
private struct EpisodePart {
  let index: String?
  let scope: Predicate
  let sorting: String

  var use: String { index.map { "INDEXED BY \($0)" } ?? "NOT INDEXED" }
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

  /// The sections behind a page's end: rows without a value come first.
  fileprivate func parts(behind cursor: EpisodeCursor?) -> [EpisodePart] {
    let (direction, beyond) = isReversed ? ("DESC", "<") : ("ASC", ">")
    guard let (name, index) = column else {
      let scope = cursor.map { Predicate("key \(beyond) ?", $0.key) } ?? .always
      return [EpisodePart(index: nil, scope: scope, sorting: "key \(direction)")]
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
      EpisodePart(index: index, scope: .all([Predicate("\(name) IS NULL"), $0]), sorting: "key \(direction)")
    }
    let otherPart = other.map {
      EpisodePart(index: index, scope: $0, sorting: "\(name) \(direction), key \(direction)")
    }
    return (isReversed ? [otherPart, nullPart] : [nullPart, otherPart]).compactMap(\.self)
  }
}

extension EpisodeCursor {
  /// Clients may forge a cursor: a value that does not fit the order becomes nil.
  fileprivate var databaseValue: (any DatabaseValueConvertible)? {
    switch (order.key, value) {
    case (.title, .text(let text?)): FoldedText.of(DownloadRow.text(text) ?? "")
    case (.published, .number(let number?)), (.size, .number(let number?)), (.seconds, .number(let number?)): number
    default: nil
    }
  }
}
