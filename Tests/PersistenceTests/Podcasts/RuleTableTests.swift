import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

extension Sample {
  /// Rules that say something of everything.
  static func rules() throws -> FeedRules {
    FeedRules(
      autoDownload: .init(
        since: .all, newest: 3, order: .oldest,
        condition: .all([
          .not(.titleContains(["Ёжик", "\"; DROP TABLE feeds"])), .seconds(atLeast: 60, atMost: nil),
          .any([.media([.audio]), .kinds([.full, .bonus]), .states([.failed])]),
          .feeds([try #require(FeedID("f"))]), .published(after: Sample.moment, before: nil),
        ])),
      keep: .init(newest: 5, days: 7, bytes: 1 << 40))
  }
}

@Suite("The table of rules")
struct RuleTableTests {
  private static let now = Sample.moment

  private func library(_ rules: FeedRules) throws -> (LibraryDatabase, Feed.Key) {
    let database = try LibraryDatabase.inMemory()
    let key = try database.write { tables in
      try tables.feeds.insert(
        try #require(FeedID("f")), at: try WebAddress("https://a.example/f"), wishes: .init(rules: rules), session: nil,
        next: Self.now, added: Self.now)
    }
    return (database, key)
  }

  static let damages = [
    "$.autoDownload.newest = -1", "$.keep.newest = 0", "$.keep.days = 9223372036854775807", "$.keep.bytes = 0",
    "$.autoDownload.condition = {\"newerThanDays\":{\"_0\":-9223372036854775808}}",
    "$.autoDownload.condition = {\"not\":{\"_0\":{\"olderThanDays\":{\"_0\":9223372036854775807}}}}",
    "$.autoDownload.condition = {\"published\":{\"after\":{\"milliseconds\":9223372036854775807}}}",
  ]

  @Test("Rules that no client could have set are a damaged row: a start would end at each of them", arguments: damages)
  func implausible(damage: String) throws {
    let (database, key) = try library(Sample.rules())
    let parts = damage.components(separatedBy: " = ")
    try database.damage("UPDATE feeds SET rules = json_set(rules, '\(parts[0])', json('\(parts[1])'))")
    #expect(throws: DamagedRow.self) { try database.write { _ = try $0.feeds.find(key) } }
    #expect(throws: DamagedRow.self) { try database.read { _ = try $0.feeds(.init(), refreshing: []) } }
  }

  @Test("Rules, what they have come to, and what they have done are stored")
  func roundTrip() throws {
    let rules = try Sample.rules()
    let (database, key) = try library(rules)
    let standing = Feed.Standing(watermark: 7, allowance: FeedRules.Limits.everything, due: Self.now)
    try database.write { tables in
      #expect(try tables.feeds.find(key)?.standing == Feed.Standing())
      try tables.rules.update(standing, of: key)
      var feed = try #require(try tables.feeds.find(key))
      #expect(feed.wishes.rules == rules)
      #expect(feed.standing == standing)
      feed.wishes.rules = .none
      feed.standing = Feed.Standing()
      try tables.feeds.update(feed)
      #expect(try tables.feeds.find(key)?.wishes.rules == FeedRules.none)
      #expect(try tables.feeds.find(key)?.standing == standing, "only its own table writes it")
      let episode = try tables.episodes.insert([EpisodeContent()], of: key, added: Self.now) { _ in true }[0]
      #expect(try tables.episodes.find(episode)?.isBackdated == true)
      let rulings: [Episode.Ruling?] = [
        .downloaded(.isAmong(rank: 1, limit: 2, order: .oldest)), .deleted(.exceeds(.bytes(.max))),
        .passedOver(.wouldExceed(.newest(1))), nil,
      ]
      for ruling in rulings {
        try tables.rules.write(ruling, of: episode)
        #expect(try tables.episodes.find(episode)?.ruling == ruling)
      }
    }
  }

  @Test("What is due comes in its order, and each look-up uses an index")
  func due() throws {
    let (database, key) = try library(try Sample.rules())
    try database.write { tables in
      #expect(try tables.rules.nextMoment(besides: []) == nil)
      try tables.rules.update(.init(due: Self.now.advanced(byDays: 1)), of: key)
      #expect(try tables.rules.due(at: Self.now, limit: 9, besides: []) == [])
      #expect(try tables.rules.nextMoment(besides: []) == Self.now.advanced(byDays: 1))
      let episode = try #require(try tables.episodes.insert([EpisodeContent()], of: key, added: Self.now).first)
      #expect(try tables.rules.makeDue(of: episode, at: Self.now) == [key])
      #expect(try tables.rules.due(at: Self.now, limit: 9, besides: []) == [key])
      #expect(try tables.rules.due(at: Self.now, limit: 9, besides: [key]) == [])
      #expect(try tables.rules.nextMoment(besides: [key]) == nil)
      #expect(try tables.rules.makeDue(of: EpisodeID(number: 99), at: Self.now) == [])
      let download = try #require(DownloadID("d"))
      #expect(try tables.rules.makeDue(having: download, at: Self.now) == [])
      try tables.episodes.setDownload(download, of: episode)
      #expect(try tables.rules.makeDue(having: download, at: Self.now) == [key])
      // Where nothing is deleted, what has come changes nothing.
      var feed = try #require(try tables.feeds.find(key))
      feed.wishes.rules.keep = nil
      try tables.feeds.update(feed)
      #expect(try tables.rules.makeDue(having: download, at: Self.now) == [])
      #expect(try tables.rules.makeAllDue(at: Self.now) == [key])
      #expect(try tables.rules.place(having: download)?.id == episode)
    }
  }

  @Test("A library from before rules has none, and its episodes are as they were")
  func former() throws {
    let folder = try TemporaryFolder()
    try FormerLibrary.make(in: folder, upTo: "15-podcasts", with: []) { db in
      try db.execute(
        sql: """
          INSERT INTO feeds (key, id, url, url_hash, host, network, paused, title_key, next_at, failures, distrusted, ended,
            asked, read, episodes, added_at)
          VALUES (1, 'f', 'https://a.example/f', 1, 'a.example', 0, 0, 'f', 0, 0, 0, 0, 0, 0, 1, 0);
          INSERT INTO episodes (key, feed, fingerprint, media, missing, played, favorite, archived, added_at)
          VALUES (1, 1, 0, 0, 0, 0, 0, 0, 0);
          UPDATE last_episode SET key = 1;
          """)
    }
    let database = try LibraryDatabase.open(at: folder.databasePath)
    try database.write { tables in
      let feed = try #require(try tables.feeds.find(1))
      #expect(feed.wishes.rules == FeedRules.none && feed.standing == Feed.Standing())
      let episode = try #require(try tables.episodes.find(EpisodeID(number: 1)))
      #expect(episode.ruling == nil && !episode.isBackdated)
    }
    try database.withConnection { db in
      for change in [
        "UPDATE feeds SET rules = 'x'", "UPDATE feeds SET allowance = -1",
        "UPDATE episodes SET ruled = 4, ruling = '1'",
        "UPDATE episodes SET ruled = 1", "UPDATE episodes SET backdated = 2",
      ] {
        #expect(throws: DatabaseError.self, "\(change)") { try db.execute(sql: change) }
      }
    }
    try database.close()
  }
}
