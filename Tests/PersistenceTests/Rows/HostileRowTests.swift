import Flux
import Foundation
import GRDB
import TestActions
import Testing

@testable import Persistence
@testable import PodfluxCore

/// No value in any column causes a trap: readers and turns either accept it, or throw a known error.
@Suite("Each column of each table with values that no version writes")
struct HostileRowTests {
  private static let values = [
    "NULL", "-1", "\(Int64.max)", "\(Int64.min)", "1e300", "'x'", "zeroblob(1000)", "printf('%.*c', 20000, 'y')",
  ]

  /// Every value in every column takes minutes: `PODFLUX_HOSTILE_ROWS=all`. Otherwise each column gets the largest
  /// number and one other value, in rotation.
  private static let triesAll = ProcessInfo.processInfo.environment["PODFLUX_HOSTILE_ROWS"] == "all"

  private static func values(of name: String) -> [String] {
    guard !triesAll, let index = columns.firstIndex(of: name) else { return values }
    return ["\(Int64.max)", values[index % values.count]]
  }

  static let columns: [String] = (try? allColumns()) ?? []

  private static func allColumns() throws -> [String] {
    try LibraryDatabase.inMemory().withConnection { db in
      let tables = try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%' ORDER BY name")
      return try tables.flatMap { table in
        try db.columns(in: table).map { "\(table).\($0.name)" }
      }
    }
  }

  @Test("The test fills every table")
  func tables() throws {
    #expect(Self.columns.count > 80)
    let database = try HostileLibrary.filled()
    try database.withConnection { db in
      for table in Set(Self.columns.map { $0.prefix { $0 != "." } }) {
        let number = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
        #expect(number ?? 0 > 0, "\(table)")
      }
    }
    let faults = try HostileLibrary.exercise(database)
    #expect(faults.isEmpty, "\(faults)")
  }

  @Test(
    "A damaged value is named by its column",
    arguments: ["added_at", "position", "source", "failures", "published"])
  func name(of column: String) throws {
    let database = try HostileLibrary.filled()
    try database.withConnection { db in
      try HostileLibrary.loosen(db)
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
      try db.execute(sql: "UPDATE downloads SET \(column) = \(Int64.min)")
    }
    let faults = try HostileLibrary.exercise(database).compactMap { $0 as? DamagedRow }
    #expect(!faults.isEmpty)
    #expect(faults.allSatisfy { $0.column == column }, "\(faults)")
  }

  @Test("A column", arguments: columns)
  func column(_ name: String) throws {
    let parts = name.split(separator: ".")
    for value in Self.values(of: name) {
      let database = try HostileLibrary.filled()
      let isTaken = try database.withConnection { db in
        try HostileLibrary.loosen(db)
        do {
          try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
          try db.execute(sql: "UPDATE \(parts[0]) SET \(parts[1]) = \(value)")
          return true
        } catch let error as DatabaseError {
          // A unique key or an invalid rowid cannot occur in a file either.
          #expect([.SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(error.resultCode), "\(error)")
          return false
        }
      }
      guard isTaken else { continue }
      for fault in try HostileLibrary.exercise(database) {
        let isKnown =
          fault is DamagedRow || fault is StorageFailure || fault is DatabaseError || fault is StateFault
        #expect(isKnown, "\(name) = \(value): \(fault)")
        #expect(!"\(fault)".contains("secret"), "\(name) = \(value): \(fault)")
      }
    }
  }
}

/// A small library with a row in every table, and all operations on it.
private enum HostileLibrary {
  private static let secret = Header(name: "Authorization", value: "secret")

