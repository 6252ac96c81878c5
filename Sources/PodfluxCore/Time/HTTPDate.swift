import Flux

extension Timestamp {
  /// Parses an `HTTP-date` (RFC 9110 section 5.6.7) in any of its forms:
  ///
  ///     Sun, 06 Nov 1994 08:49:37 GMT       IMF-fixdate
  ///     Sunday, 06-Nov-94 08:49:37 GMT      RFC 850
  ///     Sun Nov  6 08:49:37 1994            asctime
  ///
  /// Strict: case and blanks as in the grammar, an existing day, and its weekday. A leap second counts as the following
  /// second. Nil for other text.
  ///
  /// A year of two digits is the latest that lies at most 50 years after `now`, if that has four digits; without `now`,
  /// one of 1970 to 2069.
  package init?(httpDate text: String, now: Timestamp? = nil) {
    // The longest form has "Wednesday".
    guard text.utf8.count <= 33 else { return nil }
    var reader = DateReader(rest: Array(text.utf8)[...])
    guard let date = reader.date(now: now), reader.rest.isEmpty, let moment = date.moment else { return nil }
    self = moment
  }
}

/// The parts of an HTTP-date as they are written.
private struct DateParts {
  var weekday: Int
  var year: Int64
  var month: Int64
  var day: Int64
  var secondOfDay: Int64

  /// Nil if there was no such day, the weekday is wrong, or the year has more than four digits.
  var moment: Timestamp? {
    guard (0...9999).contains(year), (1...12).contains(month),
      (1...CivilDate.days(inMonth: month, ofYear: year)).contains(day)
    else { return nil }
    let days = CivilDate(year: year, month: month, day: day).daysSince1970
    // 1970-01-01 was a Thursday.
    guard (days + 3).dividedDown(by: 7).remainder == weekday else { return nil }
    return Timestamp(milliseconds: (days * 86_400 + secondOfDay) * 1000)
  }
}

/// Reads an HTTP-date from the front.
private struct DateReader {
  var rest: ArraySlice<UInt8>

  /// The names of the weekdays, Monday first.
  private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
  private static let shortWeekdays = weekdays.map { String($0.prefix(3)) }
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  mutating func date(now: Timestamp?) -> DateParts? {
    // The long names first: each begins with its short one.
    if let weekday = takeAny(Self.weekdays) { return rfc850Date(weekday: weekday, now: now) }
    guard let weekday = takeAny(Self.shortWeekdays) else { return nil }
    return take(",") ? fixedDate(weekday: weekday) : asctimeDate(weekday: weekday)
  }

  private mutating func fixedDate(weekday: Int) -> DateParts? {
    guard take(" "), let day = number(digits: 2), take(" "), let month = month(), take(" "),
      let year = number(digits: 4), take(" "), let second = secondOfDay(), take(" GMT")
    else { return nil }
    return DateParts(weekday: weekday, year: year, month: month, day: day, secondOfDay: second)
  }

  private mutating func rfc850Date(weekday: Int, now: Timestamp?) -> DateParts? {
    guard take(", "), let day = number(digits: 2), take("-"), let month = month(), take("-"),
      let shortYear = number(digits: 2), take(" "), let second = secondOfDay(), take(" GMT")
    else { return nil }
    let latest = now.map(Self.latestYear) ?? 2069
    var year = latest - (latest - shortYear).dividedDown(by: 100).remainder
    // In the boundary year the day decides.
    if let now, year == latest, Self.isMoreThan50Years(month: month, day: day, after: now) { year -= 100 }
    return DateParts(weekday: weekday, year: year, month: month, day: day, secondOfDay: second)
  }

  private mutating func asctimeDate(weekday: Int) -> DateParts? {
    guard take(" "), let month = month(), take(" "), let day = take(" ") ? number(digits: 1) : number(digits: 2),
      take(" "), let second = secondOfDay(), take(" "), let year = number(digits: 4)
    else { return nil }
    return DateParts(weekday: weekday, year: year, month: month, day: day, secondOfDay: second)
  }

  private static func latestYear(now: Timestamp) -> Int64 {
    CivilDate(milliseconds: now.milliseconds).year + 50
  }

  private static func isMoreThan50Years(month: Int64, day: Int64, after now: Timestamp) -> Bool {
    let today = CivilDate(milliseconds: now.milliseconds)
    return (month, day) > (today.month, today.day)
  }

  /// `08:49:37`, in seconds since midnight.
  private mutating func secondOfDay() -> Int64? {
    guard let hour = number(digits: 2), hour <= 23, take(":"), let minute = number(digits: 2), minute <= 59, take(":"),
      let second = number(digits: 2), second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  /// The month, from 1.
  private mutating func month() -> Int64? {
    takeAny(Self.months).map { Int64($0) + 1 }
  }

  private mutating func number(digits: Int) -> Int64? {
    guard rest.count >= digits, let number = decimalNumber(rest.prefix(digits)) else { return nil }
    rest.removeFirst(digits)
    return number
  }

  /// The index of the word that comes next.
  private mutating func takeAny(_ words: [String]) -> Int? {
    words.firstIndex { take($0) }
  }

  private mutating func take(_ word: String) -> Bool {
    guard rest.starts(with: word.utf8) else { return false }
    rest.removeFirst(word.utf8.count)
    return true
  }
}
