import GRDB
import PodfluxCore
import Texts

/// Pages and counts of downloads that match conditions and filters.
extension TableReader {
  /// A page of the downloads that match a query and the filters.
  ///
  /// Cost: a look-up for each existing class, then some thousand rows. If the condition searches titles for a
  /// substring, as many rows as it takes to fill the page.
  package func page(
    _ query: DownloadsQuery, filters: FilterSelection, at moment: ConditionMoment
  ) throws -> (downloads: [Download], next: OrderCursor?) {
    try page(query, filters: filters, at: moment, limits: PageReader.Limits())
  }

  func page(
    _ query: DownloadsQuery, filters: FilterSelection, at moment: ConditionMoment, limits: PageReader.Limits
  ) throws -> (downloads: [Download], next: OrderCursor?) {
    let conditions = try ConditionSQL(at: moment, in: db)
    let reader = PageReader(
      db: db, conditions: conditions,
      condition: query.isUnfiltered ? query.condition : .all([filters.condition(), query.condition]),
      text: query.isUnfiltered ? nil : try TextQuery(filters.text, in: db),
      order: OrderSQL(order: query.order, stateRank: try conditions.stateRank), today: try CalendarDay().today(in: db),
      limits: limits)
    let keys = try reader.keys(behind: query.after, limit: query.limit + 1)
    let rows = try downloads(of: keys.prefix(query.limit))
    let next =
      keys.count > query.limit
      ? rows.last.map { OrderCursor(behind: $0, in: query.order, moment.obstacles) } : nil
    return (rows.map(\.download), next)
  }

  private func downloads(of keys: some Sequence<Int64>) throws -> [StoredDownload] {
    let statement = try db.cachedStatement(sql: DownloadRow.select + "WHERE key = ?")
    return try keys.flatMap { try StoredDownload.fetchAll(statement, arguments: [$0]) }
  }

  /// The filters with what each would show.
  package func filters(_ states: FilterStates, at moment: ConditionMoment) throws -> FiltersSnapshot {
    FiltersSnapshot(
      downloads: try filters(states.downloads, at: moment), episodes: try episodeFilters(states.episodes, at: moment))
  }

  /// The filters with the number of downloads that each would show. Cost: the existing combinations of podcast and
  /// traits, or the downloads that contain the text.
  package func filters(_ state: FiltersState, at moment: ConditionMoment) throws -> FiltersSnapshot.Part {
    try filters(state, at: moment, limits: PageReader.Limits())
  }

  func filters(
    _ state: FiltersState, at moment: ConditionMoment, limits: PageReader.Limits
  ) throws -> FiltersSnapshot.Part {
    var counter = FilterCounter<Traits>(state.selection)
    let special = try SpecialHosts(moment.obstacles, in: db)
    let groups = special.groups.enumerated().reduce(into: [String: Int]()) { groups, group in
      for host in group.element.hosts { groups[host] = group.offset }
    }
    var known: [PackedTraits: ConditionSQL.Known] = [:]
    try forEachFacet(matching: try TextQuery(state.selection.text, in: db), limits) { row in
      let found = try known[row.facet.row] ?? ConditionSQL.Known(row.facet.row, moment.obstacles, special)
      known[row.facet.row] = found
      let group = groups.isEmpty ? nil : groups[row.facet.host]
      counter.count(
        row.number, podcast: row.facet.podcast, traits: group.map { found.special[$0] } ?? found.plain)
    }
    return FiltersSnapshot.Part(groups: counter.groups(), state: state)
  }

  private func forEachFacet(
    matching text: TextQuery?, _ limits: PageReader.Limits, _ body: (CountedFacet) throws -> Void
  ) throws {
    guard let text else {
      let sql = "SELECT host, class, nullif(podcast, 0), number FROM facets"
      return try CountedFacet.forEach(db.cachedStatement(sql: sql), body)
    }
    guard !text.words.isEmpty else { return }
    let search = try TextSearch(text, sampling: limits.sampled, frequent: limits.frequent, in: db)
    if let judged = search.judged, let hits = try search.sought?.hits(atMost: limits.judged, in: db) {
      let sql = """
        SELECT host, class, podcast, 1, title_key FROM downloads NOT INDEXED
        WHERE key IN (SELECT value FROM json_each(?))
        """
      return try JudgedFacet.forEach(db.cachedStatement(sql: sql), arguments: [ConditionSQL.list(hits)]) { row in
        if try judged.isMet(by: [row.title, row.counted.facet.podcast.map(FoldedText.of)]) { try body(row.counted) }
      }
    }
    let sql = """
      SELECT host, class, podcast, count(*)
      FROM (SELECT rowid AS hit FROM texts WHERE texts MATCH ?) CROSS JOIN downloads ON key = hit GROUP BY 1, 2, 3
      """
    try CountedFacet.forEach(db.cachedStatement(sql: sql), arguments: [text.expression], body)
  }
}

/// A row's facet, and its text columns for further conditions.
private struct JudgedFacet: StatementRow {
  let counted: CountedFacet
  let title: String?

  init(_ columns: inout ColumnReader) throws {
    counted = try CountedFacet(&columns)
    title = try columns.next()
  }
}
