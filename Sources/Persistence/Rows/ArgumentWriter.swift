import CSQLite
import GRDB

/// Binds a statement's arguments one by one, and executes it.
///
/// GRDB's `StatementArguments` box each value; for the dozens of columns here, boxing costs more than binding. Its
/// bookkeeping for observers and cancelled accesses, which there are none of, costs as much as a small statement.
struct ArgumentWriter {
  private let statement: Statement
  private var index: CInt = 0

  /// Clears the statement's arguments. Arguments that are not written are NULL.
  init(_ statement: Statement) {
    self.statement = statement
    sqlite3_reset(statement.sqliteStatement)
    sqlite3_clear_bindings(statement.sqliteStatement)
  }

  mutating func write(_ value: (some StatementBinding)?) throws {
    index += 1
    guard let value else { return }
    try check(value.bind(to: statement.sqliteStatement, at: index))
  }

  /// Binds a text without the array that passing a string to C makes.
  mutating func write(_ text: String?) throws {
    index += 1
    guard var text else { return }
    try check(
      text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          sqlite_bind_text_copy(statement.sqliteStatement, index, $0.baseAddress, CInt($0.count))
        }
      })
  }

  private func check(_ code: CInt) throws {
    let code = ResultCode(rawValue: code)
    guard code == .SQLITE_OK else { throw DatabaseError(resultCode: code, message: "an argument cannot be bound") }
  }

  /// Executes a statement whose rows, if it has any, are not wanted.
  func execute() throws {
    _ = try statement.finds()
  }

  /// Executes a statement of which one row at most is wanted.
  func first<Row: StatementRow>(_ row: Row.Type) throws -> Row? {
    defer { sqlite3_reset(statement.sqliteStatement) }
    guard try statement.hasStepped() else { return nil }
    var columns = ColumnReader(statement.sqliteStatement)
    return try Row(reading: &columns, of: statement)
  }

  /// Calls the body with each row of the statement, until it returns false. It may use other statements.
  func walk(_ body: (inout ColumnReader) throws -> Bool) throws {
    defer { sqlite3_reset(statement.sqliteStatement) }
    while try statement.hasStepped() {
      var columns = ColumnReader(statement.sqliteStatement)
      guard try body(&columns) else { return }
    }
  }
}

extension Statement {
  /// Whether the statement finds a row with an argument.
  ///
  /// One of GRDB's cursors costs as much as the look-up itself, and each enqueue needs two.
  func finds(_ argument: some StatementBinding) throws -> Bool {
    var arguments = ArgumentWriter(self)
    try arguments.write(argument)
    return try finds()
  }

  /// Whether the statement finds a row with the arguments that are bound.
  func finds() throws -> Bool {
    defer { sqlite3_reset(sqliteStatement) }
    return try hasStepped()
  }

  /// Goes to the next row. Returns whether there is one.
  fileprivate func hasStepped() throws -> Bool {
    let code = ResultCode(rawValue: sqlite3_step(sqliteStatement))
    switch code {
    case .SQLITE_ROW: return true
    case .SQLITE_DONE: return false
    default:
      throw DatabaseError(
        resultCode: code, message: sqlite3_errmsg(sqlite3_db_handle(sqliteStatement)).map { String(cString: $0) },
        sql: sql)
    }
  }
}
