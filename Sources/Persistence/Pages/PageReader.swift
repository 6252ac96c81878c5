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
    /// How many rows are looked at to tell which words of a text are frequent.
    var sampled = 200
    /// In how many of these a frequent word is found.
    var frequent = 25
    /// In how many rows frequent words are looked for at most before the index is asked for them.
    var judged = 20_000
  }

  let db: Database
  let conditions: ConditionSQL
  let condition: Condition
  /// What is looked for in the texts; nil for nothing.
  let text: TextQuery?
  let order: OrderSQL
  let today: LocalDay
  let limits: Limits

  /// The first keys behind a page's end.
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
    // Where classes alone decide, whatever is remembered fits: no row has to be looked up.
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

  /// Where rows that come into question are found.
  typealias Candidates = (use: String, scope: Predicate)

  /// Where the rows that come into question are found, if they are few.
  func few(_ classes: [ConditionSQL.Known]) throws -> Candidates? {
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

  /// Whether an index that knows no classes has the rows in order.
  private var hasIndex: Bool { order.order.key != .added && order.order.key != .state }

  /// The rows that come into question, if they are not too many to be remembered: going through an index costs little as
  /// long as none of its rows has to be looked up.
  private func remembered(_ classes: [ConditionSQL.Known]) throws -> Predicate? {
    guard hasIndex else { return nil }
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

  // MARK: Classes

  /// Orders in which the rows of one class stand in the class's index already.
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
