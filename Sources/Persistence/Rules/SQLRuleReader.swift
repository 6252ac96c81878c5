import Flux
import GRDB
import PodfluxCore

/// Episodes as rules look at them, in SQLite.
struct SQLRuleReader: RuleReading {
  let db: Database

  func walk(_ scope: RuleScope, at moment: ConditionMoment, _ body: (RuledEpisode) throws -> Bool) throws {
    let condition = try EpisodeConditionSQL(at: moment, in: db).predicate(scope.condition)
    let open = scope.isSettled ? "AND (key > ? OR ruled = 1)" : ""
    let sql = """
      WITH chosen AS (
        SELECT key, \(StoredRuledEpisode.moment) AS moment, added_at, bytes, url IS NOT NULL AS has_file,
          (\(condition.sql)) AS matches, missing, archived, favorite, backdated, ruling, ruled, download
        FROM episodes INDEXED BY episodes_feed WHERE feed = ? \(open))
      \(StoredRuledEpisode.select)
      ORDER BY chosen.moment DESC, chosen.added_at DESC, chosen.key
      """
    var values: [any DatabaseValueConvertible] = condition.values + [scope.feed]
    if scope.isSettled { values.append(scope.line ?? 0) }
    try StoredRuledEpisode.walk(db.makeStatement(sql: sql), arguments: StatementArguments(values)) {
      try body($0.episode)
    }
  }

  func countThere(_ scope: RuleScope, at moment: ConditionMoment) throws -> Int64 {
    let condition = try EpisodeConditionSQL(at: moment, in: db).predicate(scope.condition)
    let sql = """
      SELECT count(*) FROM episodes INDEXED BY episodes_feed
      WHERE feed = ? AND key <= ? AND \(StoredRuledEpisode.isThere) AND \(condition.sql)
      """
    let values: [any DatabaseValueConvertible] = [scope.feed, scope.line ?? 0] + condition.values
    return try Int64.fetchOne(db.makeStatement(sql: sql), arguments: StatementArguments(values)) ?? 0
  }

  func lastEpisode() throws -> Int64 {
    let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT key FROM last_episode"))
    guard let last, (0...EpisodeID.numbers.upperBound).contains(last) else {
      throw DamagedRow(column: "last_episode.key")
    }
    return last
  }
}
