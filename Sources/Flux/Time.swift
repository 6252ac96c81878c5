/// A wall-clock time: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// ```swift
/// let weekAgo = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).advanced(byDays: -7)
/// if download.dates.added > weekAgo { print(Date(timeIntervalSince1970: Double(weekAgo.milliseconds) / 1000)) }
/// ```
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.milliseconds < rhs.milliseconds
  }

  /// The timestamp so many milliseconds later; saturates instead of overflowing.
  public func advanced(byMilliseconds interval: Int64) -> Timestamp {
    let (sum, overflow) = milliseconds.addingReportingOverflow(interval)
    return Timestamp(milliseconds: overflow ? (interval < 0 ? .min : .max) : sum)
  }

  private static let millisecondsPerDay: Int64 = 86_400_000

  /// The start of a UTC day, counted from 1970-01-01; saturates instead of overflowing.
  public init(day: Int64) {
    let (product, overflow) = day.multipliedReportingOverflow(by: Self.millisecondsPerDay)
    self.init(milliseconds: overflow ? (day < 0 ? .min : .max) : product)
  }

  /// The UTC day, counted from 1970-01-01.
  public var day: Int64 {
    // Division rounds towards zero, but days before 1970 round down; no subtraction can overflow.
    milliseconds < 0 ? (milliseconds + 1) / Self.millisecondsPerDay - 1 : milliseconds / Self.millisecondsPerDay
  }

  /// The timestamp so many times 24 hours later.
  public func advanced(byDays days: Int) -> Timestamp {
    let (interval, overflow) = Int64(days).multipliedReportingOverflow(by: Self.millisecondsPerDay)
    return advanced(byMilliseconds: overflow ? (days < 0 ? .min : .max) : interval)
  }

  /// Decodes a bare integer.
  public init(from decoder: any Decoder) throws {
    milliseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Encodes a bare integer.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }
}

/// A reading of both clocks of the machine.
///
/// The wall clock dates events and may jump; the monotonic clock measures durations.
///
/// Use: `ClockReading(wall: Timestamp(day: 20_000), monotonicMilliseconds: 0)`, as tests give it to a dispatcher.
public struct ClockReading: Hashable, Sendable {
  public var wall: Timestamp
  /// Milliseconds on a clock that never goes back; its zero is arbitrary.
  public var monotonicMilliseconds: Int64

  public init(wall: Timestamp, monotonicMilliseconds: Int64) {
    self.wall = wall
    self.monotonicMilliseconds = monotonicMilliseconds
  }
}
