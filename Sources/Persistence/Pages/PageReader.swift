import GRDB
import PodfluxCore

/// Finds the keys of a page: it sorts the candidates if they are few, else it scans the rows in order and skips those
/// that do not match. Either way reads only a part of the table.
struct PageReader {
  /// The thresholds between the strategies.
  struct Limits {
    /// How many rows are sorted at most.
    var sorted = 5000
    /// How many rows are sorted at most if an index has them in order.
    var sortedInstead = 1500
    /// How many keys are held in memory at most while scanning an index that has the rows in order.
    var remembered = 50_000
    /// How many rows that contain a text are sorted at most.
    var sortedHits = 20_000
    /// How many rows are scanned for a text before its index is used, which costs as much as there are hits.
    var probed = 1000
    /// How many rows are sampled to find the frequent words of a text.
    var sampled = 200
    /// In how many of the sampled rows a frequent word occurs.
    var frequent = 25
    /// How many rows are scanned for frequent words at most before the index is used for them.
    var judged = 20_000
  }

  let db: Database
  let conditions: ConditionSQL
  let condition: Condition
  /// The text to search for; nil for none.
  let text: TextQuery?
  let order: OrderSQL
  let today: LocalDay
  let limits: Limits

  /// The first keys after a page's end.
  func keys(behind cursor: OrderCursor?, limit: Int) throws -> [Int64] {
    let predicate = try conditions.predicate(condition)
    guard predicate.sql != Predicate.never.sql else { return [] }
    guard let text else { return try keys(predicate, behind: cursor, limit: limit) }
    guard !text.words.isEmpty else { return [] }
    return try keys(of: text, predicate, behind: cursor, limit: limit)
  }

  private func keys(_ predicate: Predicate, behind cursor: OrderCursor?, limit: Int) throws -> [Int64] {
    let (classes, isExact) = conditions.candidates(condition)
    if let few = try few(classes) {
      let rows = Predicate.all([few.scope, predicate, order.behind(cursor)])
      return try Selected(few.use, rows, order.sorting).keys(limit, in: db)
    }
    let isNarrowed = classes.count < conditions.classes.count
    if isExact, isNarrowed || order.order.key == .state, let merged = merge(classes) {
      return try merged.keys(behind: cursor, limit: limit)
    }
    let remembered = try remembered(classes)
    // If classes alone decide, every remembered key matches: no row is read.
    let scope = if let remembered, isExact { remembered } else { Predicate.all([remembered ?? .always, predicate]) }
    guard let parts = order.parts(behind: cursor, of: isNarrowed ? classes : nil, today: today) else {
      return try ClassMerge(db: db, groups: stateGroups(), order: order, filter: scope)
        .keys(behind: cursor, limit: limit)
    }
    var found: [Int64] = []
    for part in parts where found.count < limit {
      found += try Selected(part, scope, order).keys(limit - found.count, in: db)
    }
    return found
  }

  // MARK: Few rows

  /// The source of the candidate rows.
  typealias Candidates = (use: String, scope: Predicate)

  /// The source of the candidates, if they are few.
  func few(_ classes: [ConditionSQL.Known]) throws -> Candidates? {
    if let named = try ConditionSQL.named(condition) {
      // The rows come in the order of their keys, which is that of adding.
      let limit = order.order.key == .added ? limits.remembered : limits.sorted
      if try hasAtMost(limit, named) { return ("NOT INDEXED", Self.keys(of: named)) }
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
    return ("INDEXED BY downloads_\(column)", Predicate("\(column) IN (SELECT value FROM json_each(?))", list))
  }

  /// Whether an index without classes has the rows in order.
  private var hasIndex: Bool { order.order.key != .added && order.order.key != .state }

  /// The candidates, if few enough to hold in memory: scanning an index is cheap as long as no row is read.
  private func remembered(_ classes: [ConditionSQL.Known]) throws -> Predicate? {
    guard hasIndex else { return nil }
    if let named = try ConditionSQL.named(condition), try hasAtMost(limits.remembered, named) {
      return Self.keys(of: named)
    }
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

  private static func keys(of named: Predicate) -> Predicate {
    Predicate("key IN (SELECT key FROM downloads WHERE \(named.sql))", values: named.values)
  }

  private func hasAtMost(_ limit: Int, _ named: Predicate) throws -> Bool {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM downloads WHERE \(named.sql) LIMIT ?)"
    let arguments = StatementArguments(named.values + [limit + 1])
    return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) ?? 0 <= limit
  }

  private func hasAtMost(_ limit: Int, _ column: String, _ list: String) throws -> Bool {
    let sql = """
      SELECT count(*) FROM (
        SELECT 1 FROM downloads INDEXED BY downloads_\(column)
        WHERE \(column) IN (SELECT value FROM json_each(?)) LIMIT ?)
      """
    return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [list, limit + 1]) ?? 0 <= limit
  }

  // MARK: Classes

  /// Merges classes for an order in which the index already has each class sorted.
  private func merge(_ classes: [ConditionSQL.Known]) -> ClassMerge? {
    switch order.order.key {
    case .added: ClassMerge(db: db, groups: [ClassMerge.Group(classes)], order: order, filter: .always)
    case .state: ClassMerge(db: db, groups: stateGroups(of: classes), order: order, filter: .always)
    case .published, .title, .size, .position: nil
    }
  }

  func stateGroups(of classes: [ConditionSQL.Known]? = nil) -> [ClassMerge.Group] {
    let classes = classes ?? conditions.candidates(condition).classes
    let groups = DownloadState.Kind.allCases.map { kind in
      let seen = classes.filter { $0.isSeen(as: kind) }
      return ClassMerge.Group(seen, state: kind, isMixed: seen.contains(where: \.isMixed))
    }
    return order.order.isReversed ? groups.reversed() : groups
  }
}
