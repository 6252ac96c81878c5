import GRDB

/// Checks that cost less: migration 8.
extension Schema {
  /// Spells out what a column may hold, `a = 'x' OR a = 'y' OR a = 'z'`, where a list of more than two values said so.
  ///
  /// For such a list SQLite makes a table in memory, and fills it, each time that the check is made: those of `downloads`
  /// were a third of what it cost to add a row, or to change one. A check can only be changed in the schema's own text;
  /// the steps are those of https://www.sqlite.org/lang_altertable.html, section 7. No row is touched. Migrations 1 to 7
  /// know no `NOT IN` of that kind.
  static func spellOutChecks(in db: Database) throws {
    let tables = try Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    let version = try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? 0
    try db.execute(sql: "PRAGMA writable_schema = ON")
    for table in tables {
      let (name, text): (String, String) = (table["name"], table["sql"])
      let spelledOut = spellingOutLists(of: text)
      guard spelledOut != text else { continue }
      try db.execute(
        sql: "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?", arguments: [spelledOut, name])
    }
    // Has every connection read the schema again, this one too.
    try db.execute(sql: "PRAGMA schema_version = \(version + 1)")
    // Where anything before has failed, the connection is not used any more.
    try db.execute(sql: "PRAGMA writable_schema = OFF")
  }

  private static func spellingOutLists(of text: String) -> String {
    text.replacing(#/(\w+) IN\s*\(('\w+'(?:, '\w+'){2,})\)/#) { list in
      "(" + list.2.split(separator: ", ").map { "\(list.1) = \($0)" }.joined(separator: " OR ") + ")"
    }
  }
}
