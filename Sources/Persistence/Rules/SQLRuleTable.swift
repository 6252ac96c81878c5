import Flux
import GRDB
import PodfluxCore

/// The table of rules in SQLite, inside one transaction.
struct SQLRuleTable: RuleTable {
  let db: Database
  let derived: DerivedTables

  private var reader: SQLRuleReader { SQLRuleReader(db: db, keeping: derived.ruleStatements) }

  func walk(_ scope: RuleScope, at moment: ConditionMoment, _ body: (RuledEpisode) throws -> Bool) throws {
    try reader.walk(scope, at: moment, body)
  }

  func some(_ episodes: [EpisodeID], of scope: RuleScope, at moment: ConditionMoment) throws -> [RuledEpisode] {
    try reader.some(episodes, of: scope, at: moment)
  }

  func countThere(_ scope: RuleScope, in part: RulePart, at moment: ConditionMoment) throws -> Int64 {
    try reader.countThere(scope, in: part, at: moment)
  }

  func lastEpisode() throws -> Int64 { try reader.lastEpisode() }

  // MARK: What is due

  func due(at now: Timestamp, limit: Int, besides held: Set<Feed.Key>) throws -> [Feed.Key] {
    let sql = """
      SELECT key FROM feeds INDEXED BY feeds_rules_due WHERE rules_at <= ? \(Self.isNotHeld) ORDER BY rules_at, key LIMIT ?
      """
    return try Int64.fetchAll(
      db.cachedStatement(sql: sql), arguments: [now.milliseconds, ConditionSQL.list(held.sorted()), limit])
  }

