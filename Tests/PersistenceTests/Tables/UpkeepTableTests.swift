import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("The daily upkeep's tables")
struct UpkeepTableTests {
  private let database: LibraryDatabase

  init() throws {
    database = try LibraryDatabase.inMemory()
  }

  @Test("The day of the last upkeep is read back; before the first there is none, and an absurd one is refused")
  func day() throws {
    #expect(try database.read { try $0.stores().upkeep.lastDay } == nil)
    for day: Int64 in [20_000, -3] {
      try database.write { try $0.upkeep.save(day: day) }
      #expect(try database.read { try $0.stores().upkeep.lastDay } == day)
    }
    try database.write { try $0.upkeep.save(day: .max) }
    #expect(throws: DamagedRow.self) { try database.read { try $0.stores() } }
  }

  @Test("Folders come in order and in pages; a missing one is removed, unless a download has its file in it")
  func folders() throws {
    let file = try Sample.file()
    try database.write { tables in
      try tables.upkeep.note(made: try ["b/c", "b", "a", "b/c-d"].map { try LibraryPath(validating: $0) })
      var download = try Sample.download("x")
      download.state = .completed(
        PublishedFile(path: try LibraryPath(validating: "b/c/d.mp3"), length: file.length, inode: file.inode))
      download.dates.finished = Sample.moment
      try tables.downloads.insert(download)
      #expect(try tables.upkeep.folders(after: "", limit: 3).map(\.description) == ["a", "b", "b/c"])
      #expect(try tables.upkeep.folders(after: "b/c", limit: 3).map(\.description) == ["b/c-d"])
      for folder in try tables.upkeep.folders(after: "", limit: 9) { try tables.upkeep.forget(folder) }
      #expect(try tables.upkeep.folders(after: "", limit: 9).map(\.description) == ["b", "b/c"])
    }
  }

  @Test("Old former files beyond the latest ones are removed, the oldest first, in limited batches")
  func formerFiles() throws {
    let now = Timestamp(milliseconds: 1_000)
    try database.write { tables in
      for number in 0..<10 {
        var former = try Sample.formerFile(.missing)
        former.download = try #require(DownloadID("d\(number)"))
        try tables.formerFiles.insert(former, at: Timestamp(milliseconds: Int64(number)))
      }
      func forget(before moment: Int64, keeping number: Int, limit: Int) throws -> Int {
        try tables.formerFiles.forgetFormerFiles(
          beyond: .init(since: Timestamp(milliseconds: moment), number: number), now: now, limit: limit)
      }
      #expect(try forget(before: 100, keeping: 10, limit: 9) == 0)
      #expect(try forget(before: 3, keeping: 2, limit: 2) == 2)
      #expect(try forget(before: 3, keeping: 2, limit: 2) == 1)
      #expect(try forget(before: 3, keeping: 2, limit: 2) == 0)
      #expect(try forget(before: 100, keeping: 2, limit: 100) == 5)
    }
    let left = try database.withConnection {
      try String.fetchAll($0, sql: "SELECT download FROM former_files ORDER BY key")
    }
    #expect(left == ["d8", "d9"])
  }

  @Test("Those of an earlier version, whose age is unknown, count from the first upkeep on")
  func undated() throws {
    let now = Timestamp(milliseconds: 1_000)
    try database.write { tables in
      for name in ["a", "b"] {
        var former = try Sample.formerFile(.missing)
        former.download = try #require(DownloadID(name))
        try tables.formerFiles.insert(former, at: now)
      }
    }
    try database.damage("UPDATE former_files SET noted_at = NULL")
    let forget = { (moment: Timestamp) in
      try database.write {
        try $0.formerFiles.forgetFormerFiles(beyond: .init(since: moment, number: 1), now: now, limit: 10)
      }
    }
    #expect(try forget(Timestamp(milliseconds: 900)) == 2)
    #expect(try forget(Timestamp(milliseconds: 900)) == 0)
    #expect(try forget(Timestamp(milliseconds: 1_001)) == 1)
  }

  @Test("Failed deletions become ready again in pages, except those of live downloads")
  func deletions() throws {
    try database.write { tables in
      let table = tables.deletions
      for name in ["a", "b", "c", "d", "e"] {
        try table.insert(Deletion(download: try #require(DownloadID(name)), file: nil), isReady: false)
      }
      let live = [try #require(DownloadID("b"))]
      #expect(try table.makeReady(after: 0, limit: 2, sparing: live) == 2)
      #expect(try table.ready(limit: 9).map(\.key) == [1])
      // A deletion that fails again at once is not retried by the same upkeep.
      _ = try table.postpone(1)
      #expect(try table.makeReady(after: 2, limit: 2, sparing: live) == 4)
      #expect(try table.makeReady(after: 4, limit: 2, sparing: live) == nil)
      #expect(try table.ready(limit: 9).map(\.key) == [3, 4, 5])
    }
  }

  @Test("A library from before keeps its former files and its steps")
  func migration() throws {
    let folder = try TemporaryFolder()
    try FormerLibrary.make(in: folder, upTo: "8-spelled-out-checks", with: []) { db in
      try db.execute(
        sql: """
          INSERT INTO former_files VALUES (7, 'a', 'https://a.example/', 1, 'a/b.mp3', 5, 6, NULL, 'missing');
          INSERT INTO cleanup_steps (status, decision, because, matter)
            VALUES ('done', 'delete', 'x', '{"emptyFolder":{"_0":"YQ=="}}');
          """)
    }
    let database = try LibraryDatabase.open(at: folder.databasePath)
    #expect(try database.read { try $0.stores().upkeep.lastDay } == nil)
    #expect(try database.read { try $0.cleanupSteps(PageRequest()).steps.map(\.holder) } == [nil])
    let id = try #require(DownloadID("a"))
    let path = try LibraryPath(validating: "a/b.mp3")
    let address = try database.write { try $0.formerFiles.formerFile(of: id, at: path)?.address }
    #expect(address?.host == "a.example")
    try database.close()
  }
}
