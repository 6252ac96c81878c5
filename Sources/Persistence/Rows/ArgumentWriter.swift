import CSQLite
import GRDB

/// Binds a statement's arguments one by one.
///
/// GRDB's `StatementArguments` box each value; for the dozens of columns here, boxing costs more than binding.
struct ArgumentWriter {
  private static let none = StatementArguments()

  private let statement: Statement
  private var index: CInt = 0

  /// Clears the statement's arguments. Arguments that are not written are NULL.
  init(_ statement: Statement) {
    statement.setUncheckedArguments(Self.none)
    self.statement = statement
  }

  mutating func write(_ value: (some StatementBinding)?) throws {
    index += 1
    guard let value else { return }
    let code = ResultCode(rawValue: value.bind(to: statement.sqliteStatement, at: index))
    guard code == .SQLITE_OK else { throw DatabaseError(resultCode: code, message: "an argument cannot be bound") }
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
