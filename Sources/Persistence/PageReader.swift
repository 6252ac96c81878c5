import GRDB
import PodfluxCore

/// Finds the keys of a page: by sorting the rows that come into question if they are few, else by going through the rows
/// in order and leaving out those that do not fit. Neither looks at more than a part of the table.
struct PageReader {
  /// Up to where which way is the shorter one.
  struct Limits {
    /// How many rows are sorted at most.
    var sorted = 5000
    /// How many rows are sorted at most where an index has them in order.
    var sortedInstead = 1500
    /// How many keys are remembered at most while going through an index that has the rows in order.
    var remembered = 50_000
    /// How many rows are sorted at most that a text is found in.
    var sortedHits = 20_000
    /// How many rows are looked at for a text before its index is asked, which costs as much as there are hits.
    var probed = 1000
  }

  let db: Database
  let conditions: ConditionSQL
  let condition: Condition
  /// What is looked for in the texts; nil for nothing.
  let text: TextQuery?
  let order: OrderSQL
  let today: Int64
  let limits: Limits

  /// The first keys behind a page's end.
  func keys(behind cursor: OrderCursor?, limit: Int) throws -> [Int64] {
    let predicate = try conditions.predicate(condition)
    guard predicate.sql != Predicate.never.sql else { return [] }
    let (classes, isExact) = conditions.candidates(condition)
    if let text, let found = try probed(text, predicate, behind: cursor, limit: limit) { return found }
    if let candidates = try few(classes) {
      return try keys(
        "SELECT key FROM downloads \(candidates.index)",
        .all([candidates.scope, predicate, order.behind(cursor), candidates.hasText ? .always : try hits()]),
        order.sorting, limit)
    }
    let isNarrowed = classes.count < conditions.classes.count
    if text == nil, isExact, isNarrowed || order.order.key == .state, let merged = merge(classes) {
      return try merged.keys(behind: cursor, limit: limit)
    }
    let remembered = try remembered(classes)
    // Where classes alone decide, whatever is remembered fits: no row has to be looked up.
    let scope =
      if let remembered, isExact { remembered } else { Predicate.all([remembered ?? .always, predicate, try hits()]) }
    guard let parts = order.parts(behind: cursor, of: isNarrowed ? classes : nil, today: today) else {
      guard text == nil else {
        // Going through the classes would remember all hits for each of them.
        return try keys(
          "SELECT key FROM downloads NOT INDEXED", .all([scope, order.behind(cursor)]), order.sorting, limit)
      }
      return try ClassMerge(db: db, groups: stateGroups(), order: order, filter: scope)
        .keys(behind: cursor, limit: limit)
    }
    var found: [Int64] = []
    for part in parts where found.count < limit {
      found += try keys(
        "SELECT key FROM downloads \(part.use)",
        .all([part.scope, scope]), Predicate(part.sorting(order.direction)), limit - found.count)
    }
    return found
  }

  private func keys(_ select: String, _ scope: Predicate, _ sorting: Predicate, _ limit: Int) throws -> [Int64] {
    // Prepared for this once: what clients say shapes the statement, and a cache of such would grow without end.
    let statement = try db.makeStatement(sql: "\(select) WHERE \(scope.sql) ORDER BY \(sorting.sql) LIMIT ?")
    return try Int64.fetchAll(statement, arguments: StatementArguments(scope.values + sorting.values + [limit]))
  }

  // MARK: Few rows

  /// Where rows that come into question are found, and whether the text has been looked for in them.
  private typealias Candidates = (index: String, scope: Predicate, hasText: Bool)

  /// Where the rows that come into question are found, if they are few.
  private func few(_ classes: [ConditionSQL.Known]) throws -> Candidates? {
    if let text, let hits = try hits(of: text, atMost: limits.sortedHits) {
      return ("NOT INDEXED", Predicate("key IN (SELECT value FROM json_each(?))", try ConditionSQL.list(hits)), true)
    }
    if let podcasts = try conditions.podcasts(condition) {
      let list = try ConditionSQL.list(podcasts)
      if let few = try few("podcast", list, atMost: limits.sorted) { return few }
    }
    guard classes.count < conditions.classes.count else { return nil }
    return try few(
      "class", try ConditionSQL.list(classes.map(\.row.code)),
      atMost: hasIndex ? limits.sortedInstead : limits.sorted)
  }

  private func few(
    _ column: String, _ list: String, atMost limit: Int
  ) throws -> Candidates? {
    guard try hasAtMost(limit, column, list) else { return nil }
    return ("INDEXED BY downloads_\(column)", Predicate("\(column) IN (SELECT value FROM json_each(?))", list), false)
  }

  /// Whether an index that knows no classes has the rows in order.
  private var hasIndex: Bool { order.order.key != .added && order.order.key != .state }

  /// The rows that come into question, if they are not too many to be remembered: going through an index costs little as
  /// long as none of its rows has to be looked up.
  private func remembered(_ classes: [ConditionSQL.Known]) throws -> Predicate? {
    guard hasIndex, text == nil else { return nil }
    if let podcasts = try conditions.podcasts(condition) {
      let list = try ConditionSQL.list(podcasts)
      if let keys = try remembered("podcast", list) { return keys }
    }
    guard classes.count < conditions.classes.count else { return nil }
    return try remembered("class", try ConditionSQL.list(classes.map(\.row.code)))
  }

