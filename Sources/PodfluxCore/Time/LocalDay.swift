import Flux

/// A day as people's clocks have it, by which ages are told.
///
/// All days before and after it are taken to begin at the same time of UTC: where clocks were put forward or back since, a
/// midnight of long ago is an hour away from what they showed.
public struct LocalDay: Hashable, Sendable {
  private static let millisecondsPerSecond: Int64 = 1000

  /// Counted from 1970-01-01.
  public let number: Int64
  /// How far clocks are ahead of UTC, in seconds.
  public let secondsEast: Int64

  /// A day, on clocks that are so far ahead of UTC; those in Greenwich, by default.
  public init(_ number: Int64, secondsEast: Int64 = 0) {
    self.number = number
    self.secondsEast = secondsEast
  }

  /// The day of a moment, on clocks that are so far ahead of UTC; those in Greenwich, by default.
  public init(of moment: Timestamp, secondsEast: Int64 = 0) {
    self.init(moment.advanced(byMilliseconds: secondsEast * Self.millisecondsPerSecond).day, secondsEast: secondsEast)
  }

  /// How many days before this one a moment lies; below 0 if it comes after it.
  public func age(of moment: Timestamp) -> Int64 {
    number - LocalDay(of: moment, secondsEast: secondsEast).number
  }

  /// When the day begins that is so many days before this one.
  public func beginning(daysBefore days: Int64 = 0) -> Timestamp {
    Timestamp(day: number - days).advanced(byMilliseconds: -secondsEast * Self.millisecondsPerSecond)
  }
}

extension LocalTime {
  /// The day of a moment.
  public func day(at moment: Timestamp) -> LocalDay {
    LocalDay(of: moment, secondsEast: (shown(at: moment).milliseconds - moment.milliseconds) / 1000)
  }

  /// When the day behind a moment's begins. Where clocks skip that midnight, it is looked at again an hour behind it.
  public func nextDay(behind moment: Timestamp) -> Timestamp {
    let midnight = Timestamp(day: shown(at: moment).day + 1)
    return moments(showing: midnight).first { $0 > moment } ?? day(at: moment).beginning(daysBefore: -1)
  }
}
