/// A moment of wall-clock time: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  /// Makes a moment from milliseconds since 1970-01-01T00:00:00Z.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Orders moments from past to future.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.milliseconds < rhs.milliseconds
  }

  /// The moment so many milliseconds later; stops at the end of time instead of overflowing.
  public func advanced(byMilliseconds interval: Int64) -> Timestamp {
    let (sum, overflow) = milliseconds.addingReportingOverflow(interval)
    return Timestamp(milliseconds: overflow ? (interval < 0 ? .min : .max) : sum)
  }

  private static let millisecondsPerDay: Int64 = 86_400_000

  /// The beginning of a day of UTC, counted from 1970-01-01.
  public init(day: Int64) {
    self.init(milliseconds: day * Self.millisecondsPerDay)
  }

  /// The day of UTC, counted from 1970-01-01.
  public var day: Int64 {
    // Division rounds towards zero, days begin before it too; nothing is subtracted that could overflow.
    milliseconds < 0 ? (milliseconds + 1) / Self.millisecondsPerDay - 1 : milliseconds / Self.millisecondsPerDay
  }

  /// The moment so many times 24 hours later.
  public func advanced(byDays days: Int) -> Timestamp {
    let (interval, overflow) = Int64(days).multipliedReportingOverflow(by: Self.millisecondsPerDay)
    return advanced(byMilliseconds: overflow ? (days < 0 ? .min : .max) : interval)
  }

  /// Reads and writes a bare integer.
  public init(from decoder: any Decoder) throws {
    milliseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Reads and writes a bare integer.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }
}

/// What both clocks of the machine showed at one moment.
///
/// The wall clock dates things and may jump; the monotonic clock measures how long things take.
public struct ClockReading: Hashable, Sendable {
  /// The wall clock.
  public var wall: Timestamp
  /// Milliseconds on a clock that never goes back; its zero means nothing.
  public var monotonicMilliseconds: Int64

  /// Makes a reading of both clocks.
  public init(wall: Timestamp, monotonicMilliseconds: Int64) {
    self.wall = wall
    self.monotonicMilliseconds = monotonicMilliseconds
  }
}
