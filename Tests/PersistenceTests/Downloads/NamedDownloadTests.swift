import Flux
import GRDB
import PodfluxCore
import Synchronization
import Testing

@testable import Persistence

/// A tester's `podflux rm ID` walked through all of 300,000 downloads four times, for a minute.
@Suite("Downloads that a condition names by their ids or feeds")
struct NamedDownloadTests {
  private static let moment = ConditionMoment(now: Sample.moment, obstacles: .init())

  private let database: LibraryDatabase
  private let feeds: [FeedID]

  /// Two feeds with three episodes each, of which the third is in both, and four downloads of no episode.
  init() throws {
    database = try LibraryDatabase.inMemory()
    feeds = try ["a", "b"].map { try #require(FeedID($0)) }
    let names = feeds
    try database.ledger().transaction { tables in
      for (index, id) in (["a1", "a2", "b1", "b2", "both"] + (0..<4).map { "other\($0)" }).enumerated() {
        try tables.downloads.insert(try Sample.download(id, position: Int64(index)))
      }
      for name in names {
        let feed = try tables.feeds.insert(
          name, at: try WebAddress("https://\(name).example/f"), wishes: .init(), session: nil, next: Sample.moment,
          added: Sample.moment)
        for id in ["\(name)1", "\(name)2", "both"] {
          let content = EpisodeContent(title: id)
          let episode = try #require(try tables.episodes.insert([content], of: feed, added: Sample.moment).first)
          try tables.episodes.setDownload(try #require(DownloadID(id)), of: episode)
        }
      }
    }
  }

  private func page(_ condition: Condition, _ order: DownloadOrder, few: Int) throws -> Set<String> {
    var limits = PageReader.Limits()
    (limits.sorted, limits.remembered) = (few, few)
    var query = DownloadsQuery(condition: condition, order: order, limit: 2)
    var found: [String] = []
    repeat {
      let asked = query
      let page = try database.read { try $0.page(asked, filters: .init(), at: Self.moment, limits: limits) }
      found += page.downloads.map(\.id.description)
      query.after = page.next
    } while query.after != nil
    #expect(Set(found).count == found.count)
    return Set(found)
  }

  @Test("are those, in each order, with each strategy", arguments: DownloadOrderKey.allCases, [0, 2, 1000])
  func pages(key: DownloadOrderKey, few: Int) throws {
    let ids = try ["a1", "other2", "absent"].map { try #require(DownloadID($0)) }
    for isReversed in [false, true] {
      let order = DownloadOrder(key, isReversed: isReversed)
      #expect(try page(.ids(ids), order, few: few) == ["a1", "other2"])
      #expect(try page(.ids([]), order, few: few).isEmpty)
      #expect(try page(.feeds([feeds[0]]), order, few: few) == ["a1", "a2", "both"])
      #expect(try page(.feeds(feeds), order, few: few) == ["a1", "a2", "b1", "b2", "both"])
      #expect(try page(.all([.feeds([feeds[0]]), .ids(ids)]), order, few: few) == ["a1"])
      #expect(try page(.not(.feeds(feeds)), order, few: few) == ["other0", "other1", "other2", "other3"])
      let either = Condition.any([.feeds([feeds[1]]), .ids(ids)])
      #expect(try page(either, order, few: few) == ["a1", "b1", "b2", "both", "other2"])
    }
  }

  @Test("may be named by their URLs, with passwords and tokens or without them")
  func addresses() throws {
    let shown = "https://media.example/e.mp3?id=7"
    let stored = try ["\(shown)&token=s", "https://u:p@media.example/e.mp3?id=7", shown, "\(shown)1"].map {
      try WebAddress($0)
    }
    let (database, name) = (database, feeds[0])
    try database.ledger().transaction { tables in
      for (index, address) in stored.enumerated() {
        var download = try Sample.download("u\(index)", position: 99)
        download.address = address
        try tables.downloads.insert(download)
      }
      let feed = try #require(try tables.feeds.find(name)).key
      let contents = stored.map { EpisodeContent(enclosure: .init(address: $0)) }
      _ = try tables.episodes.insert(contents, of: feed, added: Sample.moment)
    }
    for key in DownloadOrderKey.allCases {
      #expect(try page(.urls([shown]), .init(key), few: 1000) == ["u0", "u1", "u2"])
    }
    #expect(try page(.urls([shown + "1", "https://media.example/"]), .init(), few: 1000) == ["u3"])
    #expect(try page(.urls([shown, shown + "1"]), .init(), few: 1000) == ["u0", "u1", "u2", "u3"])
    let (query, moment) = (EpisodesQuery(condition: .urls([shown]), order: .init(.added)), Self.moment)
    let episodes = try database.read { try $0.episodes(query, at: moment) }.items
    #expect(episodes.compactMap(\.episode.content.enclosure?.address) == Array(stored[...2]))
  }

  @Test("are not those of a feed that is being forgotten")
  func leaving() throws {
    let (database, feed) = (database, feeds[0])
    try database.ledger().transaction { tables in
      try tables.feeds.delete(try #require(try tables.feeds.find(feed)).key)
    }
    #expect(try page(.feeds([feed]), .init(), few: 1000).isEmpty)
  }

  @Test("are changed at once, and no other is read", arguments: [BulkChange.pause, .remove(deletingFiles: true)])
  func bulk(change: BulkChange) throws {
    let (database, feed) = (database, feeds[0])
    let statements = Mutex<Set<String>>([])
    try database.withConnection { db in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        statements.withLock { _ = $0.insert(statement.sql) }
      }
    }
    let affected = try database.write {
      try $0.downloads.apply(change, to: .feeds([feed]), at: Self.moment, sparing: [])
    }
    #expect(affected == [.queued: 3])
    let traced = statements.withLock { $0 }.filter { $0.contains("episodes_download") }
    #expect(traced.contains { $0.hasPrefix("UPDATE") || $0.hasPrefix("DELETE") })
    try database.withConnection { db in
      db.trace(options: [])
      for sql in traced {
        let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
        statement.setUncheckedArguments([])
        let steps = try Row.fetchAll(statement).map { row -> String in row["detail"] }
        #expect(!steps.contains { $0.hasPrefix("SCAN downloads") || $0.hasPrefix("SCAN episodes") }, "\(steps): \(sql)")
      }
    }
  }
}
