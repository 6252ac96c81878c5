import GRDB
import PodfluxCore

/// A table of at most one row, which holds a store's state as JSON.
struct SingleRow<Value: Codable> {
  /// The table's name, which is also what a fault in it is called.
  let table: String
  /// Whether a store can have written what was read.
  let isPlausible: (Value) -> Bool

  func write(_ value: Value, to db: Database) throws {
    let sql = "INSERT INTO \(table) VALUES (1, ?) ON CONFLICT (singleton) DO UPDATE SET json = excluded.json"
    try db.cachedStatement(sql: sql).execute(arguments: [StoredJSON.text(value)])
  }

  /// What the row holds; nil if there is none.
  ///
  /// - Throws: `DamagedRow` where it holds what no store keeps.
  func read(from db: Database) throws -> Value? {
    guard let json = try String.fetchOne(db.cachedStatement(sql: "SELECT json FROM \(table)")) else { return nil }
    let value: Value = try StoredJSON.value(of: json, column: column)
    guard isPlausible(value) else { throw DamagedRow(column: column) }
    return value
  }

  private var column: String { "\(table).json" }
}