  private func remembered(_ column: String, _ list: String) throws -> Predicate? {
    guard try hasAtMost(limits.remembered, column, list) else { return nil }
    return Predicate(
      """
      key IN (SELECT key FROM downloads INDEXED BY downloads_\(column)
      WHERE \(column) IN (SELECT value FROM json_each(?)))
      """, list)
  }

  private func hasAtMost(_ limit: Int, _ column: String, _ list: String) throws -> Bool {
    let sql = """
      SELECT count(*) FROM (
        SELECT 1 FROM downloads INDEXED BY downloads_\(column)
        WHERE \(column) IN (SELECT value FROM json_each(?)) LIMIT ?)
      """
    return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [list, limit + 1]) ?? 0 <= limit
  }

  // MARK: Texts

  /// The rows in which a text is found, if they are not more than so many. The index is asked once: the beginning of a
  /// word that stands in many rows is gathered anew each time.
  private func hits(of text: TextQuery, atMost limit: Int) throws -> [Int64]? {
    let sql = "SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?"
    let hits = try Int64.fetchAll(db.cachedStatement(sql: sql), arguments: [text.expression, limit + 1])
    return hits.count <= limit ? hits : nil
  }

  /// Whether the text is found in a row. All hits are remembered: the index goes through them for each question anew.
  private func hits() throws -> Predicate {
    guard let text else { return .always }
    return Predicate("key IN (SELECT rowid FROM texts WHERE texts MATCH ?)", text.expression)
  }

  /// The page, if it is full of hits, or the list at its end, before many rows have been looked at: so it is with words
  /// that are found nearly everywhere.
  private func probed(
    _ text: TextQuery, _ predicate: Predicate, behind cursor: OrderCursor?, limit: Int
  ) throws -> [Int64]? {
    guard let parts = order.parts(behind: cursor, of: nil, today: today) else {
      return try probedByState(text, predicate, behind: cursor, limit: limit)
    }
    var (found, left) = ([Int64](), limits.probed)
    for part in parts {
      let statement = try db.makeStatement(
        sql: """
          SELECT key, title, podcast, \(predicate.sql) FROM downloads \(part.use)
          WHERE \(part.scope.sql) ORDER BY \(part.sorting(order.direction)) LIMIT ?
          """)
      let values: [any DatabaseValueConvertible] = predicate.values + part.scope.values + [left]
      for row in try ProbedRow.fetchAll(statement, arguments: StatementArguments(values)) {
        left -= 1
        guard row.fits, try text.isMet(by: [row.title, row.podcast]) else { continue }
        found.append(row.key)
        if found.count == limit { return found }
      }
      if left <= 0 { return nil }
    }
    return found
  }

  /// The same in the order of states, which no index has.
  private func probedByState(
    _ text: TextQuery, _ predicate: Predicate, behind cursor: OrderCursor?, limit: Int
  ) throws -> [Int64]? {
    let first = try ClassMerge(db: db, groups: stateGroups(), order: order, filter: predicate)
      .keys(behind: cursor, limit: limits.probed)
    let statement = try db.cachedStatement(sql: "SELECT key, title, podcast, 1 FROM downloads WHERE key = ?")
    let found = try first.filter { key in
      try ProbedRow.fetchAll(statement, arguments: [key]).contains { try text.isMet(by: [$0.title, $0.podcast]) }
    }
    return found.count >= limit || first.count < limits.probed ? Array(found.prefix(limit)) : nil
  }

  // MARK: Classes

  /// Orders in which the rows of one class stand in the class's index already.
  private func merge(_ classes: [ConditionSQL.Known]) -> ClassMerge? {
    switch order.order.key {
    case .added: ClassMerge(db: db, groups: [ClassMerge.Group(classes)], order: order, filter: .always)
    case .state: ClassMerge(db: db, groups: stateGroups(of: classes), order: order, filter: .always)
    case .published, .title, .size, .position: nil
    }
  }

  private func stateGroups(of classes: [ConditionSQL.Known]? = nil) -> [ClassMerge.Group] {
    let classes = classes ?? conditions.candidates(condition).classes
    let groups = DownloadState.Kind.allCases.map { kind in
      ClassMerge.Group(
        classes.filter { $0.plain.kind == kind || $0.cooled.kind == kind && conditions.hasCoolingHosts },
        state: kind, isMixed: conditions.hasCoolingHosts)
    }
    return order.order.isReversed ? groups.reversed() : groups
  }
}

/// A row in which a text is looked for.
private struct ProbedRow: StatementRow {
  let key: Int64
  let title: String?
  let podcast: String?
  /// Whether it meets what else it has to.
  let fits: Bool

  init(_ columns: inout ColumnReader) throws {
    key = columns.next()
    title = columns.next()
    podcast = columns.next()
    fits = columns.next()
  }
}
