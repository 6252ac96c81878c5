import Flux
import Foundation
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("Opening a library's database")
struct OpeningTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Creates a library of some size and closes it: one file, without -wal and -shm.
  private func makeLibrary(rows: Int = 500) throws {
    let database = try LibraryDatabase.open(at: folder.databasePath)
    try database.write { tables in
      for number in 0..<rows {
        try tables.downloads.insert(try Sample.download("d\(number)", position: Int64(number)))
      }
    }
    try database.close()
    #expect(try folder.contents().keys.sorted() == ["podflux.sqlite"])
  }

  /// Neither way of opening may accept the file, change it, or leave another one beside it.
  private func expectRefusal(
    _ isExpected: (LibraryDatabase.OpeningError) -> Bool, at sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.contents()
    for open in [{ try LibraryDatabase.open(at: $0) }, { try LibraryDatabase.openReadOnly(at: $0) }] {
      do {
        _ = try open(folder.databasePath)
        Issue.record("it was opened", sourceLocation: sourceLocation)
      } catch let error as LibraryDatabase.OpeningError {
        #expect(isExpected(error), "\(error)", sourceLocation: sourceLocation)
      }
      let after = try folder.contents()
      #expect(after.keys.sorted() == before.keys.sorted(), sourceLocation: sourceLocation)
      #expect(after["podflux.sqlite"] == before["podflux.sqlite"], "changed", sourceLocation: sourceLocation)
    }
  }

  private func overwrite(_ change: (inout Data) -> Void) throws {
    let url = URL(fileURLWithPath: folder.databasePath)
    var data = try Data(contentsOf: url)
    change(&data)
    try data.write(to: url)
  }

  // MARK: What is refused

  @Test("One that is gone, or empty, where an engine had one before", arguments: [false, true])
  func lost(isEmpty: Bool) throws {
    if isEmpty { try Data().write(to: URL(fileURLWithPath: folder.databasePath)) }
    let before = try folder.contents()
    for open in [
      { try LibraryDatabase.open(at: $0, isNoted: true) }, { try LibraryDatabase.openReadOnly(at: $0, isNoted: true) },
    ] {
      #expect {
        _ = try open(folder.databasePath)
      } throws: { error in
        if case LibraryDatabase.OpeningError.lost = error { true } else { false }
      }
      #expect(try folder.contents() == before)
    }
  }

  @Test("One migrated by a newer version")
  func newer() throws {
    try makeLibrary()
    let queue = try DatabaseQueue(path: folder.databasePath)
    try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99-from-the-future')") }
    try queue.close()
    try expectRefusal { if case .newer = $0 { true } else { false } }
  }

  @Test(
    "One whose list of migrations or whose tables were damaged",
    arguments: [
      "UPDATE grdb_migrations SET identifier = '9-downloads' WHERE identifier = '1-downloads'",
      "DELETE FROM grdb_migrations",
    ])
  func damagedSchema(sql: String) throws {
    try makeLibrary()
    let queue = try DatabaseQueue(path: folder.databasePath)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
    do {
      try LibraryDatabase.open(at: folder.databasePath).close()
      Issue.record("it was opened")
    } catch let error as LibraryDatabase.OpeningError {
      guard case .damaged(let reason) = error else { throw error }
      #expect(!reason.contains("CREATE"), "\(reason)")
    }
  }

  @Test("One of an older version cannot be read before an engine has migrated it")
  func older() throws {
    try makeLibrary(rows: 3)
    let queue = try DatabaseQueue(path: folder.databasePath)
    try queue.write { db in
      let last = try String.fetchOne(db, sql: "SELECT max(identifier) FROM grdb_migrations")
      try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = ?", arguments: [last])
    }
    try queue.close()
    do {
      _ = try LibraryDatabase.openReadOnly(at: folder.databasePath)
      Issue.record("it was opened")
    } catch LibraryDatabase.OpeningError.older {}
  }

  @Test("One of another program, in either journal mode", arguments: ["delete", "wal"])
  func foreign(journalMode: String) throws {
    let queue = try DatabaseQueue(path: folder.databasePath)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = \(journalMode); CREATE TABLE notes (text TEXT)")
    }
    try queue.close()
    try expectRefusal { if case .foreign = $0 { true } else { false } }
  }

  @Test("One with another program's application id")
  func foreignID() throws {
    try makeLibrary()
    let queue = try DatabaseQueue(path: folder.databasePath)
    try queue.write { try $0.execute(sql: "PRAGMA application_id = 42") }
    try queue.close()
    try expectRefusal { if case .foreign = $0 { true } else { false } }
  }

  @Test("A truncated one", arguments: [100, 3_000, 4_096, 20_000, 60_000])
  func truncated(length: Int) throws {
    try makeLibrary()
    try overwrite { $0 = $0.prefix(length) }
    try expectRefusal { if case .damaged = $0 { true } else { false } }
  }

  @Test("One whose header was overwritten")
  func header() throws {
    try makeLibrary()
    try overwrite { $0.replaceSubrange(0..<64, with: [UInt8](repeating: 0xAA, count: 64)) }
    try expectRefusal { if case .damaged = $0 { true } else { false } }
  }

  @Test("A text file of any length", arguments: [1, 20, 5_000])
  func text(lines: Int) throws {
    let text = String(repeating: "This is no database.\n", count: lines)
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.databasePath))
    try expectRefusal { if case .damaged = $0 { true } else { false } }
  }

  @Test("One with garbage in its middle, when it is opened for writing")
  func garbage() throws {
    try makeLibrary()
    try overwrite { data in
      let middle = data.count / 8192 * 4096
      data.replaceSubrange(middle..<(middle + 4096), with: [UInt8](repeating: 0x5A, count: 4096))
    }
    let before = try folder.contents()
    #expect(throws: LibraryDatabase.OpeningError.self) { try LibraryDatabase.open(at: folder.databasePath) }
    #expect(try folder.contents() == before)
  }

  @Test("A missing one, for reading only; it is not created")
  func missing() throws {
    do {
      _ = try LibraryDatabase.openReadOnly(at: folder.databasePath)
      Issue.record("it was opened")
    } catch LibraryDatabase.OpeningError.missing {}
    #expect(try folder.contents().isEmpty)
  }

  // MARK: What is opened

  @Test("An empty file is a library whose first start was interrupted")
  func emptyFile() throws {
    try Data().write(to: URL(fileURLWithPath: folder.databasePath))
    let database = try LibraryDatabase.open(at: folder.databasePath)
    #expect(try database.read { try $0.position() } == .origin)
    try database.close()
  }

  @Test("Committed changes are there when it is opened again")
  func reopening() throws {
    try makeLibrary(rows: 3)
    let database = try LibraryDatabase.open(at: folder.databasePath)
    #expect(try database.read { try $0.downloads(limit: 100).count } == 3)
    try database.close()
  }

  @Test("A library from before verifications is migrated, and keeps its pending deletions")
  func beforeVerifications() throws {
    let queue = try DatabaseQueue(path: folder.databasePath)
    try Schema.migrator.migrate(queue, upTo: "3-sources-and-digests")
    try queue.write { try $0.execute(sql: "INSERT INTO deletions (download, ready) VALUES ('old', 1)") }
    try queue.close()
    let database = try LibraryDatabase.open(at: folder.databasePath)
    try database.write { tables in
      let owed = try tables.deletions.ready(limit: 2)
      #expect(owed.map(\.download.description) == ["old"])
      #expect(owed.map(\.fate) == [.deleted])
      #expect(try tables.verifications.insertAll(meeting: .everything, at: Sample.conditionMoment) == 0)
    }
    try database.close()
  }

  @Test("Commits are durable: WAL, synchronous FULL")
  func durability() throws {
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let journalMode = try database.read { try String.fetchOne($0.db, sql: "PRAGMA journal_mode") }
    let synchronous = try database.read { try Int.fetchOne($0.db, sql: "PRAGMA synchronous") }
    #expect(journalMode == "wal")
    #expect(synchronous == 2)
    try database.close()
  }

  @Test("A reader beside an open writer sees committed changes only, and disturbs nothing")
  func readerBesideWriter() throws {
    let writer = try LibraryDatabase.open(at: folder.databasePath)
    try writer.write { try $0.downloads.insert(try Sample.download("first")) }
    let reader = try LibraryDatabase.openReadOnly(at: folder.databasePath)
    let names = { try reader.read { try $0.downloads(limit: 100).map(\.id.description) } }
    #expect(try names() == ["first"])
    try writer.write { tables in
      try tables.downloads.insert(try Sample.download("second"))
      #expect(try names() == ["first"])
    }
    #expect(try names() == ["first", "second"])
    try reader.close()
    try writer.write { try $0.downloads.insert(try Sample.download("third")) }
    try writer.close()
    #expect(try folder.contents().keys.sorted() == ["podflux.sqlite"])
  }

  @Test("A reader alone sees everything")
  func readerAlone() throws {
    try makeLibrary(rows: 2)
    let reader = try LibraryDatabase.openReadOnly(at: folder.databasePath)
    #expect(try reader.read { try $0.downloads(limit: 100).count } == 2)
    try reader.close()
  }

  @Test("A transaction whose body throws leaves nothing, and the next one finds the lanes unchanged")
  func rollback() throws {
    struct Stop: Error {}
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let ledger = database.ledger()
    #expect(throws: Stop.self) {
      try ledger.transaction { tables in
        try tables.downloads.insert(try Sample.download("gone"))
        throw Stop()
      }
    }
    let gone = try #require(DownloadID("gone"))
    #expect(try ledger.transaction { try $0.downloads.nextAdmissible { _ in true } } == nil)
    #expect(try ledger.transaction { try $0.downloads.find(gone) } == nil)
    try database.close()
  }
}
