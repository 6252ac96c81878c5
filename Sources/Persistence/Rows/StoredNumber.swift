/// The numbers that a column may hold.
///
/// Whoever writes a row keeps to them; a row that somebody else has changed, or a disk, may hold any 64 bits. They are
/// checked as they are read, so that nobody who reckons with them meets the end of `Int64`. Cost: two comparisons.
struct StoredNumber {
  /// What the column holds in rows that Podflux has written.
  let range: ClosedRange<Int64>

  init(_ range: ClosedRange<Int64>) {
    self.range = range
  }

  /// Bytes of one file: a server or a client may have told any.
  static let length = StoredNumber(0...(.max))
  /// Bytes of many files together: sums end there, see `Usage.maximum`.
  static let sum = StoredNumber(0...(1 << 62))
  /// How many rows there are of something: a trillion, so that some thousand of these can be added.
  static let count = StoredNumber(0...(1 << 40))
  /// A revision or a sequence number.
  static let log = StoredNumber(0...(1 << 62))
  /// A place in the queue, as the schema has it.
  static let position = StoredNumber(-(1 << 62) + 1...(1 << 62) - 1)
  /// Milliseconds since 1970-01-01: some 285,000 years before and after, far beyond what clocks and clients say.
  static let moment = StoredNumber(-(1 << 53)...(1 << 53))
  /// Days since 1970-01-01: those of `moment`.
  static let day = StoredNumber(-(1 << 53) / 86_400_000...(1 << 53) / 86_400_000)
  /// Attempts that have failed, as the schema has it.
  static let failures = StoredNumber(0...(1 << 31))
  /// A place among a download's addresses; more than there ever are.
  static let source = StoredNumber(0...(1 << 16))
}