  static func filled() throws -> LibraryDatabase {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      var number: Int64 = 0
      for state in try Sample.states() {
        let description = Download.Description(
          podcast: "Süß", title: "Ёжик \(number)", published: PublicationDate(Sample.moment), headers: [secret],
          mirrors: [try WebAddress("https://b.example/\(number)")], expectedLength: 7)
        var download = try Sample.download(
          "x\(number)", state: state, position: number * 1000, description: description)
        download.progress = .init(durable: 65_536, total: Sample.longest, resume: Sample.record)
        download.progress.discarded.add(5, because: .partialMissing)
        download.dates.started = Sample.moment
        try tables.downloads.insert(download)
        number += 1
      }
      try tables.downloads.save(Dictionary(grouping: Sample.states(), by: \.kind).mapValues(\.count))
      let file = try Sample.file(inode: 1)
      let id = try #require(DownloadID("x0"))
      try tables.deletions.insert(Deletion(download: id, file: file), isReady: true)
      _ = try tables.verifications.insertAll(meeting: .everything, at: Sample.conditionMoment)
      try tables.cleanup.save(CleanupRun(key: 1, options: .init(), cause: .start, askedAt: Sample.moment))
      try tables.cleanup.insert(CleanupStep(finding: .missing(id, file), decision: .mark, because: ""))
      try tables.formerFiles.insert(try Sample.formerFile(.kept), at: Sample.moment)
      try tables.upkeep.note(made: [try LibraryPath(validating: "Süß")])
      for subject in FilterSubject.allCases {
        let selection = FilterSelection(active: [], text: "ё")
        try tables.filters.save(.init(selection: selection, selectedGroup: nil, saved: []), over: subject)
      }
      try addPodcast(to: tables, download: id)
      try tables.sidecars.insert(
        Sidecar(
          kind: .info, owner: id, address: try WebAddress("https://a.example/info"), stem: "Süß",
          state: .moving(file, to: try LibraryPath(validating: "Süß.json"))))
      try tables.sidecars.insert(
        Sidecar(kind: .cover, owner: nil, address: nil, stem: "Süß", state: .wanted(failures: 1, next: Sample.moment)))
      try tables.sidecars.insert(Sidecar(kind: .info, owner: id, address: nil, stem: "Süß", state: .failed("no")))
      try tables.sidecars.save(scanAfter: 1)
      for session in try Sample.sessions() { try tables.sessions.save(session) }
      try tables.save(Settings())
      try tables.save(Sample.network)
      try tables.save(cooldownOf: "a.example", until: Sample.moment)
      try tables.save(discarded: 5, because: .partialMissing)
    }
    try database.withConnection { try $0.execute(sql: "INSERT OR IGNORE INTO upkeep VALUES (1, 20000)") }
    try database.withConnection { try $0.execute(sql: "INSERT INTO left_feeds VALUES (99)") }
    return database
  }

  private static func addPodcast(to tables: any Tables, download: DownloadID) throws {
    let key = try tables.feeds.insert(
      try #require(FeedID("f")), at: try WebAddress("https://a.example/f"),
      wishes: .init(title: "Süß", group: "A/B", headers: [secret], userAgent: "U", rules: try Sample.rules()),
      session: nil,
      next: Sample.moment,
      added: Sample.moment)
    var feed = try #require(try tables.feeds.find(key))
    feed.podcast = PodcastContent(title: "T")
    feed.refreshes.error = DownloadError(.httpStatus, "no", status: 500)
    feed.refreshes.formerAddresses = [try WebAddress("https://old.example/f")]
    (feed.refreshes.last, feed.episodes) = (Sample.moment, 1)
    try tables.feeds.update(feed)
    let content = EpisodeContent(
      guid: "g", title: "Ёжик", published: PublicationDate(Sample.moment), link: try WebAddress("https://a.example/1"),
      seconds: 5, season: 1, number: "1", kind: .full,
      enclosure: .init(address: try WebAddress("https://a.example/1.mp3"), mediaType: "audio/mpeg", length: 7),
      alternates: [.init(addresses: [try WebAddress("https://b.example/1.mp3")])],
      chapters: try WebAddress("https://a.example/c"), transcript: try WebAddress("https://a.example/t"),
      image: try WebAddress("https://a.example/i"), notes: EpisodeNotes("<p>Ё</p>"))
    let episode = try #require(try tables.episodes.insert([content], of: key, added: Sample.moment).first)
    _ = try tables.episodes.update(
      .init(
        id: episode, content: content,
        formerNames: .init(guids: ["old"], enclosures: [try WebAddress("https://old.example/1.mp3")])), of: key)
    try tables.episodes.setDownload(download, of: episode)
    try tables.rules.write(.downloaded(.isNew), of: episode)
    try tables.rules.update(Feed.Standing(watermark: 1, allowance: 2, due: Sample.moment), of: key)
  }

  /// Removes the checks, so that tables accept any value that an edited file could contain.
  static func loosen(_ db: Database) throws {
    let version = try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? 0
    try db.execute(sql: "PRAGMA writable_schema = ON")
    try db.execute(
      sql: """
        UPDATE sqlite_schema
        SET sql = replace(replace(sql, 'STRICT, WITHOUT ROWID', 'WITHOUT ROWID'), ') STRICT', ')')
        WHERE type = 'table' AND sql LIKE '%STRICT%';
        UPDATE sqlite_schema
        SET sql = replace(replace(sql, 'TEXT NOT NULL', 'TEXT'), 'INTEGER NOT NULL', 'INTEGER')
        WHERE type = 'table' AND sql LIKE '%NOT NULL%';
        """)
    try db.execute(sql: "PRAGMA schema_version = \(version + 1)")
    try db.execute(sql: "PRAGMA writable_schema = OFF")
  }

  /// Reads everything, and runs turns.
  ///
  /// - Returns: The thrown errors.
  static func exercise(_ database: LibraryDatabase) throws -> [any Error] {
    var faults: [any Error] = []
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { faults.append(error) }
    }
    readings(of: database, attempt)
    attempt {
      var dispatcher = try database.read { tables in
        Dispatcher(
          state: try tables.stores(), position: try tables.position(), ledger: database.ledger(), seed: 1)
      }
      for action in try actions() {
        attempt {
          let later = ClockReading(wall: Sample.moment.advanced(byDays: 40), monotonicMilliseconds: 0)
          _ = try dispatcher.dispatch([action], at: later)
        }
      }
    }
    return faults
  }

  private static func readings(of database: LibraryDatabase, _ attempt: (() throws -> Void) -> Void) {
    attempt { _ = try database.read { try $0.downloads(limit: 100) } }
    attempt { _ = try database.read { try $0.visibleCounts(try $0.obstacles(now: Sample.moment)) } }
    attempt { _ = try database.read { try $0.expectedFiles(after: .start, limit: 100) } }
    attempt { _ = try database.read { try $0.downloadsWithBytes(after: nil, limit: 100) } }
    attempt { _ = try database.read { try $0.cleanupSteps(PageRequest()) } }
    attempt {
      let found = FoundFile(place: EntryPath(try Sample.file().path), length: 1, inode: 1)
      _ = try database.read { try $0.formerFiles(like: found) }
    }
    attempt { _ = try database.read { try $0.filters(try $0.filters(), at: Sample.conditionMoment) } }
    attempt { _ = try database.read { try $0.filters(FilterStates(), at: Sample.conditionMoment) } }
    attempt { _ = try database.read { try $0.episodeTraces(of: 1, withNotes: true) } }
    attempt { _ = try database.read { try $0.notes(of: EpisodeID(number: 1)) } }
    attempt { _ = try database.read { try $0.sidecars(limit: 100) } }
    attempt { _ = try database.read { try $0.stores().sessions.view.unusable(at: Sample.moment) } }
    attempt {
      _ = try database.read { try $0.isSidecar(FoundFile(place: EntryPath(bytes: [97]), length: 1, inode: 1)) }
    }
    for key in FeedOrderKey.allCases {
      attempt { _ = try database.read { try $0.feeds(.init(order: .init(key), limit: 2), refreshing: []) } }
    }
    for key in EpisodeOrderKey.allCases {
      attempt {
        var query = EpisodesQuery(order: .init(key, isReversed: true), limit: 2)
        query.condition = .all([.newerThanDays(7), .titleContains(["е"]), .not(.states([.failed]))])
        let filters = FilterSelection(active: ["state:completed", "time:week"].compactMap(FilterID.init), text: "е")
        _ = try database.read { try $0.episodes(query, filters: filters, at: Sample.conditionMoment) }
      }
    }
    for key in DownloadOrderKey.allCases {
      for isReversed in [false, true] {
        attempt {
          var query = DownloadsQuery()
          query.order = DownloadOrder(key, isReversed: isReversed)
          query.limit = 2
          let text = FilterSelection(active: [], text: "ё")
          let (_, next) = try database.read { try $0.page(query, filters: text, at: Sample.conditionMoment) }
          query.after = next
          query.condition = .all([.newerThanDays(7), .titleContains(["е"])])
          _ = try database.read { try $0.page(query, filters: .init(), at: Sample.conditionMoment) }
        }
      }
    }
  }

  private static func actions() throws -> [Action] {
    let feed = try #require(FeedID("f"))
    let (first, last) = (try #require(DownloadID("x0")), try #require(DownloadID("x10")))
    return [
      .recovered(Recovery(published: [])), .podcasts(.refresh(.all)),
      .podcasts(.mark(.matching(.played(false)), .init(isPlayed: true))), .podcasts(.download(.matching(.everything))),
      .podcasts(.download(.one(EpisodeID(number: 1)))), .podcasts(.unsubscribe(feed, deletingFiles: true)),
      .downloads(.verify(.all)), .downloads(.pause(.all)),
      .downloads(.move(first, .top)), .downloads(.move(last, .before(first))),
      .downloads(.resume(.many([first, last]))),
      .downloads(.resume(.all)), .cleanup(.run(.init())), .deleted(1), .timeCame, .roomCame(1 << 40),
      .downloads(.retry(.all)), .downloads(.remove(.one(last), deletingFile: true)),
      .downloads(.remove(.all, deletingFile: false)),
    ]
  }
}
