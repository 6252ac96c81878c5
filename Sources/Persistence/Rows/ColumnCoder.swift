import Flux
import GRDB
import PodfluxCore

/// Reads, writes or lists the columns of a row, as the row's form names them.
///
/// A form is one function, generic over the coder: `ColumnReader` fills the value from the current row,
/// `ArgumentWriter` binds it to a statement, `ColumnList` lists the names of which the statements are made. So each
/// column is declared once, the order of reading and binding is that of the statement, and each coder gets its own
/// specialized code: nothing is looked up by its name. `PayloadCoder` does the same for lines.
protocol ColumnCoder {
  /// What can go wrong: nothing when names are listed.
  associatedtype Fault: Error

  /// A column with a text.
  ///
  /// - Parameters:
  ///   - read: What the text stands for; nil for damage.
  ///   - write: The text, which must have no NUL.
  mutating func text<Value>(
    _ column: StaticString, _ value: inout Value, _ read: (String) throws -> Value?, _ write: (Value) throws -> String
  ) throws(Fault)

  /// The same, where nil is NULL.
  mutating func text<Value>(
    _ column: StaticString, _ value: inout Value?, _ read: (String) throws -> Value?, _ write: (Value) throws -> String
  ) throws(Fault)

  /// A column with an integer.
  ///
  /// - Parameters:
  ///   - read: What the integer stands for; nil for damage.
  ///   - write: The integer.
  mutating func integer<Value>(
    _ column: StaticString, _ value: inout Value, _ read: (Int64) -> Value?, _ write: (Value) -> Int64
  ) throws(Fault)

  /// The same, where nil is NULL.
  mutating func integer<Value>(
    _ column: StaticString, _ value: inout Value?, _ read: (Int64) -> Value?, _ write: (Value) -> Int64
  ) throws(Fault)

  /// A column that follows from others, for indexes and conditions: written, and not read.
  mutating func derived<Value: DerivedColumn>(_ column: StaticString, _ value: @autoclosure () -> Value?) throws(Fault)
}

/// A value that a derived column may have.
protocol DerivedColumn {
  func write(to arguments: inout ArgumentWriter) throws
}

extension String: DerivedColumn {
  func write(to arguments: inout ArgumentWriter) throws { try arguments.write(self) }
}

extension Int64: DerivedColumn {
  func write(to arguments: inout ArgumentWriter) throws { try arguments.write(self) }
}

/// The columns of which there are many.
extension ColumnCoder {
  /// Any text. SQLite's ends at a NUL.
  mutating func text(_ column: StaticString, _ value: inout String?) throws(Fault) {
    try text(column, &value, { $0 }, DownloadRow.text)
  }

  mutating func address(_ column: StaticString, _ value: inout WebAddress?) throws(Fault) {
    try text(column, &value, { try? WebAddress($0) }, \.description)
  }

  /// A name of an enumeration.
  mutating func choice<Choice: RawRepresentable<String>>(
    _ column: StaticString, _ value: inout Choice?
  ) throws(Fault) {
    try text(column, &value, Choice.init(rawValue:), \.rawValue)
  }

  /// A list as JSON; an empty one is NULL.
  mutating func list<Element, Stored: Codable>(
    _ column: StaticString, _ value: inout [Element], _ read: ([Stored]) -> [Element]?, _ write: (Element) -> Stored
  ) throws(Fault) {
    var list = value.isEmpty ? nil : value
    try text(
      column, &list, { StoredJSON.value([Stored].self, of: $0).flatMap(read) }, { try StoredJSON.text($0.map(write)) })
    value = list ?? []
  }

  /// A number of the column's range.
  mutating func integer(
    _ column: StaticString, _ value: inout Int64, in numbers: StoredNumber
  ) throws(Fault) {
    try integer(column, &value, numbers.read, { $0 })
  }

  /// The same; NULL for nil.
  mutating func integer(
    _ column: StaticString, _ value: inout Int64?, in numbers: StoredNumber
  ) throws(Fault) {
    try integer(column, &value, numbers.read, { $0 })
  }

  /// The same, of a number that never exceeds an `Int`.
  mutating func integer(
    _ column: StaticString, _ value: inout Int, in numbers: StoredNumber
  ) throws(Fault) {
    try integer(column, &value, { numbers.read($0).map { Int($0) } }, { Int64($0) })
  }

  mutating func integer(
    _ column: StaticString, _ value: inout Int?, in numbers: StoredNumber
  ) throws(Fault) {
    try integer(column, &value, { numbers.read($0).map { Int($0) } }, { Int64($0) })
  }

  mutating func moment(_ column: StaticString, _ value: inout Timestamp) throws(Fault) {
    try integer(column, &value, { StoredNumber.moment.read($0).map(Timestamp.init(milliseconds:)) }, \.milliseconds)
  }

  mutating func moment(_ column: StaticString, _ value: inout Timestamp?) throws(Fault) {
    try integer(column, &value, { StoredNumber.moment.read($0).map(Timestamp.init(milliseconds:)) }, \.milliseconds)
  }

  mutating func boolean(_ column: StaticString, _ value: inout Bool) throws(Fault) {
    try integer(column, &value, { $0 != 0 }, { $0 ? 1 : 0 })
  }
}

