import Flux
import GRDB
import PodfluxCore

/// The upkeep store's tables in SQLite, inside one transaction.
struct SQLUpkeepTable: UpkeepTable {
  let db: Database

  func save(day: Int64) throws {
    let sql = "INSERT INTO upkeep VALUES (1, ?) ON CONFLICT (singleton) DO UPDATE SET day = excluded.day"
    try db.cachedStatement(sql: sql).execute(arguments: [day])
  }

  static func lastDay(in db: Database) throws -> Int64? {
    guard let day = try Int64.fetchOne(db.cachedStatement(sql: "SELECT day FROM upkeep")) else { return nil }
    guard StoredNumber.day.range.contains(day) else { throw DamagedRow(column: "upkeep.day") }
    return day
  }

  func folders(after folder: String, limit: Int) throws -> [LibraryPath] {
    let sql = "SELECT path FROM folders WHERE path > ? ORDER BY path LIMIT ?"
    return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [folder, limit]).compactMap { text in
      if let path = try? LibraryPath(validating: text) { return path }
      // No folder has such a name: the row is damaged, and must not fail the turn.
      try db.cachedStatement(sql: "DELETE FROM folders WHERE path = ?").execute(arguments: [text])
      return nil
    }
  }

  func forget(_ folder: LibraryPath) throws {
    // "0" is the byte after "/".
    let sql = """
      DELETE FROM folders WHERE path = ?1
        AND NOT EXISTS (SELECT 1 FROM downloads WHERE path > ?1 || '/' AND path < ?1 || '0')
      """
    try db.cachedStatement(sql: sql).execute(arguments: [folder.description])
  }

  func forgetFormerFiles(beyond keeping: FormerFile.Keeping, now: Timestamp, limit: Int) throws -> Int {
    let dating = """
      UPDATE former_files SET noted_at = ?
      WHERE key IN (SELECT key FROM former_files WHERE noted_at IS NULL ORDER BY key LIMIT ?)
      """
    try db.cachedStatement(sql: dating).execute(arguments: [now.milliseconds, limit])
    let dated = db.changesCount
    guard dated == 0 else { return dated }
    let newest = "SELECT key FROM former_files ORDER BY key DESC LIMIT 1 OFFSET ?"
    guard
      let first = try Int64.fetchOne(db.cachedStatement(sql: newest), arguments: [max(0, keeping.number - 1)])
    else { return 0 }
    // The oldest ones have the lowest numbers: the first one that is too young ends the search.
    let candidates = """
      DELETE FROM former_files
      WHERE key IN (SELECT key FROM former_files WHERE key < ? ORDER BY key LIMIT ?) AND noted_at < ?
      """
    try db.cachedStatement(sql: candidates).execute(arguments: [first, limit, keeping.since.milliseconds])
    return db.changesCount
  }
}
