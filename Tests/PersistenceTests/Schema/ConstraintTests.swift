import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("The schema refuses invalid rows")
struct ConstraintTests {
  /// A change of a legal row, as SQL assignments, that makes it illegal.
  static let illegalDownloads: [(state: String, change: String)] = [
    ("queued", "id = ''"), ("queued", "id = '\(String(repeating: "x", count: 129))'"), ("queued", "id = NULL"),
    ("queued", "url = ''"), ("queued", "url = '\(String(repeating: "x", count: 8193))'"), ("queued", "host = ''"),
    ("queued", "headers = '{'"), ("queued", "resume = 'no json'"), ("queued", "expected_length = -1"),
    ("queued", "priority = 3"), ("queued", "priority = -1"), ("queued", "position = NULL"),
    ("queued", "position = 'first'"), ("queued", "origin = 'machine'"), ("queued", "state = 'stopping'"),
    ("queued", "state = 'Queued'"), ("queued", "durable = -1"), ("queued", "durable = NULL"), ("queued", "total = -1"),
    ("queued", "discarded = -1"), ("queued", "failures = -1"), ("queued", "held = 2"), ("queued", "held = NULL"),
    ("queued", "added_at = NULL"), ("queued", "added_at = 'now'"), ("queued", "phase = 'receiving'"),
    ("queued", "reason = 'retry'"), ("queued", "retry_at = 5"), ("queued", "error_code = 'io', error_message = ''"),
    ("queued", "error_message = 'x'"), ("queued", "error_status = 404"), ("queued", "error_cause = 'io'"),
    ("queued", "path = 'a', file_length = 1, inode = 1"), ("queued", "path = 'a'"), ("queued", "inode = 1"),
    ("queued", "file_length = 1"), ("queued", "finished_at = 5"), ("queued", "state = 'completed'"),
    ("queued", "state = 'running'"), ("queued", "state = 'waiting'"), ("queued", "state = 'failed'"),
    ("running", "phase = NULL"), ("running", "phase = 'resting'"), ("running", "state = 'queued'"),
    ("running", "phase = 'publishing'"), ("running", "finished_at = 5"), ("waiting", "reason = NULL"),
    ("waiting", "reason = 'mood'"), ("waiting", "retry_at = NULL"), ("waiting", "error_code = NULL"),
    ("waiting", "error_message = NULL"), ("waiting", "state = 'paused'"), ("failed", "error_code = NULL"),
    ("failed", "error_code = NULL, error_message = NULL"), ("failed", "error_message = NULL"),
    ("failed", "state = 'queued'"), ("failed", "reason = 'retry'"), ("completed", "path = NULL"),
    ("completed", "file_length = -1"), ("completed", "file_length = NULL"), ("completed", "inode = NULL"),
    ("completed", "finished_at = NULL"), ("completed", "state = 'queued'"),
    ("completed", "path = NULL, file_length = NULL, inode = NULL"), ("completed", "sha256 = 'x'"),
    ("completed", "sha256 = '\(String(repeating: "G", count: 64))'"), ("queued", "discarded = 5"),
    ("queued", "sha256 = '\(String(repeating: "0", count: 64))'"), ("queued", "mirrors = '['"),
    ("queued", "source = -1"), ("queued", "fresh_addresses = -1"), ("queued", "restarts = -1"),
    ("queued", "source = 1"), ("queued", "may_pass = 2"), ("queued", "home_host = 'a'"),
    ("queued", "discards = '{'"), ("queued", "error_short = 5"), ("failed", "error_short = -1"),
    ("queued", "network = 3"), ("queued", "network = NULL"), ("queued", "podcast_network = -1"),
    ("queued", "class = 1 << 36"),
  ]

  @Test("A download's row", arguments: illegalDownloads)
  func downloads(state: String, change: String) throws {
    let database = try LibraryDatabase.inMemory()
    let kept = try #require(try Sample.states().first { $0.kind.rawValue == state })
    try database.write { try $0.downloads.insert(try Sample.download(state: kept)) }
    try database.withConnection { db in
      #expect(throws: DatabaseError.self) { try db.execute(sql: "UPDATE downloads SET \(change)") }
    }
  }

  @Test(
    "Other rows",
    arguments: [
      "INSERT INTO log VALUES (2, 0, 0)", "UPDATE log SET revision = -1", "UPDATE log SET sequence = -1",
      "UPDATE log SET sequence = NULL", "INSERT INTO settings VALUES (2, '{}')", "INSERT INTO settings VALUES (1, '{')",
      "INSERT INTO settings VALUES (1, NULL)", "INSERT INTO counts VALUES ('stopping', 0)",
      "INSERT INTO counts VALUES ('queued', -1)", "INSERT INTO counts VALUES ('queued', NULL)",
      "INSERT INTO deletions (download, ready) VALUES (NULL, 1)",
      "INSERT INTO deletions (download, ready) VALUES ('x', 2)",
      "INSERT INTO deletions (download, path, ready) VALUES ('x', 'p', 1)",
      "INSERT INTO deletions (download, inode, ready) VALUES ('x', 1, 1)",
      "INSERT INTO deletions (download, ready, quarantine) VALUES ('x', 1, 2)",
      "INSERT INTO verifications (download) VALUES (NULL)",
      "INSERT INTO cooldowns VALUES ('', 0)", "INSERT INTO cooldowns VALUES ('a', NULL)",
      "INSERT INTO discards VALUES ('a', -1)", "INSERT INTO lanes VALUES (NULL, 0, 0, 0)",
      "INSERT INTO lanes VALUES ('a', 0, 0, NULL)", "INSERT INTO lanes VALUES ('a', 16, 0, 0)",
      "INSERT INTO network VALUES (2, '{}')", "INSERT INTO network VALUES (1, '{')",
      "INSERT INTO class_counts VALUES (1, 0)", "INSERT INTO usage VALUES (2, 0, 0)", "UPDATE usage SET bytes = -1",
      "UPDATE usage SET bytes = NULL",
    ])
  func others(sql: String) throws {
    try LibraryDatabase.inMemory().withConnection { db in
      #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
    }
  }

  @Test("Two downloads with one id are refused")
  func uniqueNames() throws {
    try LibraryDatabase.inMemory().write { tables in
      try tables.downloads.insert(try Sample.download())
      #expect(throws: DatabaseError.self) { try tables.downloads.insert(try Sample.download()) }
    }
  }

  @Test("A download without headers and without a record is legal: they are NULL, which is no JSON")
  func nullIsLegal() throws {
    try LibraryDatabase.inMemory().write { try $0.downloads.insert(try Sample.download()) }
  }
}
