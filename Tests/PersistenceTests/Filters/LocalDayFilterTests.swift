import Flux
import GRDB
import PodfluxCore
import Testing

@testable import Persistence

@Suite("Local days in filters and conditions")
struct LocalDayFilterTests {
  private static let hour: Int64 = 3_600_000
  private static let vienna = LocalDay(20_000, secondsEast: 3600)

  /// Episodes an hour and a half before, half an hour before and half an hour after some days' midnights in Vienna.
  private static func library() throws -> LibraryDatabase {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      var number = 0
      for days in [0, 6, 7, 30, 365] as [Int64] {
        for minutes in [-90, -30, 30] as [Int64] {
          let published = vienna.beginning(daysBefore: days).advanced(byMilliseconds: minutes * 60_000)
          try tables.downloads.insert(
            try Sample.download(
              "x\(number)", position: Int64(number), description: .init(published: PublicationDate(published))))
          number += 1
        }
      }
    }
    return database
  }

  private static func ids(_ database: LibraryDatabase, _ condition: Condition, on day: LocalDay) throws -> Set<String> {
    let moment = ConditionMoment(now: day.beginning().advanced(byMilliseconds: 5 * hour), today: day)
    let query = DownloadsQuery(condition: condition)
    let page = try database.read { try $0.page(query, filters: .init(), at: moment) }
    return Set(page.downloads.map(\.id.description))
  }

  @Test(
    "\"Last 7 days\" and newerThanDays 7 are the same, at any offset; olderThanDays is the rest",
    arguments: [
      0, 3600, -7 * 3600, 12 * 3600,
    ] as [Int64])
  func alike(secondsEast: Int64) throws {
    let database = try Self.library()
    for day in [LocalDay(20_000, secondsEast: secondsEast), LocalDay(20_001, secondsEast: secondsEast)] {
      try database.write { try $0.filters.turn(to: day) }
      for (days, ages) in [(1, 1), (7, 2), (30, 3), (365, 4)] {
        let classes = Array(AgeClass.allCases.prefix(ages))
        let newer = try Self.ids(database, .newerThanDays(days), on: day)
        #expect(try Self.ids(database, .ages(classes), on: day) == newer)
        let older = try Self.ids(database, .olderThanDays(days), on: day)
        #expect(older.isDisjoint(with: newer))
        #expect(older.count + newer.count == 15)
      }
    }
  }

  @Test("A week in Vienna begins at local midnight, and moves with a clock change")
  func week() throws {
    let database = try Self.library()
    try database.write { try $0.filters.turn(to: Self.vienna) }
    #expect(try Self.ids(database, .newerThanDays(7), on: Self.vienna) == ["x0", "x1", "x2", "x5"])
    #expect(try Self.ids(database, .ages([.day, .week]), on: Self.vienna) == ["x0", "x1", "x2", "x5"])
    let summer = LocalDay(20_000, secondsEast: 7200)
    try database.write { try $0.filters.turn(to: summer) }
    #expect(try Self.ids(database, .ages([.day, .week]), on: summer) == ["x0", "x1", "x2", "x4", "x5"])
    // New downloads get ages from the same offset.
    try database.write { tables in
      let published = summer.beginning().advanced(byMilliseconds: 1)
      try tables.downloads.insert(try Sample.download("new", description: .init(published: PublicationDate(published))))
    }
    #expect(try Self.ids(database, .ages([.day]), on: summer) == ["x1", "x2", "new"])
  }
}