/// Values that have several columns, which are named alike in each table.
extension ColumnCoder {
  /// When something was published. An offset of zero is NULL.
  mutating func publicationDate(_ value: inout PublicationDate?) throws(Fault) {
    var moment = value?.moment
    var offset = value.flatMap { $0.offsetSeconds == 0 ? nil : $0.offsetSeconds }
    try self.moment("published", &moment)
    let isKnown = moment != nil
    try integer(
      "published_offset", &offset,
      { isKnown ? PublicationDate(Timestamp(milliseconds: 0), offsetSeconds: $0)?.offsetSeconds : $0 }, { $0 })
    value = moment.flatMap { PublicationDate($0, offsetSeconds: offset ?? 0) }
  }

  /// A file of the library. Without a path there is none.
  mutating func file(_ value: inout PublishedFile?) throws(Fault) {
    var (path, sha256, modified) = (value?.path, value?.sha256, value?.modifiedNanoseconds)
    try text("path", &path, { try? LibraryPath(validating: $0) }, \.description)
    var (length, inode) = (value?.length, value.map { Int64(bitPattern: $0.inode) })
    try integer("file_length", &length, in: .length, isThere: path != nil)
    try integer("inode", &inode, in: .any, isThere: path != nil)
    try digest("sha256", &sha256)
    try integer("mtime", &modified, in: .any)
    guard let path, let length, let inode else { return value = nil }
    value = PublishedFile(
      path: path, length: length, inode: UInt64(bitPattern: inode), sha256: sha256, modifiedNanoseconds: modified)
  }

  /// A number that belongs to something. It is never NULL where that is there.
  private mutating func integer(
    _ column: StaticString, _ value: inout Int64?, in numbers: StoredNumber, isThere: Bool
  ) throws(Fault) {
    guard isThere else { return try integer(column, &value, in: numbers) }
    var number = value ?? 0
    try integer(column, &number, in: numbers)
    value = number
  }

  /// A SHA-256 in lower-case hexadecimal digits.
  mutating func digest(_ column: StaticString, _ value: inout String?) throws(Fault) {
    try text(
      column, &value, { $0.utf8.count == 64 && $0.utf8.allSatisfy(\.isHexadecimalDigit) ? $0 : nil }, { $0 })
  }
}

// MARK: - Reading

/// A debug build checks the names.
extension ColumnReader: ColumnCoder {
  mutating func text<Value>(
    _ column: StaticString, _ value: inout Value, _ read: (String) throws -> Value?, _ write: (Value) throws -> String
  ) throws {
    expect("\(column)")
    value = try next(read)
  }

  mutating func text<Value>(
    _ column: StaticString, _ value: inout Value?, _ read: (String) throws -> Value?, _ write: (Value) throws -> String
  ) throws {
    expect("\(column)")
    value = try nextIfPresent(read)
  }

  mutating func integer<Value>(
    _ column: StaticString, _ value: inout Value, _ read: (Int64) -> Value?, _ write: (Value) -> Int64
  ) throws {
    expect("\(column)")
    value = try next(read)
  }

  mutating func integer<Value>(
    _ column: StaticString, _ value: inout Value?, _ read: (Int64) -> Value?, _ write: (Value) -> Int64
  ) throws {
    expect("\(column)")
    value = try nextIfPresent(read)
  }

  mutating func derived<Value: DerivedColumn>(_ column: StaticString, _ value: @autoclosure () -> Value?) throws {}
}

// MARK: - Writing

extension ArgumentWriter: ColumnCoder {
  mutating func text<Value>(
    _ column: StaticString, _ value: inout Value, _ read: (String) throws -> Value?, _ write: (Value) throws -> String
  ) throws {
    try self.write(try write(value))
  }

  mutating func text<Value>(
    _ column: StaticString, _ value: inout Value?, _ read: (String) throws -> Value?, _ write: (Value) throws -> String
  ) throws {
    try self.write(try value.map(write))
  }

  mutating func integer<Value>(
    _ column: StaticString, _ value: inout Value, _ read: (Int64) -> Value?, _ write: (Value) -> Int64
  ) throws {
    try self.write(write(value))
  }

  mutating func integer<Value>(
    _ column: StaticString, _ value: inout Value?, _ read: (Int64) -> Value?, _ write: (Value) -> Int64
  ) throws {
    try self.write(value.map(write))
  }

  mutating func derived<Value: DerivedColumn>(_ column: StaticString, _ value: @autoclosure () -> Value?) throws {
    guard let value = value() else { return try write(Int64?.none) }
    try value.write(to: &self)
  }
}

// MARK: - Listing

/// Lists the names of a form's columns, in their order.
struct ColumnList: ColumnCoder {
  typealias Fault = Never

  /// The columns that are read.
  private(set) var read: [String] = []
  /// The columns that are written: derived ones too.
  private(set) var written: [String] = []

  /// Lists the columns of a form.
  init(of form: (inout ColumnList) -> Void) {
    form(&self)
  }

  private mutating func list(_ column: StaticString) {
    read.append("\(column)")
    written.append("\(column)")
  }

  mutating func text<Value>(
    _ column: StaticString, _ value: inout Value, _ read: (String) throws -> Value?, _ write: (Value) throws -> String
  ) { list(column) }

  mutating func text<Value>(
    _ column: StaticString, _ value: inout Value?, _ read: (String) throws -> Value?, _ write: (Value) throws -> String
  ) { list(column) }

  mutating func integer<Value>(
    _ column: StaticString, _ value: inout Value, _ read: (Int64) -> Value?, _ write: (Value) -> Int64
  ) { list(column) }

  mutating func integer<Value>(
    _ column: StaticString, _ value: inout Value?, _ read: (Int64) -> Value?, _ write: (Value) -> Int64
  ) { list(column) }

  mutating func derived<Value: DerivedColumn>(_ column: StaticString, _ value: @autoclosure () -> Value?) {
    written.append("\(column)")
  }
}
