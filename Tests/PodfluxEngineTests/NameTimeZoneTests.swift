import Flux
import PodfluxCore
import Testing

@testable import PodfluxEngine

@Suite("The day in a file's name")
struct NameTimeZoneTests {
  /// 20:30 of 28 February in UTC.
  private static let karachi = InternetDate.parsePublication("2026-03-01T01:30:00+05:00")

  @Test(
    "is the publisher's, or that of the configured zone",
    arguments: [
      ("publisher", "2026-03-01"), ("UTC", "2026-02-28"), ("Europe/Vienna", "2026-02-28"), ("Asia/Tokyo", "2026-03-01"),
      ("Pacific/Kiritimati", "2026-03-01"), ("Pacific/Niue", "2026-02-28"), ("Etc/GMT-5", "2026-03-01"),
      // A zone that the machine does not know, or no longer: the publisher's offset.
      ("Europe/Atlantis", "2026-03-01"),
    ])
  func day(zone: String, expected: String) throws {
    let published = try #require(Self.karachi)
    #expect(day(of: published, in: try #require(NameTimeZone(zone))) == expected)
  }

  private func day(of published: PublicationDate, in zone: NameTimeZone) -> String? {
    published.day(offsetSeconds: LocalClock.offsetSeconds(of: published, in: zone)).text
  }

  @Test("follows summer time")
  func summerTime() throws {
    let zone = try #require(NameTimeZone("Europe/Vienna"))
    let winter = try #require(InternetDate.parsePublication("2026-01-31T22:30:00Z"))
    let summer = try #require(InternetDate.parsePublication("2026-07-31T22:30:00Z"))
    #expect(day(of: winter, in: zone) == "2026-01-31")
    #expect(day(of: summer, in: zone) == "2026-08-01")
  }

  @Test("needs a zone that the machine knows; an offset is not a zone")
  func known() throws {
    for name in ["publisher", "UTC", "Europe/Vienna", "America/Argentina/Buenos_Aires", "Etc/GMT+5"] {
      #expect(LocalClock.knows(try #require(NameTimeZone(name))), "\(name)")
    }
    for name in ["Europe/Atlantis", "europe/vienna", "GMT+5", "UTC+3", "posixrules"] {
      #expect(!LocalClock.knows(try #require(NameTimeZone(name))), "\(name)")
    }
    for name in ["", "../localtime", "/etc/localtime", "+05:00", "Europe/Vienna ", "Wien\u{0}"] {
      #expect(NameTimeZone(name) == nil, "\(name)")
    }
  }
}
