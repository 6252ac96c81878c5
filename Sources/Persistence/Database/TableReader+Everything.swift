import GRDB

extension TableReader {
  /// The tables whose rows depend on how the same actions were divided into transactions: the index of words.
  private static let indexOfWords = "texts"

  /// Reads each row of each table, so that whole libraries can be compared: the tables by their names, the rows in the
  /// order of their keys, derived tables too, but not the index of words, which is merged in steps.
  ///
  /// Cost: the whole database.
  ///
  /// - Parameter body: Gets a table's name, and its next row as SQL literals.
  package func forEachRow(_ body: (_ table: String, _ row: String) throws -> Void) throws {
    let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    for table in tables where table != Self.indexOfWords && !table.hasPrefix(Self.indexOfWords + "_") {
      let columns = try db.columns(in: table).map { "quote(\($0.name.quotedDatabaseIdentifier))" }
      let sql = "SELECT \(columns.joined(separator: " || ',' || ")) FROM \(table.quotedDatabaseIdentifier) NOT INDEXED"
      let rows = try String.fetchCursor(db.makeStatement(sql: sql))
      while let row = try rows.next() { try body(table, row) }
    }
  }
}
