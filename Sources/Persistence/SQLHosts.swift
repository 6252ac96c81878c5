import Flux
import GRDB
import PodfluxCore

/// What is kept beside the downloads: hosts that are left alone, and what all downloads have thrown away.
enum SQLHosts {
  static func save(cooldownOf host: String, until moment: Timestamp?, in db: Database) throws {
    guard let moment else {
      return try db.cachedStatement(sql: "DELETE FROM cooldowns WHERE host = ?").execute(arguments: [host])
    }
    let sql = "INSERT INTO cooldowns VALUES (?, ?) ON CONFLICT (host) DO UPDATE SET until = excluded.until"
    try db.cachedStatement(sql: sql).execute(arguments: [host, moment.milliseconds])
  }

  static func cooldowns(in db: Database) throws -> [String: Timestamp] {
    let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT host, until FROM cooldowns"))
    return rows.reduce(into: [:]) { $0[$1["host"]] = Timestamp(milliseconds: $1["until"]) }
  }

  static func save(discarded bytes: Int64, because cause: RestartCause, in db: Database) throws {
    let sql = "INSERT INTO discards VALUES (?, ?) ON CONFLICT (cause) DO UPDATE SET bytes = excluded.bytes"
    try db.cachedStatement(sql: sql).execute(arguments: [cause.rawValue, bytes])
  }

  static func discarded(in db: Database) throws -> Download.Discarded {
    let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT cause, bytes FROM discards"))
    return try rows.reduce(into: .init()) { discarded, row in
      guard let cause = RestartCause(rawValue: row["cause"]) else { throw DamagedRow(column: "discards.cause") }
      discarded.add(row["bytes"], because: cause)
    }
  }
}
