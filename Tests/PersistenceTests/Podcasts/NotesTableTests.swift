import Flux
import GRDB
import PodfluxCore
import Testing

@testable import Persistence

@Suite("The table of notes")
struct NotesTableTests {
  private static let now = Timestamp(milliseconds: 1_800_000_000_000)

  private static func content(_ name: String, _ notes: String?) -> EpisodeContent {
    EpisodeContent(guid: name, title: name, notes: notes.map { EpisodeNotes($0) })
  }

  private static func addFeed(_ name: String, to tables: any Tables) throws -> Feed.Key {
    try tables.feeds.insert(
      try #require(FeedID(name)), at: try WebAddress("https://\(name).example/f"), wishes: .init(), session: nil,
      next: now, added: now)
  }

  @Test("Notes come and change with what a feed says, stay where it says nothing, and go with their episode")
  func life() throws {
    let database = try LibraryDatabase.inMemory()
    let (feed, ids) = try database.ledger().transaction { tables in
      let feed = try Self.addFeed("a", to: tables)
      let contents = [Self.content("1", "<p>One</p>"), Self.content("2", nil), Self.content("3", "")]
      return (feed, try tables.episodes.insert(contents, of: feed, added: Self.now))
    }
    func notes() throws -> [String?] {
      try database.read { tables in try ids.map { try tables.notes(of: $0)?.html } }
    }
    func change(_ id: EpisodeID, _ notes: String?) throws {
      try database.ledger().transaction { tables in
        _ = try tables.episodes.update(
          .init(id: id, content: Self.content("x", notes), formerNames: .init()), of: feed)
      }
    }
    #expect(try notes() == ["<p>One</p>", nil, nil])
    let known = try database.ledger().transaction { tables in try ids.map { try tables.episodes.hasNotes($0) } }
    #expect(known == [true, false, false])
    // The notes are no part of the row of an episode.
    #expect(try database.ledger().transaction { try $0.episodes.find(ids[0]) }?.content == Self.content("1", nil))
    let hashes = try database.read { try $0.episodeTraces(of: feed, withNotes: true).map(\.notesHash) }
    #expect(hashes == [EpisodeNotes("<p>One</p>").hash, nil, nil])
    #expect(try database.read { try $0.episodeTraces(of: feed).allSatisfy { $0.notesHash == nil } })
    try change(ids[0], nil)
    try change(ids[1], "<p>Two</p>")
    #expect(try notes() == ["<p>One</p>", "<p>Two</p>", nil])
    try change(ids[0], "<p>Other</p>")
    try change(ids[1], "")
    #expect(try notes() == ["<p>Other</p>", nil, nil])
    try database.ledger().transaction { tables in
      try tables.feeds.delete(feed)
      #expect(try !tables.episodes.forgetLeft(limit: 9))
    }
    #expect(try notes() == [nil, nil, nil])
  }

  @Test("A change of another feed's episode changes no notes")
  func foreign() throws {
    let database = try LibraryDatabase.inMemory()
    try database.ledger().transaction { tables in
      let (one, two) = (try Self.addFeed("a", to: tables), try Self.addFeed("b", to: tables))
      let id = try #require(
        try tables.episodes.insert([Self.content("1", "<p>One</p>")], of: one, added: Self.now).first)
      let change = RefreshReport.EpisodeChange(id: id, content: Self.content("1", "<p>No</p>"), formerNames: .init())
      #expect(try tables.episodes.update(change, of: two) == nil)
      #expect(try tables.episodes.notes(of: id)?.html == "<p>One</p>")
    }
  }

  @Test("In a library from before notes no feed's notes were read, and no episode has some")
  func migration() throws {
    let folder = try TemporaryFolder()
    try FormerLibrary.make(in: folder, upTo: "22-sessions", with: []) { db in
      try db.execute(
        sql: """
          INSERT INTO feeds (id, url, url_hash, host, network, paused, title_key, next_at, failures, distrusted, ended,
            asked, read, episodes, added_at, body_hash)
          VALUES ('a', 'https://a.example/f', 1, 'a.example', 0, 0, 'a', 0, 0, 0, 0, 0, 0, 1, 0, 'h');
          INSERT INTO episodes (key, feed, fingerprint, media, missing, played, favorite, archived, added_at)
          VALUES (1, 1, 1, 0, 0, 0, 0, 0, 0);
          """)
    }
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let feed = try database.ledger().transaction { try $0.feeds.find(1) }
    #expect(feed?.refreshes.validators == FeedValidators(bodyHash: "h"))
    #expect(try database.read { try $0.notes(of: EpisodeID(number: 1)) } == nil)
  }
}
