import CSQLite
import Flux
import GRDB
import PodfluxCore

/// A value that is read from the current row of a statement, column by column.
///
/// GRDB's `Row` builds a dictionary of column names; for the dozens of columns here, that costs more than reading them.
protocol StatementRow {
  /// Reads the columns in the statement's order.
  init(_ columns: inout ColumnReader) throws
}

extension StatementRow {
  /// All rows of a statement, with these arguments.
  static func fetchAll(_ statement: Statement, arguments: StatementArguments = []) throws -> [Self] {
    var values: [Self] = []
    try forEach(statement, arguments: arguments) { values.append($0) }
    return values
  }

  /// Calls the body with each row; only one is in memory at a time.
  static func forEach(
    _ statement: Statement, arguments: StatementArguments = [], _ body: (Self) throws -> Void
  ) throws {
    try walk(statement, arguments: arguments) { row in
      try body(row)
      return true
    }
  }

  /// The same, until the body returns false.
  static func walk(
    _ statement: Statement, arguments: StatementArguments = [], _ body: (Self) throws -> Bool
  ) throws {
    let rows = try FetchedRow<Self>.fetchCursor(statement, arguments: arguments)
    while let row = try rows.next() {
      guard try body(telling(statement) { try row.value.get() }) else { return }
    }
  }

  /// Reads the current row of a statement.
  init(reading columns: inout ColumnReader, of statement: Statement) throws {
    self = try Self.telling(statement) { try Self(&columns) }
  }

  /// Reads a row, and throws `DamagedRow` for a column that cannot be read.
  private static func telling(_ statement: Statement, _ read: () throws -> Self) throws -> Self {
    do {
      return try read()
    } catch let column as UnreadableColumn {
      throw DamagedRow(column: column.name(in: statement))
    }
  }
}

/// A column of the current row holds a value that no version of this code writes.
private struct UnreadableColumn: Error {
  let index: Int

  /// The column's name as `DamagedRow` has it, by the table that it is read from. An expression has no column
  /// of its own: its alias says which ones it reads.
  func name(in statement: Statement) -> String {
    let handle = statement.sqliteStatement
    if let table = sqlite3_column_table_name(handle, CInt(index)),
      let column = sqlite3_column_origin_name(handle, CInt(index))
    {
      let (table, column) = (String(cString: table), String(cString: column))
      return table == "downloads" ? column : "\(table).\(column)"
    }
    return statement.columnNames.indices.contains(index) ? statement.columnNames[index] : "\(index)"
  }
}

/// Reads a row's columns in order.
struct ColumnReader {
  private let statement: SQLiteStatement
  private var index: CInt = 0

  init(_ statement: SQLiteStatement) {
    self.statement = statement
  }

  /// - Throws: `UnreadableColumn` for NULL in a column that is never NULL.
  mutating func next<Value: StatementColumnConvertible>() throws -> Value {
    defer { index += 1 }
    guard let value = Value.fromStatement(statement, atUncheckedIndex: index) else {
      throw UnreadableColumn(index: Int(index))
    }
    return value
  }

  /// What the column's value stands for.
  ///
  /// - Throws: `UnreadableColumn` where it stands for nothing, and for NULL.
  mutating func next<Stored: StatementColumnConvertible, Value>(
    _ meaning: (Stored) throws -> Value?
  ) throws -> Value {
    // In two steps: in one, `checked` would see the index before the column.
    let stored: Stored = try next()
    return try checked(meaning(stored))
  }

  /// The same; nil for NULL.
  mutating func nextIfPresent<Stored: StatementColumnConvertible, Value>(
    _ meaning: (Stored) throws -> Value?
  ) throws -> Value? {
    guard let stored: Stored = try next() else { return nil }
    return try checked(meaning(stored))
  }

  /// A number in the column's range.
  ///
  /// - Throws: `UnreadableColumn` for any other.
  mutating func next(_ numbers: StoredNumber) throws -> Int64 { try next(numbers.read) }

  /// A number in the column's range; nil for NULL.
  mutating func nextIfPresent(_ numbers: StoredNumber) throws -> Int64? { try nextIfPresent(numbers.read) }

  /// What the column that was read last says. It is read in a statement of its own: `checked` would see the index
  /// before it.
  ///
  /// - Throws: `UnreadableColumn` for nil.
  func checked<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw unreadable }
    return value
  }

  /// The error for the column that was read last.
  private var unreadable: UnreadableColumn { UnreadableColumn(index: Int(index) - 1) }

  mutating func moment() throws -> Timestamp? {
    try nextIfPresent(.moment).map { Timestamp(milliseconds: $0) }
  }

  /// The path of a file in the library; nil for NULL.
  mutating func path() throws -> LibraryPath? {
    try nextIfPresent { try? LibraryPath(validating: $0) }
  }

  /// The HTTP status of an error; nil for NULL.
  mutating func status() throws -> Int? {
    try nextIfPresent(.status).map { Int($0) }
  }

  /// Traps in a debug build if the next column is not this one.
  func expect(_ name: @autoclosure () -> String) {
    assert(
      sqlite3_column_name(statement, index).map { String(cString: $0) } == name(),
      "column \(index) is another one than \(name())")
  }

  /// Passes over columns, which are named for the reader's sake; a debug build checks the names.
  mutating func skip(_ names: String...) {
    for name in names {
      expect(name)
      index += 1
    }
  }
}

/// Lets GRDB iterate over the rows: it treats this as a value of the first column.
private struct FetchedRow<Value: StatementRow>: DatabaseValueConvertible, StatementColumnConvertible {
  let value: Result<Value, any Error>

  /// The first column may be NULL: `Value` decides whether that is damage.
  static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self? {
    Self(sqliteStatement: sqliteStatement, index: index)
  }

  init?(sqliteStatement: SQLiteStatement, index: CInt) {
    value = Result {
      var columns = ColumnReader(sqliteStatement)
      return try Value(&columns)
    }
  }

  var databaseValue: DatabaseValue { .null }

  static func fromDatabaseValue(_: DatabaseValue) -> Self? { nil }
}
