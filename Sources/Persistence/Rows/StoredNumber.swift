import PodfluxCore

/// The numbers that a column may hold.
///
/// Writers respect the range, but another program or a faulty disk may store any 64 bits. Readers check them, so that
/// later arithmetic cannot overflow `Int64`. Cost: two comparisons.
struct StoredNumber {
  /// The range of the column in rows that Podflux wrote.
  let range: ClosedRange<Int64>

  init(_ range: ClosedRange<Int64>) {
    self.range = range
  }

  /// Bytes of one file, as a server or a client may have claimed.
  static let length = StoredNumber(0...(.max))
  /// Bytes of many files together, clamped at the end: see `Usage.maximum`.
  static let sum = StoredNumber(0...(1 << 62))
  /// A number of rows: up to a trillion, so that some thousands of them can be added.
  static let count = StoredNumber(0...(1 << 40))
  /// A revision or a sequence number.
  static let log = StoredNumber(0...(1 << 62))
  /// A position in the queue, as in the schema.
  static let position = StoredNumber(-(1 << 62) + 1...(1 << 62) - 1)
  /// Milliseconds since 1970-01-01: some 285,000 years before and after, far beyond real clocks.
  static let moment = StoredNumber(-(1 << 53)...(1 << 53))
  /// Days since 1970-01-01: those of `moment`.
  static let day = StoredNumber(-(1 << 53) / 86_400_000...(1 << 53) / 86_400_000)
  /// The number of a session, as in the schema.
  static let session = StoredNumber(1...Int64(Session.Limits.sessions))
  /// Failed attempts, as in the schema.
  static let failures = StoredNumber(0...(1 << 31))
  /// An index into a download's addresses; more than there ever are.
  static let source = StoredNumber(0...(1 << 16))
}
