import Flux
import GRDB
import PodfluxCore

/// Reads and writes the hosts' cooldowns and the totals of discarded bytes.
enum SQLHosts {
  static func save(cooldownOf host: String, until moment: Timestamp?, in db: Database) throws {
    guard let moment else {
      return try db.cachedStatement(sql: "DELETE FROM cooldowns WHERE host = ?").execute(arguments: [host])
    }
    let sql = "INSERT INTO cooldowns VALUES (?, ?) ON CONFLICT (host) DO UPDATE SET until = excluded.until"
    try db.cachedStatement(sql: sql).execute(arguments: [host, moment.milliseconds])
  }

  static func cooldowns(in db: Database) throws -> [String: Timestamp] {
    let rows = try StoredCooldown.fetchAll(db.cachedStatement(sql: "SELECT host, until FROM cooldowns"))
    return rows.reduce(into: [:]) { $0[$1.host] = $1.until }
  }

  static func save(discarded bytes: Int64, because cause: RestartCause, in db: Database) throws {
    let sql = "INSERT INTO discards VALUES (?, ?) ON CONFLICT (cause) DO UPDATE SET bytes = excluded.bytes"
    try db.cachedStatement(sql: sql).execute(arguments: [cause.rawValue, bytes])
  }

  static func discarded(in db: Database) throws -> Download.Discarded {
    let rows = try StoredDiscard.fetchAll(db.cachedStatement(sql: "SELECT cause, bytes FROM discards"))
    return rows.reduce(into: .init()) { $0.add($1.bytes, because: $1.cause) }
  }
}

/// The end of a host's cooldown.
private struct StoredCooldown: StatementRow {
  let host: String
  let until: Timestamp

  init(_ columns: inout ColumnReader) throws {
    host = try columns.next()
    until = Timestamp(milliseconds: try columns.next(.moment))
  }
}

/// The bytes discarded for a reason.
private struct StoredDiscard: StatementRow {
  let cause: RestartCause
  let bytes: Int64

  init(_ columns: inout ColumnReader) throws {
    guard let cause = RestartCause(rawValue: try columns.next()) else { throw DamagedRow(column: "discards.cause") }
    self.cause = cause
    bytes = try columns.next(.sum)
  }
}
