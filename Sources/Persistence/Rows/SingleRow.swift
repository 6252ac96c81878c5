import GRDB
import PodfluxCore

/// A table of at most one row, which holds a store's state as JSON.
struct SingleRow<Value: Codable> {
  /// The table's name, also the column name in `DamagedRow`.
  let table: String
  /// Whether a store can have written the value.
  let isPlausible: (Value) -> Bool

  func write(_ value: Value, to db: Database) throws {
    let sql = "INSERT INTO \(table) VALUES (1, ?) ON CONFLICT (singleton) DO UPDATE SET json = excluded.json"
    try db.cachedStatement(sql: sql).execute(arguments: [StoredJSON.text(value)])
  }

  /// The row's value; nil if there is none.
  ///
  /// - Throws: `DamagedRow` for a value that no store writes.
  func read(from db: Database) throws -> Value? {
    guard let json = try String.fetchOne(db.cachedStatement(sql: "SELECT json FROM \(table)")) else { return nil }
    let value: Value = try StoredJSON.value(of: json, column: column)
    guard isPlausible(value) else { throw DamagedRow(column: column) }
    return value
  }

  private var column: String { "\(table).json" }
}
