import Flux

/// Timestamps in the protocol and in manifests: reads RFC 3339, writes RFC 3339 in UTC with exactly three fraction
/// digits.
///
/// Foundation's ISO 8601 style needs to know the fraction digits before parsing, and rounds through a `Double`.
package enum InternetDate {
  private static let millisecondsPerSecond: Int64 = 1000
  private static let secondsPerDay: Int64 = 86_400
  /// 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z: the years with four digits.
  private static let showable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
  /// The longest text that is parsed; nanoseconds and an offset make 35.
  private static let maximumBytes = 64

  /// Parses `date-time` of RFC 3339 section 5.6; drops digits beyond milliseconds, and counts a leap second as the
  /// following second. Nil for other text, and for years without four digits in UTC.
  package static func parse(_ text: String) -> Timestamp? {
    parsePublication(text)?.moment
  }

  /// Parses the same, and keeps the offset from UTC. `-00:00`, which means an unknown offset, counts as UTC.
  package static func parsePublication(_ text: String) -> PublicationDate? {
    guard text.utf8.count <= maximumBytes else { return nil }
    var scanner = DigitScanner(rest: Array(text.utf8)[...])
    guard let year = scanner.number(digits: 4), scanner.skip("-"),
      let month = scanner.number(digits: 2), (1...12).contains(month), scanner.skip("-"),
      let day = scanner.number(digits: 2), day >= 1, day <= CivilDate.days(inMonth: month, ofYear: year),
      scanner.skip("T") || scanner.skip("t"),
      let hour = scanner.number(digits: 2), hour <= 23, scanner.skip(":"),
      let minute = scanner.number(digits: 2), minute <= 59, scanner.skip(":"),
      let second = scanner.number(digits: 2), second <= 60,
      let fraction = scanner.fractionMilliseconds(), let offset = scanner.offsetSeconds(), scanner.rest.isEmpty
    else { return nil }
    let days = CivilDate(year: year, month: month, day: day).daysSince1970
    let seconds = days * secondsPerDay + hour * 3600 + minute * 60 + second - offset
    let milliseconds = seconds * millisecondsPerSecond + fraction
    guard showable.contains(milliseconds) else { return nil }
    return PublicationDate(Timestamp(milliseconds: milliseconds), offsetSeconds: offset)
  }

  /// Appends a timestamp such as `2026-11-21T03:00:00.000Z`; clamps to the years 1 to 9999.
  package static func append(_ moment: Timestamp, to bytes: inout [UInt8]) {
    appendClock(min(max(moment.milliseconds, showable.lowerBound), showable.upperBound), to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// Appends a timestamp in its publisher's offset, such as `2026-03-01T01:30:00.000+05:00`; uses `append(_:
  /// Timestamp)` for offset 0 and for local years outside 1 to 9999.
  package static func append(_ date: PublicationDate, to bytes: inout [UInt8]) {
    let shown = date.moment.advanced(byMilliseconds: date.offsetSeconds * millisecondsPerSecond).milliseconds
    guard date.offsetSeconds != 0, showable.contains(date.moment.milliseconds), showable.contains(shown) else {
      return append(date.moment, to: &bytes)
    }
    appendClock(shown, to: &bytes)
    let minutes = abs(date.offsetSeconds) / 60
    bytes.append(date.offsetSeconds < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    append(minutes / 60, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    append(minutes % 60, digits: 2, to: &bytes)
  }

  private static func appendClock(_ milliseconds: Int64, to bytes: inout [UInt8]) {
    let (seconds, fraction) = milliseconds.dividedDown(by: millisecondsPerSecond)
    let (days, time) = seconds.dividedDown(by: secondsPerDay)
    let date = CivilDate(daysSince1970: days)
    append(date.year, digits: 4, then: "-", to: &bytes)
    append(date.month, digits: 2, then: "-", to: &bytes)
    append(date.day, digits: 2, then: "T", to: &bytes)
    append(time / 3600, digits: 2, then: ":", to: &bytes)
    append(time / 60 % 60, digits: 2, then: ":", to: &bytes)
    append(time % 60, digits: 2, then: ".", to: &bytes)
    append(fraction, digits: 3, to: &bytes)
  }

  private static func append(_ number: Int64, digits: Int, then separator: Unicode.Scalar, to bytes: inout [UInt8]) {
    append(number, digits: digits, to: &bytes)
    bytes.append(UInt8(ascii: separator))
  }

  private static func append(_ number: Int64, digits: Int, to bytes: inout [UInt8]) {
    var divisor = (1..<digits).reduce(Int64(1)) { power, _ in power * 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }
}

/// Reads the parts of a timestamp from the front.
private struct DigitScanner {
  var rest: ArraySlice<UInt8>

  mutating func skip(_ separator: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: separator) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func digit() -> Int64? {
    guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    rest.removeFirst()
    return Int64(byte - UInt8(ascii: "0"))
  }

  mutating func number(digits: Int) -> Int64? {
    var number: Int64 = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  /// The milliseconds of the fraction, 0 if there is none, nil for a point without digits.
  mutating func fractionMilliseconds() -> Int64? {
    guard skip(".") else { return 0 }
    guard let first = digit() else { return nil }
    var (milliseconds, weight): (Int64, Int64) = (first * 100, 10)
    while let digit = digit() {
      milliseconds += digit * weight
      weight /= 10
    }
    return milliseconds
  }

  /// The offset from UTC in seconds, nil if there is none.
  mutating func offsetSeconds() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let isBehind = skip("-")
    guard isBehind || skip("+"), let hours = number(digits: 2), hours <= 23, skip(":"),
      let minutes = number(digits: 2), minutes <= 59
    else { return nil }
    return (isBehind ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
