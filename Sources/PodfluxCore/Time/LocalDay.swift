import Flux

/// A local calendar day, from which ages count.
///
/// All other days are assumed to begin at the same time of UTC: across a clock change, a past midnight is an hour off.
package struct LocalDay: Hashable, Sendable {
  private static let millisecondsPerSecond: Int64 = 1000

  /// The day number, counted from 1970-01-01.
  package let number: Int64
  /// The offset of local clocks from UTC, in seconds.
  package let secondsEast: Int64

  /// A day by its number; by default in UTC.
  package init(_ number: Int64, secondsEast: Int64 = 0) {
    self.number = number
    self.secondsEast = secondsEast
  }

  /// The day of a timestamp; by default in UTC.
  package init(of moment: Timestamp, secondsEast: Int64 = 0) {
    self.init(moment.advanced(byMilliseconds: secondsEast * Self.millisecondsPerSecond).day, secondsEast: secondsEast)
  }

  /// How many days before this one a timestamp lies; negative if it lies after.
  package func age(of moment: Timestamp) -> Int64 {
    number - LocalDay(of: moment, secondsEast: secondsEast).number
  }

  /// The start of the day so many days before this one.
  package func beginning(daysBefore days: Int64 = 0) -> Timestamp {
    let (day, overflow) = number.subtractingReportingOverflow(days)
    let beginning = Timestamp(day: overflow ? (days > 0 ? .min : .max) : day)
    return beginning.advanced(byMilliseconds: -secondsEast * Self.millisecondsPerSecond)
  }
}

extension LocalTime {
  package func day(at moment: Timestamp) -> LocalDay {
    LocalDay(of: moment, secondsEast: (shown(at: moment).milliseconds - moment.milliseconds) / 1000)
  }

  /// When the day after a timestamp's begins. If clocks skip that midnight, the next check comes an hour after it.
  package func nextDay(behind moment: Timestamp) -> Timestamp {
    let midnight = Timestamp(day: shown(at: moment).day + 1)
    return moments(showing: midnight).first { $0 > moment } ?? day(at: moment).beginning(daysBefore: -1)
  }
}
