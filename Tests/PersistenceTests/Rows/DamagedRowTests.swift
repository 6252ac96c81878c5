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
    ("queued", "headers = '[1]'"), ("queued", "headers = '{'"),
    ("queued", #"headers = '[{"name":"a\": 1","value":"b"}]'"#), ("queued", #"headers = '[{"name":"","value":"b"}]'"#),
    ("queued", "priority = 9"), ("queued", "origin = 'machine'"), ("running", "phase = NULL"),
    ("running", "phase = 'resting'"), ("running", "phase = 'publishing'"), ("waiting", "reason = NULL"),
    ("waiting", "reason = 'mood'"), ("waiting", "retry_at = NULL"), ("waiting", "error_code = 'mood'"),
    ("waiting", "error_message = NULL"), ("failed", "error_code = NULL"), ("failed", "error_code = 'mood'"),
    ("completed", "path = '/etc/passwd'"), ("completed", "path = '../x'"), ("completed", "inode = NULL"),
    ("completed", "file_length = NULL"), ("queued", "network = 3"), ("queued", "podcast_network = -1"),
  ]

  @Test("A download's row", arguments: damages)
  func downloads(state: String, change: String) throws {
    let database = try LibraryDatabase.inMemory()
    let kept = try #require(try Sample.states().first { $0.kind.rawValue == state })
    try database.write { try $0.downloads.insert(try Sample.download(state: kept)) }
    try database.damage("UPDATE downloads SET \(change)")
    #expect(throws: DamagedRow.self) { try database.read { try $0.downloads(limit: 100) } }
  }

  @Test(
    "A record that cannot be read keeps no download from going on: what is kept is given up",
    arguments: [
      "'{}'", "'[1]'", "json_set(resume, '$.savedAt', 9223372036854775807)", "json_set(resume, '$.durable', -1)",
    ])
  func records(resume: String) throws {
    let database = try LibraryDatabase.inMemory()
    var download = try Sample.download(state: .queued)
    download.progress.keep(
      ResumeRecord(
        url: "https://a.example/x", strongETag: nil, lastModified: nil, total: nil, durable: 100, tailHash: "h",
        bootID: "b", savedAt: Sample.moment))
    try database.write { try $0.downloads.insert(download) }
    try database.damage("UPDATE downloads SET resume = \(resume)")
    download.progress.resume = .ofNoUse(durable: 100)
    #expect(try database.read { try $0.downloads(limit: 100) } == [download])
  }

  static let brokenSettings = [
    "[]", "{\"maxConcurrent\":\"four\"}", "null", "1", "not json",
  ]

  @Test("Settings that an older version stored get the defaults for keys that it did not have")
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
    "Settings outside their ranges",
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

  @Test("Settings where 0 means no limit", arguments: ["$.slowBytesPerSecond", "$.maxFileBytes"])
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

  @Test("A verification of a download without a file", arguments: ["path = NULL", "id = '.x'", "inode = NULL"])
  func verifications(change: String) throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      try tables.downloads.insert(try Sample.download(state: .completed(try Sample.file())))
      _ = try tables.verifications.insertAll(meeting: .everything, at: Sample.conditionMoment)
    }
    try database.damage("UPDATE downloads SET \(change)")
    #expect(throws: DamagedRow.self) { try database.write { _ = try $0.verifications.owed(limit: 1) } }
  }

  static let brokenRuns = [
    "{}", "[]", "null", "{", "7", "not json",
  ]

  @Test("A cleanup run", arguments: brokenRuns)
  func cleanupRuns(json: String) throws {
    let database = try LibraryDatabase.inMemory()
    let run = CleanupRun(key: 1, options: .init(), cause: .start, askedAt: Sample.moment)
    try database.write { try $0.cleanup.save(run) }
    try database.damage("UPDATE cleanup_runs SET json = '\(json)'")
    #expect(throws: DamagedRow.self) { try database.read { try $0.cleanupRuns() } }
    #expect(throws: DamagedRow.self) { try database.read { try $0.stores() } }
  }

  @Test(
    "A cleanup run with one invalid part", arguments: ["$.stage", "$.cause", "$.options.mode", "$.key"])
  func cleanupRunParts(path: String) throws {
    let database = try LibraryDatabase.inMemory()
    let run = CleanupRun(key: 1, options: .init(), cause: .start, askedAt: Sample.moment)
    try database.write { try $0.cleanup.save(run) }
    try database.damage("UPDATE cleanup_runs SET json = json_set(json, '\(path)', 'mood')")
    #expect(throws: DamagedRow.self) { try database.read { try $0.cleanupRuns() } }
  }

  @Test("A cleanup run that has ended at no time, or that works although it has ended")
  func cleanupRunEnds() throws {
    let database = try LibraryDatabase.inMemory()
    var run = CleanupRun(key: 1, options: .init(), cause: .start, askedAt: Sample.moment)
    (run.stage, run.endedAt) = (.cancelled, Sample.moment)
    try database.write { try $0.cleanup.save(run) }
    #expect(try database.read { try $0.cleanupRuns() } == [run])
    try database.damage("UPDATE cleanup_runs SET json = replace(json, 'endedAt', 'endedAu')")
    #expect(throws: DamagedRow.self) { try database.read { try $0.cleanupRuns() } }
    run.stage = .looking
    try database.write { try $0.cleanup.save(run) }
    #expect(throws: DamagedRow.self) { try database.read { try $0.cleanupRuns() } }
  }

  static let stepDamages = [
    "status = 'stopping'", "decision = 'burn'", "decision = ''", "matter = '{'", "matter = '{}'", "matter = 'null'",
    "matter = json_set(matter, '$.corrupt._0', '.hidden')", "matter = json_set(matter, '$.corrupt._0', 7)",
    "matter = json_set(matter, '$.corrupt._1.path', '../../etc/passwd')",
    "matter = json_set(matter, '$.corrupt.found.place', 'no base64')",
    "matter = json_set(matter, '$.corrupt.found.inode', -1)",
    "matter = json_set(matter, '$.corrupt.found.length', 1e300)",
    "matter = json_replace(json_remove(matter, '$.corrupt'), '$.burnt', 1)",
  ]

  @Test("A cleanup step", arguments: stepDamages)
  func cleanupSteps(change: String) throws {
    let database = try LibraryDatabase.inMemory()
    let file = try Sample.file(inode: 1)
    let found = FoundFile(place: EntryPath(file.path), length: 1, inode: 1)
    let matter = CleanupStep.Finding.corrupt(try #require(DownloadID("x")), file, found: found)
    try database.write { try $0.cleanup.insert(CleanupStep(finding: matter, decision: .mark, because: "")) }
    try database.damage("UPDATE cleanup_steps SET \(change)")
    #expect(throws: DamagedRow.self) { try database.read { try $0.cleanupSteps(PageRequest()) } }
    guard !change.hasPrefix("status") else { return }
    #expect(throws: DamagedRow.self) { try database.write { _ = try $0.cleanup.planned(after: 0, limit: 1) } }
  }

  @Test(
    "A former file",
    arguments: [
      "cause = 'mood'", "download = '.x'", "url = 'ftp://a.example/'", "path = '../x', file_length = 1",
      "origin = 'mood'",
    ])
  func formerFiles(change: String) throws {
    let database = try LibraryDatabase.inMemory()
    let former = try Sample.formerFile(.kept)
    try database.write { try $0.formerFiles.insert(former, at: Sample.moment) }
    try database.damage("UPDATE former_files SET \(change)")
    let length: Int64 = change.contains("file_length") ? 1 : former.file.length
    let file = FoundFile(place: EntryPath(bytes: []), length: length, inode: 1)
    #expect(throws: DamagedRow.self) { try database.read { try $0.formerFiles(like: file) } }
  }

  @Test("A row with a file's path", arguments: ["path = '/etc/passwd'", "id = ''", "inode = NULL"])
  func expectedFiles(change: String) throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { try $0.downloads.insert(try Sample.download(state: .completed(try Sample.file()))) }
    try database.damage("UPDATE downloads SET \(change)")
    #expect(throws: DamagedRow.self) { try database.read { try $0.expectedFiles(after: .start, limit: 1) } }
  }

  static let brokenNetworks = [
    "json = '{}'", "json = 'null'", "json = 'no json'", "json = json_set(json, '$.path.device', 'a/b')",
    "json = json_set(json, '$.path.device', '')", "json = json_set(json, '$.path.device', 'sixteen-bytes-xx')",
    "json = json_set(json, '$.path.status', 'asleep')", "json = json_set(json, '$.path.interface', 'pigeon')",
    "json = json_set(json, '$.source', 'rumour')", "json = json_set(json, '$.usage.bytes', -1)",
    "json = json_set(json, '$.usage.month', -1)", "json = json_set(json, '$.usage.month', 9223372036854775807)",
    "json = json_set(json, '$.localTime.seconds', 86401)", "json = json_set(json, '$.localTime.seconds', -86401)",
    "json = json_set(json, '$.localTime.changes[0].seconds', 86401)",
    "json = json_set(json, '$.localTime.changes', json('[\(Array(repeating: change, count: 9).joined(separator: ","))]'))",
    "json = json_set(json, '$.localTime.changes', json('[\(change),\(change)]'))",
  ]
  private static let change = #"{"from":5,"seconds":0}"#

  @Test("The stored network state", arguments: brokenNetworks)
  func network(change: String) throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { try $0.save(Sample.network) }
    #expect(try database.read { try $0.network() } == Sample.network)
    try database.damage("UPDATE network SET \(change)")
    #expect(throws: DamagedRow.self) { try database.read { try $0.network() } }
    #expect(throws: DamagedRow.self) { try database.read { try $0.stores() } }
    #expect(throws: DamagedRow.self) { try database.read { try $0.obstacles(now: Sample.moment) } }
  }

  @Test(
    "Settings of the network, a schedule and volumes outside their ranges",
    arguments: [
      ("$.network.user", "'inherit'"), ("$.network.podcasts.Show", "'inherit'"), ("$.network.auto", "'pigeon'"),
      ("$.schedule[0].from", "1440"), ("$.schedule[0].to", "-1"), ("$.schedule[0].days", "json('[]')"),
      ("$.schedule[0].days[0]", "'day'"), ("$.storageQuotaBytes", "-1"), ("$.reserveFreeBytes", "-1"),
      ("$.cellularBudgetBytesPerMonth", "-1"), ("$.bytesPerSecond", "1023"),
    ])
  func networkSettings(path: String, value: String) throws {
    let database = try LibraryDatabase.inMemory()
    var settings = Settings()
    settings.schedule = [ScheduleWindow(from: 60, to: 120)]
    settings.network.podcasts = ["Show": .any]
    try database.write { try $0.save(settings) }
    #expect(try database.read { try $0.settings() } == settings)
    try database.damage("UPDATE settings SET json = json_set(json, '\(path)', \(value))")
    #expect(throws: DamagedRow.self) { try database.read { try $0.settings() } }
  }

  @Test("The total of bytes, and the lanes")
  func usageAndLanes() throws {
    let database = try LibraryDatabase.inMemory()
    try database.damage("UPDATE usage SET bytes = -1")
    try database.damage("INSERT INTO lanes VALUES ('a.example', 3, 0, 0)")
    #expect(throws: DamagedRow.self) { try database.write { _ = try $0.downloads.storedBytes() } }
    #expect(throws: DamagedRow.self) { try database.write { _ = try $0.downloads.nextAdmissible { _ in true } } }
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
  func damage(_ sql: String) throws {
    try withConnection { db in
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
      try db.execute(sql: sql)
      try db.execute(sql: "PRAGMA ignore_check_constraints = OFF")
    }
  }
}
