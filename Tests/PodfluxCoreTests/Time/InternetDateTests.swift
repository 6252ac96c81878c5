import Flux
import Foundation
import PodfluxCore
import Testing

@Suite("An Internet date")
struct InternetDateTests {
  @Test(
    "is parsed from RFC 3339, with any offset and fraction",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-11-21T03:00:00Z", 1_795_230_000_000),
      ("2026-11-21t03:00:00z", 1_795_230_000_000), ("2026-11-21T05:30:00+02:30", 1_795_230_000_000),
      ("2026-11-20T19:00:00-08:00", 1_795_230_000_000), ("2026-11-21T03:00:00.5Z", 1_795_230_000_500),
      ("2026-11-21T03:00:00.123456789Z", 1_795_230_000_123), ("2024-02-29T00:00:00Z", 1_709_164_800_000),
      ("2000-02-29T00:00:00Z", 951_782_400_000), ("1969-12-31T23:59:59.999Z", -1),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("1970-01-01T00:00:00-00:00", 0),
    ] as [(String, Int64)])
  func reads(text: String, milliseconds: Int64) {
    #expect(InternetDate.parse(text) == Timestamp(milliseconds: milliseconds))
  }

  @Test(
    "has no other form",
    arguments: [
      "", "2026", "2026-11-21", "2026-11-21 03:00:00Z", "2026-11-21T03:00Z", "2026-11-21T03:00:00", "20261121T030000Z",
      "2026-11-21T03:00:00.Z", "2026-11-21T03:00:00,5Z", "2026-11-21T03:00:00+0200", "2026-11-21T03:00:00+24:00",
      "2026-11-21T03:00:00+02:60", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z",
      "2026-04-00T00:00:00Z", "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-11-21T24:00:00Z",
      "2026-11-21T03:60:00Z", "2026-11-21T03:00:61Z", "+026-11-21T03:00:00Z", "２026-11-21T03:00:00Z",
      "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2026-11-21T03:00:00Z ",
      "2026-11-21T03:00:00." + String(repeating: "0", count: 100) + "Z",
    ])
  func refuses(text: String) {
    #expect(InternetDate.parse(text) == nil)
  }

  @Test("is written and read back, on every kind of day", arguments: [1, 2, 3] as [UInt64])
  func roundTrip(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      let moment = Timestamp(milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &random))
      #expect(InternetDate.parse(text(moment)) == moment, "seed \(seed)")
    }
  }

  @Test(
    "keeps the day in its offset",
    arguments: [
      ("2026-03-01T01:30:00+05:00", 18_000, "2026-03-01"), ("2026-02-28T20:30:00Z", 0, "2026-02-28"),
      ("2026-03-01T23:30:00-11:30", -41_400, "2026-03-01"), ("2024-02-29T23:59:59.999+14:00", 50_400, "2024-02-29"),
      ("2026-12-31T23:59:59-23:59", -86_340, "2026-12-31"), ("2027-01-01T00:00:00+23:59", 86_340, "2027-01-01"),
      ("2026-03-01T01:30:00-00:00", 0, "2026-03-01"), ("9999-12-31T23:59:59+00:01", 60, "9999-12-31"),
    ] as [(String, Int64, String)])
  func publishersDay(text: String, offset: Int64, day: String) throws {
    let date = try #require(InternetDate.parsePublication(text))
    #expect(date.offsetSeconds == offset)
    #expect(date.day.text == day)
    #expect(date.moment == InternetDate.parse(text))
  }

  @Test("is written with its publisher's offset, and read back the same", arguments: [4, 5] as [UInt64])
  func publishersRoundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      // A day away from the ends of the four-digit years.
      let moment = Timestamp(milliseconds: .random(in: -62_135_510_400_000...253_402_214_399_999, using: &random))
      let offset = 60 * Int64.random(in: -1439...1439, using: &random)
      let date = try #require(PublicationDate(moment, offsetSeconds: offset))
      var bytes: [UInt8] = []
      InternetDate.append(date, to: &bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(InternetDate.parsePublication(text) == date, "seed \(seed): \(text)")
    }
    var bytes: [UInt8] = []
    InternetDate.append(try #require(InternetDate.parsePublication("2026-03-01T01:30:00-09:30")), to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "2026-03-01T01:30:00.000-09:30")
  }

  @Test("has an offset of whole minutes within a day", arguments: [86_341, -86_400, 30, .max, .min] as [Int64])
  func offsets(seconds: Int64) {
    #expect(PublicationDate(Timestamp(milliseconds: 0), offsetSeconds: seconds) == nil)
  }

  @Test("matches Foundation")
  func agreesWithFoundation() {
    for day in stride(from: -40_000, through: 60_000, by: 61) {
      let seconds = Double(day) * 86_400 + 3661
      #expect(
        text(Timestamp(milliseconds: Int64(seconds) * 1000)).prefix(19) + "Z"
          == Date(timeIntervalSince1970: seconds).formatted(.iso8601))
    }
  }

  @Test("outside the four-digit years is clamped")
  func ends() {
    #expect(text(Timestamp(milliseconds: .min)) == "0001-01-01T00:00:00.000Z")
    #expect(text(Timestamp(milliseconds: .max)) == "9999-12-31T23:59:59.999Z")
  }

  private func text(_ moment: Timestamp) -> String {
    var bytes: [UInt8] = []
    InternetDate.append(moment, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