  func nextMoment(besides held: Set<Feed.Key>) throws -> Timestamp? {
    let sql = """
      SELECT rules_at FROM feeds INDEXED BY feeds_rules_due WHERE rules_at IS NOT NULL \(Self.isNotHeld)
      ORDER BY rules_at LIMIT 1
      """
    let arguments: StatementArguments = [try ConditionSQL.list(held.sorted())]
    guard let next = try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) else { return nil }
    guard StoredNumber.moment.range.contains(next) else { throw DamagedRow(column: "feeds.rules_at") }
    return Timestamp(milliseconds: next)
  }

  func update(_ standing: Feed.Standing, of feed: Feed.Key) throws {
    derived.feeds.forget(feed)
    try db.cachedStatement(sql: "UPDATE feeds SET rule_line = ?, allowance = ?, rules_at = ? WHERE key = ?")
      .execute(arguments: [standing.watermark, standing.allowance, standing.due?.milliseconds, feed])
  }

  private static let isNotHeld = "AND key NOT IN (SELECT value FROM json_each(?))"

  func makeDue(having download: DownloadID, at now: Timestamp) throws -> [Feed.Key] {
    try makeDue(
      at: now,
      where: """
        key IN (SELECT feed FROM episodes INDEXED BY episodes_of_download WHERE download = ?)
        AND json_extract(rules, '$.keep') IS NOT NULL
        """, [download.description])
  }

  func makeDue(of episode: EpisodeID, at now: Timestamp) throws -> [Feed.Key] {
    try makeDue(at: now, where: "key IN (SELECT feed FROM episodes WHERE key = ?)", [episode.number])
  }

  func makeAllDue(at now: Timestamp) throws -> [Feed.Key] {
    try makeDue(at: now, where: "TRUE", [])
  }

  private func makeDue(
    at now: Timestamp, where scope: String, _ arguments: StatementArguments
  ) throws -> [Feed.Key] {
    derived.feeds.forgetAll()
    let sql = "UPDATE feeds SET rules_at = ? WHERE rules IS NOT NULL AND \(scope) RETURNING key"
    return try Int64.fetchAll(db.cachedStatement(sql: sql), arguments: [now.milliseconds] + arguments)
  }

  // MARK: Episodes

  func write(_ ruling: Episode.Ruling?, of episode: EpisodeID) throws {
    guard let ruling else {
      return try db.cachedStatement(
        sql: "UPDATE episodes SET ruled = NULL, ruling = NULL WHERE key = ? AND ruled IS NOT NULL"
      ).execute(arguments: [episode.number])
    }
    try db.cachedStatement(sql: "UPDATE episodes SET ruled = ?, ruling = ? WHERE key = ?")
      .execute(arguments: [ruling.rowCode, try StoredJSON.text(ruling), episode.number])
  }

  func newest(of feed: Feed.Key, addedBy moment: Timestamp) throws -> Timestamp? {
    let sql = """
      SELECT max(\(StoredRuledEpisode.moment)) FROM episodes INDEXED BY episodes_feed WHERE feed = ? AND added_at <= ?
      """
    return try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: [feed, moment.milliseconds])
      .map(Timestamp.init(milliseconds:))
  }

  func place(having download: DownloadID) throws -> RuledEpisode.Place? {
    let sql = """
      SELECT \(StoredRuledEpisode.moment) AS "episodes.published or added_at", added_at, key
      FROM episodes INDEXED BY episodes_of_download WHERE download = ? AND \(StoredEpisode.isOfFeed) ORDER BY key DESC LIMIT 1
      """
    return try StoredPlace.fetchAll(db.cachedStatement(sql: sql), arguments: [download.description]).first?.place
  }

  func releasable(olderThan place: RuledEpisode.Place?, limit: Int) throws -> [ReleasableDownload] {
    let scope = Self.scope(olderThan: place)
    let sql = """
      SELECT chosen.key, chosen.download, downloads.file_length \(Self.ruled(scope))
      ORDER BY chosen.moment, chosen.added_at, chosen.key DESC LIMIT ?
      """
    let arguments = StatementArguments(scope.values) + [limit]
    return try StoredRelease.fetchAll(db.cachedStatement(sql: sql), arguments: arguments).map(\.release)
  }

  func releasableBytes(olderThan place: RuledEpisode.Place?) throws -> Int64 {
    let scope = Self.scope(olderThan: place)
    let sql = "SELECT total(downloads.file_length) \(Self.ruled(scope))"
    let total = try Double.fetchOne(db.cachedStatement(sql: sql), arguments: StatementArguments(scope.values)) ?? 0
    return Int64(exactly: total.rounded()) ?? .max
  }

  func ruledEpisodes(having download: DownloadID) throws -> [EpisodeID] {
    let sql = "SELECT key FROM episodes INDEXED BY episodes_of_download WHERE download = ? AND ruled = 1 ORDER BY key"
    return try Int64.fetchAll(db.cachedStatement(sql: sql), arguments: [download.description])
      .map(EpisodeID.init(number:))
  }

  func episode(ruledInto download: DownloadID) throws -> EpisodeID? {
    let scope = Predicate("download = ?", download.description)
    let sql = "SELECT chosen.key \(Self.ruled(scope, by: "episodes_of_download", state: ""))"
    return try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: StatementArguments(scope.values))
      .map(EpisodeID.init(number:))
  }

  private static func scope(olderThan place: RuledEpisode.Place?) -> Predicate {
    guard let place else { return .always }
    return Predicate(
      "(\(StoredRuledEpisode.moment), added_at, -key) < (?, ?, ?)", place.moment.milliseconds,
      place.added.milliseconds, -place.id.number)
  }

  /// The downloads that rules have asked for, without favorites, and without files that episodes share; the completed
  /// ones unless something else is said of their state.
  private static func ruled(
    _ scope: Predicate, by index: String = "episodes_ruled", state: String = "downloads.state = 'completed' AND"
  ) -> String {
    """
    FROM (
      SELECT key, download, \(StoredRuledEpisode.moment) AS moment, added_at FROM episodes INDEXED BY \(index)
      WHERE ruled = 1 AND favorite = 0 AND \(scope.sql) AND \(StoredEpisode.isOfFeed)) AS chosen
    JOIN downloads ON downloads.id = chosen.download
    WHERE \(state) downloads.origin = 'auto' AND NOT EXISTS (
      SELECT 1 FROM episodes AS others WHERE others.download = chosen.download AND others.key <> chosen.key)
    """
  }
}

/// Where an episode stands among others.
private struct StoredPlace: StatementRow {
  let place: RuledEpisode.Place

  init(_ columns: inout ColumnReader) throws {
    let (moment, added) = try (columns.next(.moment), columns.next(.moment))
    place = RuledEpisode.Place(
      moment: Timestamp(milliseconds: moment), added: Timestamp(milliseconds: added),
      id: EpisodeID(number: try columns.next(.episode)))
  }
}

/// A download that may be deleted.
private struct StoredRelease: StatementRow {
  let release: ReleasableDownload

  init(_ columns: inout ColumnReader) throws {
    let key = try columns.next(.episode)
    let id = try Damaged.checked("episodes.download", DownloadID(columns.next()))
    release = ReleasableDownload(episode: EpisodeID(number: key), download: id, bytes: try columns.next(.length))
  }
}
