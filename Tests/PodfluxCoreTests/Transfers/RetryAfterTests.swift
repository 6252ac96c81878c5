import Flux
import PodfluxCore
import Testing

@Suite("Retry-After")
struct RetryAfterTests {
  /// 2015-10-21T07:28:00Z.
  private static let now = Timestamp(milliseconds: 1_445_412_480_000)
  private static let day: Int64 = 86_400_000

  private func wait(_ fields: [(String, String)], now: Timestamp = now) -> Int64? {
    let fields = fields.map { HTTPField(name: $0.0, value: $0.1) }
    return RetryAfter.milliseconds(
      in: ResponseHead(status: 503, effectiveURL: "https://h/", fields: fields), now: now)
  }

  @Test(
    "in seconds is clamped to between a second and a day",
    arguments: [
      ("0", 1000), ("1", 1000), ("2", 2000), ("0120", 120_000), ("86400", day), ("86401", day),
      ("9223372036854775807", day), ("9223372036854775808", day), (String(repeating: "9", count: 400), day),
    ])
  func seconds(text: String, expected: Int64) {
    #expect(wait([("retry-AFTER", text)]) == expected)
  }

  @Test(
    "as a date counts from now",
    arguments: [
      ("Wed, 21 Oct 2015 07:28:30 GMT", 30_000), ("Wednesday, 21-Oct-15 07:30:00 GMT", 120_000),
      ("Wed Oct 21 07:28:05 2015", 5000), ("Wed, 21 Oct 2015 07:28:00 GMT", 1000),
      ("Tue, 20 Oct 2015 07:28:00 GMT", 1000), ("Fri, 31 Dec 9999 23:59:59 GMT", day),
    ])
  func dates(text: String, expected: Int64) {
    #expect(wait([("Retry-After", text)]) == expected)
  }

  @Test("as a date counts from the response's own date, if readable")
  func ownDate() {
    let retryAfter = ("Retry-After", "Wed, 21 Oct 2015 10:00:30 GMT")
    #expect(wait([("Date", "Wed, 21 Oct 2015 10:00:00 GMT"), retryAfter]) == 30_000)
    #expect(wait([retryAfter, ("Date", "yesterday")]) == 9_150_000)
    #expect(wait([("Date", "Wed, 21 Oct 2015 10:00:00 GMT"), ("Retry-After", "7")]) == 7000)
  }

  @Test(
    "that is neither gives nil",
    arguments: [
      "", "-1", "+1", "1.5", "1 ", "1s", "soon", "٣", "0x10", "1e3", "2015-10-21T07:28:30Z",
      "Wed, 21 Oct 2015 07:28:30 PST", "Thu, 21 Oct 2015 07:28:30 GMT",
    ])
  func malformed(text: String) {
    #expect(wait([("Retry-After", text)]) == nil)
  }

  @Test("that is missing gives nil")
  func missing() {
    #expect(wait([("Date", "Wed, 21 Oct 2015 10:00:00 GMT")]) == nil)
  }

  @Test("does not overflow at extreme times")
  func endsOfTime() {
    let date = [("Retry-After", "Wed, 21 Oct 2015 07:28:30 GMT")]
    #expect(wait(date, now: Timestamp(milliseconds: .min)) == Self.day)
    #expect(wait(date, now: Timestamp(milliseconds: .max)) == 1000)
  }
}
