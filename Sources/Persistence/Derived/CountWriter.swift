import GRDB

/// Writes changes of counts to a table of keys with their numbers, of which none is 0.
struct CountWriter {
  private let db: Database
  private let increase: Statement
  private let decrease: Statement
  private let remove: Statement

  /// - Parameters:
  ///   - table: Its columns are the keys, in this order, and `number`.
  ///   - keys: The names of the keys.
  init(_ table: String, keys: [String], in db: Database) throws {
    self.db = db
    let marks = keys.map { _ in "?" }.joined(separator: ", ")
    let scope = keys.map { "\($0) = ?" }.joined(separator: " AND ")
    increase = try db.cachedStatement(
      sql: """
        INSERT INTO \(table) VALUES (\(marks), ?) ON CONFLICT DO UPDATE SET number = number + excluded.number
        """)
    decrease = try db.cachedStatement(
      sql: "UPDATE \(table) SET number = number - ? WHERE \(scope) AND number > ?")
    remove = try db.cachedStatement(sql: "DELETE FROM \(table) WHERE \(scope)")
  }

  /// Adds a number, which may be negative, to that of a key, whose columns the closure binds in their order.
  func add(_ number: Int, to key: (inout ArgumentWriter) throws -> Void) throws {
    guard number <= 0 else {
      var arguments = ArgumentWriter(increase)
      try key(&arguments)
      try arguments.write(number)
      return try arguments.execute()
    }
    guard number < 0 else { return }
    var arguments = ArgumentWriter(decrease)
    try arguments.write(-number)
    try key(&arguments)
    try arguments.write(-number)
    try arguments.execute()
    guard db.changesCount == 0 else { return }
    arguments = ArgumentWriter(remove)
    try key(&arguments)
    try arguments.execute()
  }
}
