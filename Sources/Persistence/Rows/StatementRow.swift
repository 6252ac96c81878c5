import CSQLite
import Flux
import GRDB

/// What can be read from the present row of a statement, column by column.
///
/// GRDB's own `Row` keeps a dictionary of its columns' names; for the dozens of columns here, making that costs more than
/// reading them.
protocol StatementRow {
  /// Reads the columns in the statement's order.
  init(_ columns: inout ColumnReader) throws
}

extension StatementRow {
  /// All rows of a statement.
  static func fetchAll(_ statement: Statement, arguments: StatementArguments = []) throws -> [Self] {
    var values: [Self] = []
    try forEach(statement, arguments: arguments) { values.append($0) }
    return values
  }

  /// Goes through the rows of a statement, one in memory at a time.
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
      let value: Self
      do {
        value = try row.value.get()
      } catch let column as UnreadableColumn {
        throw DamagedRow(column: column.name(in: statement))
      }
      guard try body(value) else { return }
    }
  }
}

/// A column of the present row holds what no version of this code writes.
private struct UnreadableColumn: Error {
  let index: Int

  /// What the statement calls it.
  func name(in statement: Statement) -> String {
    statement.columnNames.indices.contains(index) ? statement.columnNames[index] : "\(index)"
  }
}

/// Reads a row's columns one after the other.
struct ColumnReader {
  private let statement: SQLiteStatement
  private var index: CInt = 0

  init(_ statement: SQLiteStatement) {
    self.statement = statement
  }

  /// - Throws: `UnreadableColumn` where there is nothing although the schema says that there always is something.
  mutating func next<Value: StatementColumnConvertible>() throws -> Value {
    defer { index += 1 }
    guard let value = Value.fromStatement(statement, atUncheckedIndex: index) else {
      throw UnreadableColumn(index: Int(index))
    }
    return value
  }

  /// A number of those that the column may hold.
  ///
  /// - Throws: `UnreadableColumn` for any other.
  mutating func next(_ numbers: StoredNumber) throws -> Int64 {
    try checked(try next(), in: numbers)
  }

  /// A number of those that the column may hold; nil where there is none.
  mutating func nextIfPresent(_ numbers: StoredNumber) throws -> Int64? {
    guard let number: Int64 = try next() else { return nil }
    return try checked(number, in: numbers)
  }

  private func checked(_ number: Int64, in numbers: StoredNumber) throws -> Int64 {
    guard numbers.range.contains(number) else { throw UnreadableColumn(index: Int(index) - 1) }
    return number
  }

  mutating func moment() throws -> Timestamp? {
    try nextIfPresent(.moment).map { Timestamp(milliseconds: $0) }
  }

  /// Passes over columns, which are named for the reader's sake; a debug build checks the names.
  mutating func skip(_ names: String...) {
    for name in names {
      assert(
        sqlite3_column_name(statement, index).map { String(cString: $0) } == name,
        "column \(index) is another one than \(name)")
      index += 1
    }
  }
}

/// Lets GRDB step through the rows: it takes this for a value in the first column.
private struct FetchedRow<Value: StatementRow>: DatabaseValueConvertible, StatementColumnConvertible {
  let value: Result<Value, any Error>

  /// What a row begins with may be NULL: it is for `Value` to say whether that is damage.
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
