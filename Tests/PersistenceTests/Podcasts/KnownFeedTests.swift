import Flux
import PodfluxCore
import Testing

@testable import Persistence

@Suite("Rows of feeds that are read once for a refresh")
struct KnownFeedTests {
  private static let now = Sample.moment

  /// A library with a feed that is due, has rules and a session, and whose last refresh was refused.
  private static func library() throws -> (database: LibraryDatabase, key: Feed.Key) {
    let database = try LibraryDatabase.inMemory()
    let key = try database.write { tables in
      let key = try tables.feeds.insert(
        try #require(FeedID("a")), at: try WebAddress("https://a.example/f"),
        wishes: .init(rules: FeedRules(keep: .init(newest: 3))), session: 1, next: now, added: now)
      _ = try tables.episodes.insert([EpisodeContent(guid: "1")], of: key, added: now)
      var feed = try #require(try tables.feeds.find(key))
      feed.refreshes.error = DownloadError(.unauthorized, "no")
      try tables.feeds.update(feed)
      return key
    }
    return (database, key)
  }

  /// Takes the feed, which caches its row.
  private static func take(_ tables: any Tables) throws {
    let latest = now.advanced(byDays: 1)
    let due = try tables.feeds.due(at: latest, on: .allBut([]), besides: []) { _, _ in .takenAsLast }
    #expect(due.count == 1)
  }

  /// All that writes to rows of feeds.
  private static let writes: [String: @Sendable (any Tables, Feed.Key) throws -> Void] = [
    "update": { tables, key in
      var feed = try #require(try tables.feeds.find(key))
      feed.wishes.title = "Other"
      try tables.feeds.update(feed)
    },
    "updateRefreshes": { tables, key in
      var feed = try #require(try tables.feeds.find(key))
      feed.refreshes.failures = 9
      try tables.feeds.updateRefreshes(of: feed)
    },
    "bringForward": { tables, _ in
      try tables.feeds.bringForward(dueAfter: now.advanced(byDays: -2), to: now.advanced(byDays: -1))
    },
    "makeAllDue": { tables, _ in _ = try tables.feeds.makeAllDue(at: now.advanced(byDays: -1)) },
    "makeRefusedDue": { tables, _ in try tables.feeds.makeRefusedDue(of: 1, at: now.advanced(byDays: -1)) },
    "standing": { tables, key in
      try tables.rules.update(Feed.Standing(watermark: 7, allowance: 2, due: now), of: key)
    },
    "rules of all": { tables, _ in _ = try tables.rules.makeAllDue(at: now) },
    "rules of an episode": { tables, _ in _ = try tables.rules.makeDue(of: EpisodeID(number: 1), at: now) },
  ]

  @Test("Behind each write the row is what was written", arguments: writes.keys.sorted())
  func isForgotten(name: String) throws {
    let write = try #require(Self.writes[name])
    let (database, key) = try Self.library()
    try database.write { tables in
      let id = try #require(FeedID("a"))
      let before = try tables.feeds.find(id)
      try Self.take(tables)
      #expect(try tables.feeds.find(key) == before)
      try write(tables, key)
      let after = try tables.feeds.find(id)
      #expect(after != before)
      #expect(try tables.feeds.find(key) == after)
    }
  }

  @Test("A feed that is deleted is found no more")
  func deletion() throws {
    let (database, key) = try Self.library()
    try database.write { tables in
      try Self.take(tables)
      try tables.feeds.delete(key)
      #expect(try tables.feeds.find(key) == nil)
    }
  }

  @Test("Behind a rollback the row is what it was")
  func rollback() throws {
    struct Failure: Error {}
    let (database, key) = try Self.library()
    let before = try database.write { try $0.feeds.find(key) }
    #expect(throws: Failure.self) {
      try database.write { tables in
        var feed = try #require(try tables.feeds.find(key))
        feed.wishes.title = "Other"
        try tables.feeds.update(feed)
        try Self.take(tables)
        throw Failure()
      }
    }
    #expect(try database.write { try $0.feeds.find(key) } == before)
  }

  @Test("Live feeds are passed without being judged")
  func live() throws {
    let (database, key) = try Self.library()
    try database.write { tables in
      var judged = 0
      let due = try tables.feeds.due(at: Self.now, on: .only(["a.example"]), besides: [key]) { _, _ in
        judged += 1
        return .taken
      }
      #expect(due.isEmpty && judged == 0)
    }
  }
}
