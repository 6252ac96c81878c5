import Flux
import GRDB
import PodfluxCore
import Texts

/// Counts of episodes that match filters.
extension TableReader {
  /// The filters with the number of episodes that each would show. Cost: the existing combinations of feed and traits,
  /// or with a text the episodes.
  package func episodeFilters(_ state: FiltersState, at moment: ConditionMoment) throws -> FiltersSnapshot.Part {
    var counter = FilterCounter<EpisodeTraits>(state.selection, podcastKey: FoldedText.of)
    let names = try StoredPodcastName.fetchAll(db.cachedStatement(sql: StoredPodcastName.select))
    let podcasts = Dictionary(names.map { ($0.feed, $0) }) { first, _ in first }
    var known: [PackedEpisodeTraits: EpisodeTraits] = [:]
    try forEachFacet(matching: try TextQuery(state.selection.text, in: db)) { facet, number in
      guard let podcast = podcasts[facet.feed] else { return }
      let traits = try known[facet.row] ?? facet.row.traits()
      known[facet.row] = traits
      counter.count(number, podcast: podcast.name, key: podcast.key, traits: traits)
    }
    return FiltersSnapshot.Part(groups: counter.groups(), state: state)
  }

  private func forEachFacet(
    matching text: TextQuery?, _ body: (EpisodeCounts.Facet, Int) throws -> Void
  ) throws {
    guard let text else {
      return try CountedEpisodes.forEach(db.cachedStatement(sql: CountedEpisodes.select)) {
        try body($0.facet, $0.number)
      }
    }
    let today = try CalendarDay().today(in: db)
    let scope = try text.amongEpisodes(in: db)
    try EpisodeCounts().forEach(in: db, from: "episodes", where: scope, isCached: false) {
      try body($0.facet(on: today), 1)
    }
  }
}

/// What filters show of the episodes, for a query.
struct EpisodeFilter {
  /// The condition on rows.
  let scope: Predicate
  /// The feeds that have something to show; nil if only a text narrows the episodes.
  let feeds: Set<Feed.Key>?
  /// How many feeds have episodes.
  private let feedCount: Int

  /// How many feeds are walked together at most in the order of adding, which has no index within feeds.
  private static let fewFeeds = 32

  /// Cost: the existing combinations of feed and traits.
  init(_ selection: FilterSelection, at moment: ConditionMoment, in db: Database) throws {
    // The counts are those of the calendar's day, which a query may be ahead of.
    var counted = moment
    counted.today = try CalendarDay().today(in: db)
    var parts = [try EpisodeConditionSQL(at: counted, in: db).predicate(selection.condition())]
    if let text = try TextQuery(selection.text, in: db) { parts.append(try text.amongEpisodes(in: db)) }
    guard !selection.active.isEmpty else {
      (scope, feeds, feedCount) = (.all(parts), nil, 0)
      return
    }
    var (all, shown) = (Set<Feed.Key>(), Set<Feed.Key>())
    var known: [PackedEpisodeTraits: Bool] = [:]
    try CountedEpisodes.forEach(db.cachedStatement(sql: CountedEpisodes.select)) { counted in
      let (feed, row) = (counted.facet.feed, counted.facet.row)
      all.insert(feed)
      let isShown = try known[row] ?? selection.shows(row.traits())
      known[row] = isShown
      if isShown { shown.insert(feed) }
    }
    let named = try EpisodeConditionSQL(at: counted, in: db).feeds(selection.condition())
    shown = named.map(shown.intersection) ?? shown
    scope = shown.isEmpty ? .never : .all(parts)
    (feeds, feedCount) = (shown, all.count)
  }

  /// The feeds to which a walk in an order is worth to be limited; nil for all.
  func worthwhile(for order: EpisodeOrder) -> Set<Feed.Key>? {
    let limit = order.key == .added ? Self.fewFeeds : feedCount / 2
    return feeds.flatMap { $0.count <= limit ? $0 : nil }
  }
}

extension TextQuery {
  /// Whether an episode's title and its feed's have the words. A text of symbols alone is in none. Cost: the feeds.
  fileprivate func amongEpisodes(in db: Database) throws -> Predicate {
    guard !words.isEmpty else { return .never }
    let feeds = try StoredPodcastName.fetchAll(db.cachedStatement(sql: StoredPodcastName.select))
    return .all(
      try words.map { word in
        // SQLite's own search leaves few titles to look at.
        let inTitle = Predicate(
          "coalesce(instr(title_key, ?) > 0 AND begins_word(title_key, ?), 0)", word, word)
        let named = feeds.filter { FoldedText.beginsWord(of: $0.key, with: word) }.map(\.feed)
        guard !named.isEmpty else { return inTitle }
        return .any([Predicate("feed IN (SELECT value FROM json_each(?))", try ConditionSQL.list(named)), inTitle])
      })
  }
}

/// A facet of episodes and its number.
private struct CountedEpisodes: StatementRow {
  let facet: EpisodeCounts.Facet
  let number: Int

  static let select = "SELECT feed, class, number FROM episode_facets"

  init(_ columns: inout ColumnReader) throws {
    facet = EpisodeCounts.Facet(feed: try columns.next(.log), row: PackedEpisodeTraits(code: try columns.next()))
    number = Int(try columns.next(.count))
  }
}

/// The title of a feed as clients see it, and folded.
private struct StoredPodcastName: StatementRow {
  let feed: Feed.Key
  let name: String
  let key: String

  static let select = """
    SELECT key, coalesce(title, own_title, host) AS "feeds.title, own_title or host", title_key FROM feeds
    """

  init(_ columns: inout ColumnReader) throws {
    feed = try columns.next(.log)
    (name, key) = (try columns.next(), try columns.next())
  }
}
