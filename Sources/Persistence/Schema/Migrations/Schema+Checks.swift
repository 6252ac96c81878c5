import GRDB

/// Cheaper checks: migration 8.
extension Schema {
  /// Replaces `a IN ('x', 'y', 'z')` in checks by `a = 'x' OR a = 'y' OR a = 'z'`.
  ///
  /// For a list of more than two values SQLite fills a table in memory at each check: for `downloads` that was a third
  /// of the cost of an insert or update. A check can be changed only in the schema's text, with the steps of
  /// https://www.sqlite.org/lang_altertable.html, section 7. No row is touched. Migrations 1 to 7 contain no such `NOT
  /// IN`.
  static func spellOutChecks(in db: Database) throws {
    try changeText(ofTablesIn: db, spellingOutLists)
  }

  /// Changes the text of tables in the schema. The rows must satisfy the new text.
  static func changeText(ofTablesIn db: Database, _ changed: (String) -> String) throws {
    let tables = try Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    let version = try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? 0
    try db.execute(sql: "PRAGMA writable_schema = ON")
    for table in tables {
      let (name, text): (String, String) = (table["name"], table["sql"])
      let new = changed(text)
      guard new != text else { continue }
      try db.execute(
        sql: "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?", arguments: [new, name])
    }
    // Makes every connection read the schema again, this one included.
    try db.execute(sql: "PRAGMA schema_version = \(version + 1)")
    // If a statement before has failed, the connection is not used any more.
    try db.execute(sql: "PRAGMA writable_schema = OFF")
  }

  private static func spellingOutLists(of text: String) -> String {
    text.replacing(#/(\w+) IN\s*\(('\w+'(?:, '\w+'){2,})\)/#) { list in
      "(" + list.2.split(separator: ", ").map { "\(list.1) = \($0)" }.joined(separator: " OR ") + ")"
    }
  }
}
