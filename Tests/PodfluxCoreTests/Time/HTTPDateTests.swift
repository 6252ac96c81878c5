import Flux
import Foundation
import PodfluxCore
import Testing

@Suite("An HTTP date")
struct HTTPDateTests {
  /// 1994-11-06T08:49:37Z, the example of RFC 9110.
  private static let example = Timestamp(milliseconds: 784_111_777_000)
  /// 2026-11-21T00:00:00Z.
  private static let now = Timestamp(milliseconds: 1_795_219_200_000)

  @Test(
    "is parsed in each of its forms",
    arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func forms(text: String) {
    #expect(Timestamp(httpDate: text) == Self.example)
    #expect(Timestamp(httpDate: text, now: Self.now) == Self.example)
  }

  @Test(
    "is parsed at the edges of the calendar",
    arguments: [
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
      ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
      ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800), ("Sat Nov 26 00:00:00 2016", 1_480_118_400),
      ("Wednesday, 21-Oct-15 07:28:00 GMT", 1_445_412_480),
    ] as [(String, Int64)])
  func edges(text: String, seconds: Int64) {
    #expect(Timestamp(httpDate: text) == Timestamp(milliseconds: seconds * 1000))
  }

  @Test(
    "is refused in any other form",
    arguments: [
      "", "0", "1994-11-06T08:49:37Z", "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 gmt", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
      "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
      "Sun,06 Nov 1994 08:49:37 GMT", "Sun,  6 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT",
      // Days that the calendar does not have, and a wrong weekday.
      "Sun, 00 Nov 1994 08:49:37 GMT", "Thu, 31 Nov 1994 08:49:37 GMT", "Mon, 29 Feb 1900 00:00:00 GMT",
      "Wed, 29 Feb 2023 00:00:00 GMT", "Sun, 07 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT",
      "Monday, 06-Nov-94 08:49:37 GMT", "Sunday 06-Nov-94 08:49:37 GMT",
      "Sun Nov 6 08:49:37 1994", "Sun Nov 06 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov   6 08:49:37 1994",
      "Sunday Nov  6 08:49:37 1994", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\0",
    ])
  func malformed(text: String) {
    #expect(Timestamp(httpDate: text, now: Self.now) == nil)
  }

  @Test(
    "with two digits means the latest year at most 50 years ahead",
    arguments: [
      // (the expected year, its weekday of 21 November)
      (2026, "Saturday"), (2027, "Sunday"), (2076, "Saturday"), (1977, "Monday"), (1999, "Sunday"), (2000, "Tuesday"),
    ])
  func shortYears(year: Int, weekday: String) throws {
    let text = "\(weekday), 21-Nov-\(String("0\(year % 100)".suffix(2))) 00:00:00 GMT"
    let moment = try #require(Timestamp(httpDate: text, now: Self.now))
    #expect(CivilDate(milliseconds: moment.milliseconds) == CivilDate(year: Int64(year), month: 11, day: 21))
  }

  @Test("with two digits is in the past if it would be a day too far ahead")
  func shortYearByTheDay() {
    // 2076-11-22 is a Sunday, 1976-11-22 was a Monday.
    #expect(Timestamp(httpDate: "Sunday, 22-Nov-76 00:00:00 GMT", now: Self.now) == nil)
    #expect(Timestamp(httpDate: "Monday, 22-Nov-76 00:00:00 GMT", now: Self.now)?.milliseconds == 217_468_800_000)
    // Without a clock: 1970 to 2069.
    #expect(Timestamp(httpDate: "Thursday, 01-Jan-70 00:00:00 GMT")?.milliseconds == 0)
    #expect(Timestamp(httpDate: "Tuesday, 31-Dec-69 00:00:00 GMT")?.milliseconds == 3_155_673_600_000)
    // At a turn of the century.
    let turn = Timestamp(milliseconds: CivilDate(year: 2099, month: 6, day: 1).daysSince1970 * 86_400_000)
    #expect(
      Timestamp(httpDate: "Saturday, 01-Jan-01 00:00:00 GMT", now: turn)?.milliseconds
        == CivilDate(year: 2101, month: 1, day: 1).daysSince1970 * 86_400_000)
  }

  @Test("parses Foundation's output", arguments: [1, 2] as [UInt64])
  func agreesWithFoundation(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    for _ in 0..<500 {
      let seconds = Int64.random(in: 0...4_102_444_800, using: &random)
      formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      #expect(Timestamp(httpDate: text) == Timestamp(milliseconds: seconds * 1000), "seed \(seed): \(text)")
    }
  }

  /// A time as an IMF-fixdate; nil if its year does not have four digits.
  private func fixedDate(_ moment: Timestamp) -> String? {
    guard let text = CivilDate(milliseconds: moment.milliseconds).text else { return nil }
    let day = text.split(separator: "-")
    guard let month = Int(day[1]) else { return nil }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // 1970-01-01 was a Thursday.
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let weekday = weekdays[Int(moment.day.dividedDown(by: 7).remainder)]
    let second = moment.milliseconds.dividedDown(by: 86_400_000).remainder / 1000
    let clock = [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return "\(weekday), \(day[2]) \(months[month - 1]) \(day[0]) \(clock.joined(separator: ":")) GMT"
  }

  @Test("that noise happens to be is the same time in the preferred form", arguments: [1, 2, 3] as [UInt64])
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let forms = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
    let range: ClosedRange<Int64> = -62_135_596_800_000 - 366 * 86_400_000...253_402_300_800_000
    var parsed = 0
    for round in 0..<3000 {
      var bytes = Array(forms[round % forms.count].utf8)
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0x30...0x39, using: &random)
      let now = Timestamp(milliseconds: Int64.random(in: range, using: &random))
      let text = String(decoding: bytes, as: UTF8.self)
      guard let moment = Timestamp(httpDate: text, now: now), let fixed = fixedDate(moment) else { continue }
      #expect(Timestamp(httpDate: fixed, now: now) == moment, "seed \(seed): \(text), \(fixed)")
      parsed += 1
    }
    #expect(parsed > 0, "seed \(seed): none of the texts was a date")
  }

  @Test("with two digits for its year is refused by a clock beyond four digits", arguments: [.min, .max] as [Int64])
  func extremes(milliseconds: Int64) {
    // A regression: with the right weekday the milliseconds overflowed.
    for weekday in ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] {
      let now = Timestamp(milliseconds: milliseconds)
      #expect(Timestamp(httpDate: "\(weekday), 06-Nov-94 08:49:37 GMT", now: now) == nil)
    }
  }
}
