import Flux
import GRDB
import PodfluxCore

/// Episodes as rules look at them, in SQLite.
struct SQLRuleReader: RuleReading {
  let db: Database
  private let kept: RuleStatements?
  private let statements = PreparedStatements()

  /// - Parameter kept: The statements that stay prepared beyond this reader; nil for none.
  init(db: Database, keeping kept: RuleStatements? = nil) {
    (self.db, self.kept) = (db, kept)
  }

  private func statement(_ sql: String) throws -> Statement {
    try kept?.statement(sql, in: db) ?? statements.statement(sql, in: db)
  }

  func walk(_ scope: RuleScope, at moment: ConditionMoment, _ body: (RuledEpisode) throws -> Bool) throws {
    let open = scope.isSettled ? "AND (key > ? OR ruled = 1)" : ""
    let rows = Predicate(
      "INDEXED BY episodes_feed WHERE feed = ? \(open)",
      values: scope.isSettled ? [scope.feed, scope.watermark ?? 0] : [scope.feed])
    try walk(rows, of: scope, at: moment, body)
  }

  func some(_ episodes: [EpisodeID], of scope: RuleScope, at moment: ConditionMoment) throws -> [RuledEpisode] {
    var found: [RuledEpisode] = []
    let keys = try ConditionSQL.list(episodes.map(\.number))
    let rows = Predicate("NOT INDEXED WHERE key IN (SELECT value FROM json_each(?)) AND feed = ?", keys, scope.feed)
    try walk(rows, of: scope, at: moment) { episode in
      found.append(episode)
      return true
    }
    return found
  }

  private func walk(
    _ rows: Predicate, of scope: RuleScope, at moment: ConditionMoment, _ body: (RuledEpisode) throws -> Bool
  ) throws {
    let condition = try EpisodeConditionSQL(at: moment, in: db).predicate(scope.condition)
    let statement = try statement(
      """
      WITH chosen AS (
        SELECT key, \(StoredRuledEpisode.moment) AS moment, added_at, bytes, url IS NOT NULL AS has_file,
          (\(condition.sql)) AS matches, missing, archived, favorite, backdated, ruling, ruled, download
        FROM episodes \(rows.sql))
      \(StoredRuledEpisode.select)
      ORDER BY chosen.moment DESC, chosen.added_at DESC, chosen.key
      """)
    try StoredRuledEpisode.walk(statement, arguments: StatementArguments(condition.values + rows.values)) {
      try body($0.episode)
    }
  }

  func countThere(_ scope: RuleScope, in part: RulePart, at moment: ConditionMoment) throws -> Int64 {
    let condition = try EpisodeConditionSQL(at: moment, in: db).predicate(scope.condition)
    let part = part.predicate
    let statement = try statement(
      """
      SELECT count(*) FROM episodes INDEXED BY episodes_feed
      WHERE feed = ? AND key <= ? AND \(part.sql) AND \(StoredRuledEpisode.isThere) AND \(condition.sql)
      """)
    let values: [any DatabaseValueConvertible] = [scope.feed, scope.watermark ?? 0] + part.values + condition.values
    return try Int64.fetchOne(statement, arguments: StatementArguments(values)) ?? 0
  }

  /// The feeds with rules among these keys.
  func feeds(_ keys: [Feed.Key]) throws -> [RuledFeed] {
    guard !keys.isEmpty else { return [] }
    let statement = try db.cachedStatement(sql: StoredRuledFeed.select)
    // Many feeds have the same rules.
    var known: [String: FeedRules] = [:]
    return try StoredRuledFeed.fetchAll(statement, arguments: [try ConditionSQL.list(keys)]).map { feed in
      let rules = try known[feed.rules] ?? StoredRules.value(of: feed.rules)
      known[feed.rules] = rules
      return RuledFeed(key: feed.key, rules: rules, standing: feed.standing)
    }
  }

  func lastEpisode() throws -> Int64 {
    let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT key FROM last_episode"))
    guard let last, (0...EpisodeID.numbers.upperBound).contains(last) else {
      throw DamagedRow(column: "last_episode.key")
    }
    return last
  }
}

/// The statements by which turns look at episodes. Rules shape them, so that the connection keeps the first few alone:
/// its cache would grow without bound. Libraries have few different rules, and each turn applies some.
final class RuleStatements {
  static let limit = 64
  private var kept: Set<String> = []

  /// - Returns: nil if it is none of those that are kept.
  func statement(_ sql: String, in db: Database) throws -> Statement? {
    guard kept.count < Self.limit || kept.contains(sql) else { return nil }
    kept.insert(sql)
    return try db.cachedStatement(sql: sql)
  }
}

/// The statements of one reader: many feeds have the same rules, so that one is not made for each.
private final class PreparedStatements {
  private var statements: [String: Statement] = [:]

  func statement(_ sql: String, in db: Database) throws -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try db.makeStatement(sql: sql)
    statements[sql] = statement
    return statement
  }
}

extension RulePart {
  /// The condition on rows of `episodes`; the order is that of `RuledEpisode.Place`.
  fileprivate var predicate: Predicate {
    switch self {
    case .all: Predicate("true")
    case .newer(let place): comparison(">", with: place)
    case .older(let place): comparison("<", with: place)
    }
  }

  private func comparison(_ sign: String, with place: RuledEpisode.Place) -> Predicate {
    Predicate(
      "(\(StoredRuledEpisode.moment), added_at, -key) \(sign) (?, ?, ?)", place.moment.milliseconds,
      place.added.milliseconds, -place.id.number)
  }
}
