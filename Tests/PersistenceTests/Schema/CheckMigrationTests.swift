import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("A library whose checks are lists")
struct CheckMigrationTests {
  @Test("Its checks become disjunctions; its rows stay, and illegal ones are refused as before")
  func spellingOut() throws {
    let folder = try TemporaryFolder()
    var draw = RandomDownloads(seed: 8)
    let downloads = try (0..<200).map { try draw.download($0) }
    var (former, rows): ([String], [Row]) = ([], [])
    try FormerLibrary.make(in: folder, upTo: "7-network", with: downloads, columns: ["published_offset"]) { db in
      former = try Self.schema(db)
      rows = try Self.rows(db)
    }
    #expect(former.contains { $0.contains("state IN ('queued', 'waiting', 'running'") })

    let database = try LibraryDatabase.open(at: folder.databasePath)
    try database.withConnection { db in
      #expect(try Self.rows(db) == rows)
      let touched = try Int.fetchOne(
        db, sql: "SELECT COUNT(*) FROM downloads WHERE mtime IS NOT NULL OR modified_at IS NOT NULL")
      #expect(touched == 0)
      let schema = try Self.schema(db)
      // Later migrations have added tables.
      #expect(schema.count >= former.count)
      #expect(!schema.contains { $0.contains(#/IN\s*\('\w+', '\w+', '\w+'/#) })
      #expect(schema.contains { $0.contains("origin IN ('user', 'auto')") })
      let findings = try String.fetchAll(db, sql: "PRAGMA integrity_check")
      #expect(findings == ["ok"])
      for change in [
        "UPDATE downloads SET state = 'x'", "UPDATE downloads SET phase = 'x' WHERE state = 'running'",
        "UPDATE downloads SET reason = 'x' WHERE state = 'waiting'", "INSERT INTO counts VALUES ('x', 0)",
        "INSERT INTO cleanup_steps (status, decision, because, matter) VALUES ('x', '', '', '{}')",
      ] {
        #expect(throws: DatabaseError.self, "\(change)") { try db.execute(sql: change) }
      }
      // No other statement may write to the schema.
      #expect(throws: DatabaseError.self) { try db.execute(sql: "UPDATE sqlite_schema SET sql = ''") }
    }
    try database.close()
  }

  private static func rows(_ db: Database) throws -> [Row] {
    try Row.fetchAll(
      db, sql: "SELECT key, id, state, class, position, length, title, podcast FROM downloads ORDER BY key")
  }

  private static func schema(_ db: Database) throws -> [String] {
    try String.fetchAll(db, sql: "SELECT sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL ORDER BY name")
  }
}
