import GRDB

/// A row holds a value that no version of this code writes: the disk or another program changed it.
struct DamagedRow: Error, CustomStringConvertible {
  /// The column, with its table unless that is `downloads`.
  let column: String

  /// One sentence without the value, which may be a secret.
  var description: String { LibraryDatabase.OpeningError.damaged(fault).description }

  /// The fault, as a part of a sentence.
  var fault: String { "the column \(column) holds a value that cannot be there" }

  /// A damaged value whose column is unknown.
  static let nowhere = DamagedRow(column: "that was read")

  /// Runs the body, and turns GRDB's decoding errors into `DamagedRow`: they would contain the row.
  static func telling<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch is RowDecodingError {
      throw nowhere
    }
  }
}
