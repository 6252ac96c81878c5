import Flux

/// A day of the Gregorian calendar.
///
/// After Howard Hinnant's `days_from_civil` and `civil_from_days` (howardhinnant.github.io/date_algorithms.html): years
/// begin in March, so that the leap day is the last of its year, and 400 years always have 146,097 days.
package struct CivilDate: Hashable, Sendable {
  private static let daysPerEra: Int64 = 146_097
  /// From 0000-03-01 to 1970-01-01.
  private static let daysBefore1970: Int64 = 719_468

  /// The year in astronomical numbering: there is a year 0.
  package let year: Int64
  /// The month, from 1.
  package let month: Int64
  /// The day of the month, from 1.
  package let day: Int64

  /// A date from its parts, which must be valid.
  package init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  package init(daysSince1970: Int64) {
    let (era, dayOfEra) = (daysSince1970 + Self.daysBefore1970).dividedDown(by: Self.daysPerEra)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The UTC day of a time in milliseconds since 1970-01-01T00:00:00Z.
  package init(milliseconds: Int64) {
    self.init(daysSince1970: Timestamp(milliseconds: milliseconds).day)
  }

  /// `yyyy-MM-dd`; nil unless the year has four digits.
  package var text: String? {
    guard (1...9999).contains(year) else { return nil }
    return [(year, 4), (month, 2), (day, 2)].map { number, width in
      String(String("0000\(number)").suffix(width))
    }.joined(separator: "-")
  }

  package var daysSince1970: Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).dividedDown(by: 400)
    let marchMonth = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysPerEra + dayOfEra - Self.daysBefore1970
  }

  package static func days(inMonth month: Int64, ofYear year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}

extension Int64 {
  /// Quotient and remainder, rounded down, so that times before an epoch fall on the right day.
  package func dividedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
