import Flux
import Testing

@testable import PodfluxCore

/// Short forms of zones and timestamps.
extension LocalTime {
  /// Berlin in the year 2027: an hour east of Greenwich, two from 28 March at 1:00 UTC to 31 October at 1:00 UTC.
  static let berlin = LocalTime(
    seconds: 3600,
    changes: [
      Offset(from: .on(2027, 3, 28, 1), seconds: 7200), Offset(from: .on(2027, 10, 31, 1), seconds: 3600),
    ])
  /// Skips the first hour of 1 April 2027.
  static let skippingMidnight = LocalTime(seconds: 0, changes: [Offset(from: .on(2027, 4, 1), seconds: 3600)])
  /// Repeats the last hour of 31 October 2027.
  static let repeatingBeforeMidnight = LocalTime(
    seconds: 3600, changes: [Offset(from: .on(2027, 10, 31, 23), seconds: 0)])
  /// The westernmost offset.
  static let west = LocalTime(seconds: -43_200)
}

extension Timestamp {
  /// A UTC timestamp.
  static func on(_ year: Int64, _ month: Int64, _ day: Int64, _ hour: Int64 = 0, _ minute: Int64 = 0) -> Timestamp {
    Timestamp(day: CivilDate(year: year, month: month, day: day).daysSince1970)
      .advanced(byMilliseconds: (hour * 60 + minute) * 60_000)
  }
}

@Suite("The local time")
struct LocalTimeTests {
  @Test(
    "It has its offset from UTC, and changes it at the right time",
    arguments: [
      (LocalTime.berlin, Timestamp.on(2027, 1, 1), Timestamp.on(2027, 1, 1, 1)),
      (.berlin, .on(2027, 3, 28, 0, 59), .on(2027, 3, 28, 1, 59)),
      (.berlin, .on(2027, 3, 28, 1), .on(2027, 3, 28, 3)),
      (.berlin, .on(2027, 10, 31, 0, 59), .on(2027, 10, 31, 2, 59)),
      (.berlin, .on(2027, 10, 31, 1), .on(2027, 10, 31, 2)), (.west, .on(2027, 1, 1), .on(2026, 12, 31, 12)),
      (.utc, .on(1969, 12, 31, 23), .on(1969, 12, 31, 23)),
    ])
  func shown(zone: LocalTime, moment: Timestamp, shown: Timestamp) {
    #expect(zone.shown(at: moment) == shown)
  }

  @Test("A skipped time never occurs, a repeated one occurs twice")
  func moments() {
    #expect(LocalTime.berlin.moments(showing: .on(2027, 1, 1, 12)) == [.on(2027, 1, 1, 11)])
    #expect(LocalTime.berlin.moments(showing: .on(2027, 3, 28, 2, 30)).isEmpty)
    #expect(
      LocalTime.berlin.moments(showing: .on(2027, 10, 31, 2, 30)) == [
        .on(2027, 10, 31, 0, 30), .on(2027, 10, 31, 1, 30),
      ])
  }

  @Test("A month begins at its first local midnight, or after a gap")
  func beginnings() {
    #expect(LocalTime.berlin.beginning(ofMonth: 2027 * 12) == .on(2026, 12, 31, 23))
    #expect(LocalTime.berlin.beginning(ofMonth: 2027 * 12 + 3) == .on(2027, 3, 31, 22))
    #expect(LocalTime.skippingMidnight.beginning(ofMonth: 2027 * 12 + 3) == .on(2027, 4, 1))
    #expect(LocalTime.repeatingBeforeMidnight.beginning(ofMonth: 2027 * 12 + 10) == .on(2027, 11, 1))
  }

  /// If a month began too early, a spent budget would be checked again and again until it did.
  @Test(
    "Each month begins where the previous one ends",
    arguments: [LocalTime.berlin, .skippingMidnight, .repeatingBeforeMidnight, .west, .utc])
  func months(zone: LocalTime) {
    for month in Int64(2026 * 12)..<2028 * 12 {
      let beginning = zone.beginning(ofMonth: month)
      #expect(zone.month(at: beginning) == month)
      #expect(zone.month(at: beginning.advanced(byMilliseconds: -1)) == month - 1)
    }
  }

  @Test("Extreme times overflow nothing", arguments: [Int64.min, .max])
  func ends(milliseconds: Int64) {
    let moment = Timestamp(milliseconds: milliseconds)
    let zone = LocalTime(seconds: 0, changes: [LocalTime.Offset(from: moment, seconds: -86_400)])
    #expect(zone.shown(at: moment) <= Timestamp(milliseconds: .max))
    #expect(abs(zone.month(at: moment)) > 292_000_000 * 12)
    #expect(ScheduleVerdict(of: [ScheduleWindow(from: 0, to: 1440)], at: World.beginning, in: zone).isOpen)
  }
}
