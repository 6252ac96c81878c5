import GRDB

@testable import Persistence

/// The words of rows in the index, and in a new index built from the rows.
enum TextWords {
  static func indexed(_ db: Database) throws -> [String] {
    try words(of: "texts", in: "main", db)
  }

  static func expected(_ db: Database) throws -> [String] {
    let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_schema WHERE name = 'texts'") ?? ""
    try db.execute(sql: sql.replacing("TABLE texts", with: "TABLE temp.expected_texts"))
    defer { try? db.execute(sql: "DROP TABLE temp.expected_texts") }
    try db.execute(
      sql: """
        INSERT INTO temp.expected_texts (rowid, title, podcast)
        SELECT key, folded(title), folded(podcast) FROM main.downloads
        """)
    return try words(of: "expected_texts", in: "temp", db)
  }

  private static func words(of table: String, in schema: String, _ db: Database) throws -> [String] {
    try db.execute(sql: "CREATE VIRTUAL TABLE temp.words USING fts5vocab(\(schema), \(table), instance)")
    defer { try? db.execute(sql: "DROP TABLE temp.words") }
    return try String.fetchAll(db, sql: "SELECT DISTINCT doc || ' ' || term FROM temp.words ORDER BY doc, term")
  }
}
