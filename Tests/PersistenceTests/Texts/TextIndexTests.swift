import GRDB
import PodfluxCore
import Testing

@testable import Persistence

@Suite("The text index")
struct TextIndexTests {
  private static let commitCount = 300

  @Test("No commit of one row writes many pages, and segments do not pile up")
  func smallSteps() throws {
    let database = try LibraryDatabase.inMemory()
    // Segments that are worth merging.
    for first in stride(from: 0, to: 20_000, by: 1000) { try add(first..<first + 1000, to: database) }
    var (mostPages, before) = (0, try blocks(of: database))
    for number in 0..<Self.commitCount {
      try add(20_000 + number..<20_001 + number, to: database)
      let after = try blocks(of: database)
      mostPages = max(mostPages, Set(before).symmetricDifference(after).count)
      before = after
    }
    // Each merged page is read and written, and the structure record with it.
    #expect(mostPages <= 36)
    let segments = try database.withConnection { db in
      try Int.fetchOne(db, sql: "SELECT count(DISTINCT segid) FROM texts_idx") ?? 0
    }
    #expect(segments <= 12)
  }

  @Test("A library with FTS5's automatic merge changes to small steps")
  func former() throws {
    let folder = try TemporaryFolder()
    let former = try LibraryDatabase.open(at: folder.databasePath)
    try former.withConnection { try $0.execute(sql: "INSERT INTO texts (texts, rank) VALUES ('automerge', 4)") }
    try former.close()
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let automerge = try database.withConnection { db in
      try Int.fetchOne(db, sql: "SELECT v FROM texts_config WHERE k = 'automerge'")
    }
    #expect(automerge == 0)
  }

  private func add(_ numbers: Range<Int>, to database: LibraryDatabase) throws {
    let index = TextIndex()
    try database.withConnection { db in
      for number in numbers {
        try index.insert(Int64(number), title: "Episode \(number &* 7919)", podcast: "Show \(number % 9)", in: db)
      }
      try index.refresh(in: db)
    }
  }

  private func blocks(of database: LibraryDatabase) throws -> [String] {
    try database.withConnection { db in
      try String.fetchAll(db, sql: "SELECT id || ' ' || hex(block) FROM texts_data")
    }
  }
}

@Suite("The lanes of hosts")
struct LaneTests {
  private struct Undone: Error {}

  private func first(of ledger: SQLLedger) throws -> String? {
    try ledger.transaction { try $0.downloads.nextAdmissible { _ in true }?.id.description }
  }

  @Test("A rollback drops its offered ranks")
  func undone() throws {
    let ledger = try LibraryDatabase.inMemory().ledger()
    try ledger.transaction { try $0.downloads.insert(try Sample.download("last", position: 5)) }
    #expect(throws: Undone.self) {
      try ledger.transaction { tables in
        try tables.downloads.insert(try Sample.download("undone", position: 3))
        throw Undone()
      }
    }
    try ledger.transaction { try $0.downloads.insert(try Sample.download("first", position: 4)) }
    #expect(try first(of: ledger) == "first")
  }

  @Test("A rank offered in an earlier transaction does not count after its row was removed")
  func gone() throws {
    let ledger = try LibraryDatabase.inMemory().ledger()
    try ledger.transaction { try $0.downloads.insert(try Sample.download("first", position: 1)) }
    try ledger.transaction { try $0.downloads.delete(try #require(DownloadID("first"))) }
    try ledger.transaction { try $0.downloads.insert(try Sample.download("second", position: 7)) }
    try ledger.transaction { try $0.downloads.insert(try Sample.download("third", position: 8)) }
    #expect(try first(of: ledger) == "second")
  }

  @Test("A better rank than an earlier transaction's becomes the head")
  func better() throws {
    let ledger = try LibraryDatabase.inMemory().ledger()
    for position: Int64 in [5, 9, 2, 3] {
      try ledger.transaction { try $0.downloads.insert(try Sample.download("x\(position)", position: position)) }
    }
    #expect(try first(of: ledger) == "x2")
  }
}
