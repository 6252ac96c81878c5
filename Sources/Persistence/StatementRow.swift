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
      guard try body(try row.value.get()) else { return }
    }
  }
}

/// Reads a row's columns one after the other.
struct ColumnReader {
  private let statement: SQLiteStatement
  private var index: CInt = 0

  init(_ statement: SQLiteStatement) {
    self.statement = statement
  }

  mutating func next<Value: StatementColumnConvertible>() -> Value {
    defer { index += 1 }
    guard let value = Value.fromStatement(statement, atUncheckedIndex: index) else {
      preconditionFailure("a column that the schema says is never null is null")
    }
    return value
  }

  mutating func moment() -> Timestamp? {
    (next() as Int64?).map { Timestamp(milliseconds: $0) }
  }

  /// Passes over columns, which are named for the reader's sake.
  mutating func skip(_ names: String...) {
    index += CInt(names.count)
  }
}

/// Lets GRDB step through the rows: it takes this for a value in the first column.
private struct FetchedRow<Value: StatementRow>: DatabaseValueConvertible, StatementColumnConvertible {
  let value: Result<Value, any Error>

  init?(sqliteStatement: SQLiteStatement, index: CInt) {
    value = Result {
      var columns = ColumnReader(sqliteStatement)
      return try Value(&columns)
    }
  }

  var databaseValue: DatabaseValue { .null }

  static func fromDatabaseValue(_: DatabaseValue) -> Self? { nil }
}
