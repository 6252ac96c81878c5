import Flux
import PodfluxCore

/// Dates as feeds write them: RFC 822 and RFC 3339, and what publishers write instead.
///
/// Read are the parts in any order that is not ambiguous, names of months in the languages that occur, years of two
/// digits, dates without a time or a zone. A wrong name of the day is ignored. A zone that is missing or unknown counts
/// as UTC, as RFC 2822 section 4.3 has it. Nil is anything else: days that do not exist, `03/04/2015`, which is two
/// days, and years before `earliestYear`, which software writes that knows no date. No text means the present.
package enum FeedDate {
  /// The first year that is believed.
  package static let earliestYear: Int64 = 1900
  /// The longest text that is read.
  package static let maximumBytes = 100

  /// The date, with the publisher's offset from UTC.
  package static func parse(_ text: String) -> PublicationDate? {
    guard text.utf8.count <= maximumBytes else { return nil }
    if let date = PlainDate.parse(text.utf8.span) { return date }
    var parts = DateParts()
    for field in text.utf8.split(whereSeparator: { $0 <= 0x20 || $0 == UInt8(ascii: ",") }) {
      let lowercased = String(Substring(field)).lowercased()
      guard parts.take(Array(lowercased.utf8)[...]) else { return nil }
    }
    return parts.date
  }
}

/// The parts of a date that have been read.
private struct DateParts {
  private var year: Int64?
  private var month: Int64?
  private var isMonthBeforeDay = false
  private var day: Int64?
  private var milliseconds: Int64?
  private var offset: Int64?

  private static let millisecondsPerHour: Int64 = 3_600_000

  var date: PublicationDate? {
    guard let year, let month, let day, (FeedDate.earliestYear...9998).contains(year), (1...12).contains(month),
      (1...CivilDate.days(inMonth: month, ofYear: year)).contains(day)
    else { return nil }
    let days = CivilDate(year: year, month: month, day: day).daysSince1970
    let offset = offset ?? 0
    let moment = days * 86_400_000 + (milliseconds ?? 0) - offset * 1000
    return PublicationDate(Timestamp(milliseconds: moment), offsetSeconds: offset)
  }

  /// Takes a word in lower case; false if the text is no date.
  mutating func take(_ word: ArraySlice<UInt8>) -> Bool {
    if word.contains(UInt8(ascii: ":")) { return takeTime(word) }
    if let number = Self.number(word) { return take(number: number, digits: word.count) }
    if let first = word.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") { return takeZone(word) }
    if word.first.map(Self.isDigit) == true { return takeCompound(word) }
    return takeName(word)
  }

  // MARK: Days

  private mutating func take(number: Int64, digits: Int, isYear: Bool = false) -> Bool {
    if digits <= 2, !isYear, day == nil, (1...31).contains(number) {
      day = number
      return true
    }
    if digits == 8, year == nil, month == nil, day == nil {
      (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
      return true
    }
    guard year == nil, (2...4).contains(digits) else { return false }
    switch digits {
    case 2: year = number < 70 ? 2000 + number : 1900 + number
    // Software that adds a year's number since 1900 to nothing.
    case 3: year = 1900 + number
    default: year = number
    }
    return true
  }

  /// `2015-02-03`, `2015-02-03t10`, `03-feb-2015`, `13/02/2015`, `03.02.2015`, `3rd`, `20150203t100000z`.
  private mutating func takeCompound(_ word: ArraySlice<UInt8>) -> Bool {
    if word.count >= 15, word[word.startIndex + 8] == UInt8(ascii: "t") {
      guard take(word.prefix(8)) else { return false }
      let time = word.dropFirst(9)
      let (hours, minutes, seconds) = (time.prefix(2), time.dropFirst(2).prefix(2), time.dropFirst(4))
      return takeTime(hours + [UInt8(ascii: ":")] + minutes + [UInt8(ascii: ":")] + seconds)
    }
    let digits = word.prefix { Self.isDigit($0) }
    let suffix = word.dropFirst(digits.count)
    if ["st", "nd", "rd", "th", "."].contains(where: { suffix.elementsEqual($0.utf8) }) { return take(digits) }
    guard let separator = suffix.first, [UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ".")].contains(separator)
    else { return false }
    var fields = word.split(separator: separator, maxSplits: 2, omittingEmptySubsequences: false)
    guard fields.count == 3 else { return false }
    if let t = fields[2].firstIndex(of: UInt8(ascii: "t")), fields[0].count == 4 {
      let time = fields[2][fields[2].index(after: t)...]
      fields[2] = fields[2][..<t]
      guard time.isEmpty || takeTime(time) else { return false }
    }
    guard let first = Self.number(fields[0]), let last = Self.number(fields[2]) else { return false }
    guard let middle = Self.number(fields[1]) ?? DateNames.month(fields[1]) else { return false }
    if fields[0].count == 4 {
      guard year == nil, month == nil, day == nil else { return false }
      (year, month, day) = (first, middle, last)
      return true
    }
    guard year == nil, month == nil, day == nil, fields[2].count == 2 || fields[2].count == 4,
      take(number: last, digits: fields[2].count, isYear: true)
    else { return false }
    if Self.number(fields[1]) == nil || separator == UInt8(ascii: ".") {
      (day, month) = (first, middle)
    } else if first > 12 {
      (day, month) = (first, middle)
    } else if middle > 12 || first == middle {
      (month, day) = (first, middle)
    } else {
      return false
    }
    return true
  }

