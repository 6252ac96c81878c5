import PodfluxCore

/// The numbers that a column may hold.
///
/// Writers respect the range, but another program or a faulty disk may store any 64 bits. Readers check them, so that
/// later arithmetic cannot overflow `Int64`. Cost: two comparisons.
struct StoredNumber {
  /// The range of the column in rows that Podflux wrote.
  let range: ClosedRange<Int64>
  /// The largest value that reading returns: larger numbers of the range are read as this one.
  let ceiling: Int64

  init(_ range: ClosedRange<Int64>, ceiling: Int64 = .max) {
    self.range = range
    self.ceiling = ceiling
  }

  /// What a column's number is read as; nil for one that cannot be there.
  func read(_ number: Int64) -> Int64? { range.contains(number) ? min(number, ceiling) : nil }

  /// Any number.
  static let any = StoredNumber((.min)...(.max))
  /// Bytes of one file, as a server or a client may have claimed: earlier versions wrote any claim.
  static let length = StoredNumber(0...(.max), ceiling: Settings.Limits.volume.upperBound)
  /// Bytes of many files together, clamped at the end: see `Usage.maximum`.
  static let sum = StoredNumber(0...(1 << 62), ceiling: Settings.Limits.volume.upperBound)
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
  /// The status of an HTTP answer, three digits (RFC 9110 section 15).
  static let status = StoredNumber(100...999)
  /// The number of an episode, as the library gives them.
  static let episode = StoredNumber(EpisodeID.numbers)
  /// An index into a download's addresses; more than there ever are.
  static let source = StoredNumber(0...(1 << 16))
}
