import GRDB
import PodfluxCore

/// Pages of rows that contain a text.
extension PageReader {
  /// The first keys after a page's end: by scanning if most rows contain the text, else with the index.
  func keys(
    of text: TextQuery, _ predicate: Predicate, behind cursor: OrderCursor?, limit: Int
  ) throws -> [Int64] {
    if let found = try probed(text, predicate, behind: cursor, limit: limit) { return found }
    let search = try TextSearch(text, sampling: limits.sampled, frequent: limits.frequent, in: db)
    if let few = try few(search) {
      let rows = Predicate.all([few.scope, predicate, order.behind(cursor)])
      return try Selected(few.use, rows, order.sorting).keys(limit, judgedBy: search.judged, atMost: .max, in: db) ?? []
    }
    return try walked(search.withIndex, predicate, behind: cursor, limit: limit)
      ?? walked(TextSearch(sought: text), predicate, behind: cursor, limit: limit) ?? []
  }

  /// The source of the rows that contain the rare words, or of the candidates, if they are few.
  private func few(_ search: TextSearch) throws -> Candidates? {
    if let sought = search.sought, let hits = try sought.hits(atMost: limits.sortedHits, in: db) {
      return ("NOT INDEXED", Predicate("key IN (SELECT value FROM json_each(?))", try ConditionSQL.list(hits)))
    }
    guard let few = try few(conditions.candidates(condition).classes) else { return nil }
    return (few.use, .all([few.scope, hits(of: search.sought)]))
  }

  /// Scans the rows in order; nil if too many of them contain the rare words but not the frequent ones.
  private func walked(
    _ search: TextSearch, _ predicate: Predicate, behind cursor: OrderCursor?, limit: Int
  ) throws -> [Int64]? {
    let scope = Predicate.all([predicate, hits(of: search.sought)])
    let classes = conditions.candidates(condition).classes
    let isNarrowed = classes.count < conditions.classes.count
    guard let parts = order.parts(behind: cursor, of: isNarrowed ? classes : nil, today: today) else {
      // A merge of classes would hold all hits in memory for each of them.
      return try Selected("NOT INDEXED", .all([scope, order.behind(cursor)]), order.sorting)
        .keys(limit, judgedBy: search.judged, atMost: limits.judged, in: db)
    }
    var found: [Int64] = []
    for part in parts where found.count < limit {
      guard
        let more = try Selected(part, scope, order)
          .keys(limit - found.count, judgedBy: search.judged, atMost: limits.judged, in: db)
      else { return nil }
      found += more
    }
    return found
  }

  /// Whether a row contains the text. Holds all hits in memory: the index would compute them again for each row.
  private func hits(of text: TextQuery?) -> Predicate {
    guard let text else { return .always }
    return Predicate("key IN (SELECT rowid FROM texts WHERE texts MATCH ?)", text.expression)
  }

  // MARK: Probing

  /// The page, if scanning a limited number of rows fills it or reaches the end; nil otherwise. This is fast for words
  /// that most rows contain.
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
          SELECT key, title_key, podcast, \(predicate.sql) AS "that was read" FROM downloads \(part.use)
          WHERE \(part.scope.sql) ORDER BY \(part.sorting(order.direction)) LIMIT ?
          """)
      let values: [any DatabaseValueConvertible] = predicate.values + part.scope.values + [left]
      for row in try TextRow.fetchAll(statement, arguments: StatementArguments(values)) {
        left -= 1
        guard row.fits, try text.isMet(by: row.texts) else { continue }
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
    let statement = try db.cachedStatement(sql: "SELECT key, title_key, podcast, 1 FROM downloads WHERE key = ?")
    let found = try first.filter { key in
      try TextRow.fetchAll(statement, arguments: [key]).contains { try text.isMet(by: $0.texts) }
    }
    return found.count >= limit || first.count < limits.probed ? Array(found.prefix(limit)) : nil
  }
}

/// Rows of `downloads` with their source and order.
struct Selected {
  private let rows: String
  private let values: [any DatabaseValueConvertible]

  /// Rows that match a condition, with this index and order.
  init(_ use: String, _ scope: Predicate, _ sorting: Predicate) {
    rows = "FROM downloads \(use) WHERE \(scope.sql) ORDER BY \(sorting.sql)"
    values = scope.values + sorting.values
  }

  /// The rows of a section that match a condition.
  init(_ part: OrderSQL.Part, _ scope: Predicate, _ order: OrderSQL) {
    self.init(part.use, .all([part.scope, scope]), Predicate(part.sorting(order.direction)))
  }

  /// The first keys.
  func keys(_ limit: Int, in db: Database) throws -> [Int64] {
    // Not cached: client input shapes the statement, and the cache would grow without bound.
    let statement = try db.makeStatement(sql: "SELECT key \(rows) LIMIT ?")
    return try Int64.fetchAll(statement, arguments: StatementArguments(values + [limit]))
  }

  /// The first keys of rows that contain a text; nil if this many rows are not enough to find them.
  func keys(_ limit: Int, judgedBy text: TextQuery?, atMost rowLimit: Int, in db: Database) throws -> [Int64]? {
    guard let text else { return try keys(limit, in: db) }
    let statement = try db.makeStatement(sql: "SELECT key, title_key, podcast, 1 \(rows)")
    var (found, left) = ([Int64](), rowLimit)
    try TextRow.walk(statement, arguments: StatementArguments(values)) { row in
      left -= 1
      if left >= 0, try text.isMet(by: row.texts) { found.append(row.key) }
      return left >= 0 && found.count < limit
    }
    return left >= 0 ? found : nil
  }
}