  // MARK: Times and zones

  /// `10:00`, `10:00:00.5`, `10:00:00z`, `10:00:00+0200`, `10:00am`, `2015-02-03t10:00:00`.
  private mutating func takeTime(_ word: ArraySlice<UInt8>) -> Bool {
    if let t = word.firstIndex(of: UInt8(ascii: "t")), word[..<t].contains(UInt8(ascii: "-")) {
      return takeCompound(word[..<t]) && takeTime(word[word.index(after: t)...])
    }
    if let first = word.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") { return takeZone(word) }
    if word.first.map(Self.isDigit) == false { return takeName(word) }
    guard milliseconds == nil else { return false }
    let clock = word.prefix { Self.isDigit($0) || [0x3A, 0x2E, 0x2C].contains($0) }
    let fields = clock.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (1...3).contains(fields.count), let hour = Self.number(fields[0]), hour <= 24 else { return false }
    let minute = fields.count > 1 ? Self.number(fields[1]) : 0
    guard let minute, minute <= 59, let last = fields.count > 2 ? Self.milliseconds(fields[2]) : 0 else { return false }
    guard last < 61_000, hour < 24 || minute == 0 && last == 0 else { return false }
    milliseconds = hour * Self.millisecondsPerHour + minute * 60_000 + last
    let rest = word.dropFirst(clock.count)
    return rest.isEmpty || take(rest)
  }

  private mutating func takeZone(_ word: ArraySlice<UInt8>) -> Bool {
    let digits = word.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard offset == nil || offset == 0, let number = Self.number(digits[...]) else { return false }
    let (hours, minutes): (Int64, Int64)
    switch digits.count {
    case 1, 2: (hours, minutes) = (number, 0)
    case 3, 4: (hours, minutes) = (number / 100, number % 100)
    case 6: (hours, minutes) = (number / 10_000, number / 100 % 100)
    default: return false
    }
    guard hours <= 23, minutes <= 59 else { return false }
    offset = (word.first == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    return true
  }

  private mutating func takeName(_ word: ArraySlice<UInt8>) -> Bool {
    let letters = word.prefix { !Self.isDigit($0) && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }
    if letters.count < word.count {
      // `gmt+2`, `utc-05:00`, and `feb-03-2015`.
      guard DateNames.month(letters) == nil else {
        month = DateNames.month(letters)
        return word.dropFirst(letters.count).split(separator: UInt8(ascii: "-")).allSatisfy { take($0) }
      }
      return takeZone(word.dropFirst(letters.count))
    }
    if let milliseconds, word.elementsEqual("am".utf8) || word.elementsEqual("pm".utf8) {
      let hours = milliseconds / Self.millisecondsPerHour
      guard (1...12).contains(hours) else { return hours <= 23 }
      let isAfternoon = word.first == UInt8(ascii: "p")
      self.milliseconds =
        milliseconds % Self.millisecondsPerHour + (hours % 12 + (isAfternoon ? 12 : 0)) * Self.millisecondsPerHour
      return true
    }
    // The French, Italian and Spanish Tuesday is `mar`: a month before the day gives way to one behind it.
    if month == nil || isMonthBeforeDay, let named = DateNames.month(word) {
      month = named
      isMonthBeforeDay = day == nil
      return true
    }
    if let zone = DateNames.zoneMinutes[String(decoding: word, as: UTF8.self)], milliseconds != nil, offset == nil {
      offset = zone * 60
    }
    // The name of a day, or a zone that is unknown. A text of words alone has no parts, and is no date.
    return true
  }

  private static func milliseconds(_ text: ArraySlice<UInt8>) -> Int64? {
    let seconds = text.prefix { isDigit($0) }
    guard let whole = number(seconds), whole <= 60 else { return nil }
    let fraction = text.dropFirst(seconds.count + 1).prefix(3)
    guard !fraction.isEmpty else { return whole * 1000 }
    guard let parts = number(fraction) else { return nil }
    return whole * 1000 + parts * [100, 10, 1][fraction.count - 1]
  }

  /// The value of up to nine digits.
  private static func number(_ text: ArraySlice<UInt8>) -> Int64? {
    guard (1...9).contains(text.count), text.allSatisfy(isDigit) else { return nil }
    return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
