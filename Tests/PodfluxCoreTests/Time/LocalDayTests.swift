import Flux
import Testing

@testable import PodfluxCore

@Suite("Local days")
struct LocalDayTests {
  private static func moment(_ text: String) throws -> Timestamp { try #require(InternetDate.parse(text)) }

  @Test("A day begins at local midnight")
  func beginnings() throws {
    let now = try Self.moment("2026-11-21T23:30:00Z")
    let (greenwich, vienna, denver) = (
      LocalDay(of: now), LocalDay(of: now, secondsEast: 3600), LocalDay(of: now, secondsEast: -7 * 3600)
    )
    #expect(vienna.number == greenwich.number + 1)
    #expect(denver.number == greenwich.number)
    #expect(try greenwich.beginning() == Self.moment("2026-11-21T00:00:00Z"))
    #expect(try vienna.beginning() == Self.moment("2026-11-22T00:00:00+01:00"))
    #expect(try denver.beginning(daysBefore: 6) == Self.moment("2026-11-15T00:00:00-07:00"))
  }

  @Test("Ages are whole days, to the millisecond at each midnight")
  func ages() throws {
    let today = LocalDay(of: try Self.moment("2026-11-21T12:00:00+01:00"), secondsEast: 3600)
    for (text, age) in [
      ("2026-11-21T00:00:00+01:00", 0), ("2026-11-20T23:59:59.999+01:00", 1), ("2026-11-15T00:00:00+01:00", 6),
      ("2026-11-14T23:59:59.999+01:00", 7), ("2026-11-22T00:00:00+01:00", -1),
    ] {
      #expect(today.age(of: try Self.moment(text)) == Int64(age), "\(text)")
    }
  }

  @Test("Clocks that are set back have the next midnight an hour later, and none is skipped or repeated")
  func changes() throws {
    let change = try Self.moment("2026-10-25T01:00:00Z")
    let zone = LocalTime(seconds: 7200, changes: [.init(from: change, seconds: 3600)])
    let evening = try Self.moment("2026-10-24T23:00:00Z")
    #expect(zone.day(at: evening).secondsEast == 7200)
    #expect(try zone.nextDay(behind: evening) == Self.moment("2026-10-25T23:00:00Z"))
    #expect(try zone.nextDay(behind: Self.moment("2026-10-24T21:59:59.999Z")) == Self.moment("2026-10-24T22:00:00Z"))
    #expect(zone.day(at: change).number == zone.day(at: evening).number)
    #expect(zone.day(at: change) != zone.day(at: evening))
  }
}
