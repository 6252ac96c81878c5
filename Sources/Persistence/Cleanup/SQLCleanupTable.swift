import Flux
import GRDB
import PodfluxCore

/// The cleanup store's tables in SQLite, inside one transaction.
struct SQLCleanupTable: CleanupTable {
  let db: Database

  // MARK: Runs

  func save(_ run: CleanupRun) throws {
    let sql = "INSERT INTO cleanup_runs VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET json = excluded.json"
    try db.cachedStatement(sql: sql).execute(arguments: [run.key, try StoredJSON.text(run)])
  }

  func forget(_ run: CleanupRun.Key) throws {
    try db.cachedStatement(sql: "DELETE FROM cleanup_runs WHERE key = ?").execute(arguments: [run])
  }

  func runs() throws -> [CleanupRun] {
    let texts = try String.fetchAll(db.cachedStatement(sql: "SELECT json FROM cleanup_runs ORDER BY key"))
    return try texts.map { text in
      let run: CleanupRun = try StoredJSON.value(of: text, column: "cleanup_runs.json")
      guard run.isPlausible else { throw DamagedRow(column: "cleanup_runs.json") }
      return run
    }
  }

  // MARK: Steps

  func insert(_ step: CleanupStep) throws {
    let sql = "INSERT INTO cleanup_steps (status, decision, because, matter, download) VALUES (?, ?, ?, ?, ?)"
    try db.cachedStatement(sql: sql).execute(arguments: [
      step.status.rawValue, step.decision.rawValue, DownloadRow.text(step.because), try StoredJSON.text(step.finding),
      step.holder?.description,
    ])
  }

  func removeSteps() throws {
    try db.cachedStatement(sql: "DELETE FROM cleanup_steps").execute()
  }

  func planned(after key: CleanupStep.Key, limit: Int) throws -> [CleanupStep] {
    let steps = try CleanupStep.fetchAll(
      db.cachedStatement(sql: Self.steps + "WHERE status = 'planned' AND key > ? ORDER BY key LIMIT ?"),
      arguments: [key, limit])
    guard zip([key] + steps.map(\.key), steps).allSatisfy({ $0 < $1.key }) else {
      throw DamagedRow(column: "cleanup_steps.key")
    }
    return steps
  }

  func finish(
    _ key: CleanupStep.Key, as status: CleanupStep.Status, because: String?, holder: DownloadID?
  ) throws {
    let sql = """
      UPDATE cleanup_steps SET status = ?, because = coalesce(?, because), download = coalesce(?, download) WHERE key = ?
      """
    try db.cachedStatement(sql: sql).execute(
      arguments: [status.rawValue, DownloadRow.text(because), holder?.description, key])
  }

  /// A page of all steps. Cost: one look-up and the page.
  func steps(after key: CleanupStep.Key, limit: Int) throws -> [CleanupStep] {
    try CleanupStep.fetchAll(
      db.cachedStatement(sql: Self.steps + "WHERE key > ? ORDER BY key LIMIT ?"), arguments: [key, limit])
  }

  private static let steps = "SELECT key, status, decision, because, matter, download FROM cleanup_steps "
}

extension CleanupRun {
  /// Whether the store can have written this: it continues from the counts, and clients rely on the rest.
  fileprivate var isPlausible: Bool {
    guard stage != .done || !isCleanup || usage != nil, stage.isEnd == (endedAt != nil) else { return false }
    let counts = (tallies.values.flatMap { [$0.found, $0.done, $0.left] } + deeds.flatMap { [$0.done, $0.left] })
      .map(Int64.init)
    let bytes = tallies.values.map(\.bytes) + deeds.map(\.bytes) + [freedBytes] + (usage?.all ?? [])
    let moments = [askedAt, endedAt ?? askedAt].map(\.milliseconds)
    return StoredNumber.log.range.contains(key) && counts.allSatisfy(StoredNumber.count.range.contains)
      && bytes.allSatisfy(StoredNumber.length.range.contains) && moments.allSatisfy(StoredNumber.moment.range.contains)
  }
}

extension CleanupRun.Usage {
  fileprivate var all: [Int64] { [media, partial, quarantine, database, other] }
}

extension CleanupStep: StatementRow {
  init(_ columns: inout ColumnReader) throws {
    let key: Int64 = try columns.next()
    guard let status = Status(rawValue: try columns.next()) else { throw DamagedRow(column: "cleanup_steps.status") }
    guard let decision = Decision(rawValue: try columns.next()) else {
      throw DamagedRow(column: "cleanup_steps.decision")
    }
    let because: String = try columns.next()
    let finding: Finding = try StoredJSON.value(of: columns.next(), column: "cleanup_steps.matter")
    guard finding.bytes >= 0 else { throw DamagedRow(column: "cleanup_steps.matter") }
    let holder: String? = try columns.next()
    guard (holder == nil) == (holder.flatMap { DownloadID($0) } == nil) else {
      throw DamagedRow(column: "cleanup_steps.download")
    }
    self.init(
      key: key, finding: finding, decision: decision, because: because, status: status,
      holder: holder.flatMap { DownloadID($0) })
  }
}

extension SQLTables {
  var cleanup: any CleanupTable { SQLCleanupTable(db: db) }
}

extension CleanupStore {
  /// The store with what its tables hold.
  init(from tables: TableReader) throws {
    self.init(runs: try tables.cleanupRuns())
  }
}
