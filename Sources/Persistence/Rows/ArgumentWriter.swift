import GRDB

/// Writes a statement's arguments one after the other.
///
/// GRDB's own `StatementArguments` keep each value in a box of its own; for the dozens of columns here, that costs more than
/// binding them.
struct ArgumentWriter {
  private static let none = StatementArguments()

  private let statement: Statement
  private var index: CInt = 0

  /// Forgets the arguments that the statement had. What is not written is null.
  init(_ statement: Statement) {
    statement.setUncheckedArguments(Self.none)
    self.statement = statement
  }

  /// Writes the next argument.
  mutating func write(_ value: (some StatementBinding)?) throws {
    index += 1
    guard let value else { return }
    let code = ResultCode(rawValue: value.bind(to: statement.sqliteStatement, at: index))
    guard code == .SQLITE_OK else { throw DatabaseError(resultCode: code, message: "an argument cannot be bound") }
  }
}
