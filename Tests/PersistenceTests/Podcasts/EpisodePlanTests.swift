import Flux
import GRDB
import PodfluxCore
import Synchronization
import Testing

@testable import Persistence

/// A tester had 100,000 episodes, and each page of one podcast's read the index of all of them.
@Suite("The plans of one feed's episodes")
struct EpisodePlanTests {
  private static let now = Timestamp(milliseconds: 1_800_000_000_000)

  @Test("No page of a feed's episodes scans all episodes, in any order, nor does a place among them")
  func pages() throws {
    let database = try LibraryDatabase.inMemory()
    let names = try ["a", "b"].map { try #require(FeedID($0)) }
    try database.ledger().transaction { tables in
      for name in names {
        let feed = try tables.feeds.insert(
          name, at: try WebAddress("https://\(name).example/f"), wishes: .init(), session: nil, next: Self.now,
          added: Self.now)
        let contents = (1...4).map { number in
          EpisodeContent(
            title: "Episode \(number)", published: PublicationDate(Timestamp(milliseconds: Int64(number) * 1000)),
            seconds: Int64(number))
        }
        _ = try tables.episodes.insert(contents, of: feed, added: Self.now)
      }
    }
    let statements = Mutex<Set<String>>([])
    try database.withConnection { db in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        statements.withLock { _ = $0.insert(statement.sql) }
      }
    }
    for (key, isReversed) in EpisodeOrderKey.allCases.flatMap({ [($0, false), ($0, true)] }) {
      for feeds in [[names[0]], names] {
        var query = EpisodesQuery(condition: .feeds(feeds), order: .init(key, isReversed: isReversed), limit: 1)
        var number = 0
        repeat {
          let asked = query
          let page = try database.read { try $0.episodes(asked, at: .init(now: Self.now, obstacles: .init())) }
          number += page.items.count
          query.after = page.next
        } while query.after != nil
        #expect(number == 4 * feeds.count, "\(key)")
      }
    }
    let index = try database.ledger().transaction { tables in
      try tables.episodes.index(of: try #require(try tables.episodes.find(EpisodeID(number: 2))))
    }
    #expect(index == 2)
    try database.withConnection { db in db.trace(options: []) }
    let traced = statements.withLock { $0 }.filter { $0.contains("FROM episodes") }
    #expect(traced.count > EpisodeOrderKey.allCases.count)
    try database.withConnection { db in
      for sql in traced.sorted() {
        let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
        statement.setUncheckedArguments([])
        let steps: [String] = try Row.fetchAll(statement).map { $0["detail"] }
        #expect(!steps.contains { $0.hasPrefix("SCAN episodes") }, "\(steps): \(sql)")
      }
    }
  }
}
