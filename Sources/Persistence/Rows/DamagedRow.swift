import GRDB

/// A row holds what no version of this code writes: a disk has changed it, or somebody else.
struct DamagedRow: Error, CustomStringConvertible {
  /// The column, with its table where it is not one of the downloads'.
  let column: String

  /// In one sentence, without the value, which may be a secret.
  var description: String { "the database holds a value that cannot be in the column \(column)" }

  /// A value of which nobody can say where it stands.
  static let nowhere = DamagedRow(column: "that was read")

  /// Does something, and tells of values that are not even of their type as of other damage: GRDB's own errors have the row
  /// in them.
  static func telling<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch is RowDecodingError {
      throw nowhere
    }
  }
}
