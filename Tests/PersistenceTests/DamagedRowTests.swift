import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

/// Rows that no version of Podflux writes, as bit rot or another program may leave them.
@Suite("Damaged rows are errors, never traps")
struct DamagedRowTests {
  static let damages: [(state: String, change: String)] = [
    ("queued", "state = 'stopping'"), ("queued", "id = '.hidden'"), ("queued", "id = 'ä'"), ("queued", "id = ''"),
    ("queued", "url = 'ftp://a.example/'"), ("queued", "url = ''"), ("queued", "wanted_path = '../../etc/passwd'"),
    ("queued", "headers = '[1]'"), ("queued", "headers = '{'"), ("queued", "resume = '{}'"),
    ("queued", "priority = 9"), ("queued", "origin = 'machine'"), ("running", "phase = NULL"),
    ("running", "phase = 'resting'"), ("running", "phase = 'publishing'"), ("waiting", "reason = NULL"),
    ("waiting", "reason = 'mood'"), ("waiting", "retry_at = NULL"), ("waiting", "error_code = 'mood'"),
    ("waiting", "error_message = NULL"), ("failed", "error_code = NULL"), ("failed", "error_code = 'mood'"),
    ("completed", "path = '/etc/passwd'"), ("completed", "path = '../x'"), ("completed", "inode = NULL"),
    ("completed", "file_length = NULL"),
  ]

  @Test("A download's row", arguments: damages)
  func downloads(state: String, change: String) throws {
    let database = try LibraryDatabase.inMemory()
    let kept = try #require(try Sample.states().first { $0.kind.rawValue == state })
    try database.write { try $0.downloads.insert(try Sample.download(state: kept)) }
    try database.damage("UPDATE downloads SET \(change)")
    #expect(throws: DamagedRow.self) { try database.read { try $0.page(PageRequest()) } }
  }

  static let brokenSettings = [
    "[]", "{\"maxConcurrent\":\"four\"}", "null", "1", "not json",
  ]

  @Test("Settings that an older version has stored have the defaults of those that it did not know")
  func olderSettings() throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { try $0.save(Settings()) }
    try database.damage("UPDATE settings SET json = '{\"maxConcurrent\":9}'")
    var expected = Settings()
    expected.maxConcurrent = 9
    #expect(try database.read { try $0.settings() } == expected)
  }

  @Test("Settings", arguments: brokenSettings)
  func settings(json: String) throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { try $0.save(Settings()) }
    try database.damage("UPDATE settings SET json = '\(json)'")
    #expect(throws: DamagedRow.self) { try database.read { try $0.settings() } }
  }

  /// A wait of 9·10¹⁸ s would overflow and trap in the first retry; no value beyond its range may reach the stores.
  @Test(
    "Settings out of their ranges",
    arguments: [
      "$.retryFirstSeconds", "$.retryMaxSeconds", "$.maxConcurrent", "$.maxPerHost", "$.maxAttempts",
      "$.connectTimeoutSeconds", "$.stallTimeoutSeconds", "$.progressInterval", "$.firstByteTimeoutSeconds",
      "$.slowWindowSeconds",
    ])
  func settingsOutOfRange(path: String) throws {
    for value in [Int64.max, -1, 0] {
      let database = try LibraryDatabase.inMemory()
      try database.write { try $0.save(Settings()) }
      try database.damage("UPDATE settings SET json = json_set(json, '\(path)', \(value))")
      #expect(throws: DamagedRow.self, "\(path) = \(value)") { try database.read { try $0.settings() } }
    }
  }

  @Test("Settings for which 0 means no limit", arguments: ["$.slowBytesPerSecond", "$.maxFileBytes"])
  func limitsOutOfRange(path: String) throws {
    for value in [Int64.max, -1] {
      let database = try LibraryDatabase.inMemory()
      try database.write { try $0.save(Settings()) }
      try database.damage("UPDATE settings SET json = json_set(json, '\(path)', \(value))")
      #expect(throws: DamagedRow.self, "\(path) = \(value)") { try database.read { try $0.settings() } }
    }
  }

  @Test("A deletion's row", arguments: ["download = '.x'", "path = '/etc/passwd', file_length = 1, inode = 1"])
  func deletions(change: String) throws {
    let database = try LibraryDatabase.inMemory()
    let id = try #require(DownloadID("x"))
    try database.write { try $0.deletions.insert(Deletion(download: id, file: nil), isReady: true) }
    try database.damage("UPDATE deletions SET \(change)")
    #expect(throws: DamagedRow.self) { try database.write { _ = try $0.deletions.ready(limit: 1) } }
  }

  @Test("A verification of what has no file", arguments: ["path = NULL", "id = '.x'", "inode = NULL"])
  func verifications(change: String) throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      try tables.downloads.insert(try Sample.download(state: .completed(try Sample.file())))
      _ = try tables.verifications.insertAll()
    }
    try database.damage("UPDATE downloads SET \(change)")
    #expect(throws: DamagedRow.self) { try database.write { _ = try $0.verifications.owed(limit: 1) } }
  }

  @Test("Counts, and a log without its row")
  func countsAndLog() throws {
    let database = try LibraryDatabase.inMemory()
    try database.damage("INSERT INTO counts VALUES ('stopping', 1)")
    try database.damage("DELETE FROM log")
    #expect(throws: DamagedRow.self) { try database.read { try $0.counts() } }
    #expect(throws: DamagedRow.self) { try database.read { try $0.position() } }
  }
}

extension LibraryDatabase {
  /// Changes rows with the schema's checks switched off.
  fileprivate func damage(_ sql: String) throws {
    try withConnection { db in
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
      try db.execute(sql: sql)
      try db.execute(sql: "PRAGMA ignore_check_constraints = OFF")
    }
  }
}
