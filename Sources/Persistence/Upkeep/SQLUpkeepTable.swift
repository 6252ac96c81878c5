import Flux
import GRDB
import PodfluxCore

/// The day of the last upkeep and the folders that the engine has made, in SQLite, inside one transaction.
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

  // MARK: Folders

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

  func note(made folders: [LibraryPath]) throws {
    let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO folders VALUES (?)")
    for folder in folders { try statement.execute(arguments: [folder.description]) }
  }

  func madeFolders(above path: LibraryPath) throws -> [LibraryPath] {
    var (made, next): ([LibraryPath], LibraryPath?) = ([], path.folder)
    while let folder = next {
      if try hasMade(folder) { made.append(folder) }
      next = folder.folder
    }
    return made
  }

  func hasMade(_ folder: LibraryPath) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM folders WHERE path = ?")
    return try Int.fetchOne(statement, arguments: [folder.description]) != nil
  }
}

extension SQLTables {
  var upkeep: any UpkeepTable { SQLUpkeepTable(db: db) }
}

extension UpkeepStore {
  /// The store with what its table holds.
  init(from tables: TableReader) throws {
    self.init(lastDay: try SQLUpkeepTable.lastDay(in: tables.db))
  }
}
