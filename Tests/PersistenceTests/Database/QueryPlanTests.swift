import Flux
import GRDB
import Synchronization
import Testing

@testable import Persistence
@testable import PodfluxCore

/// The plans of the statements that really run, traced from a workload that calls every method.
@Suite("Query plans")
struct QueryPlanTests {
  /// Scans whose cost is bounded by their purpose. The key is the output of EXPLAIN QUERY PLAN; the value is the
  /// reason.
  private static let boundedScans = [
    "SCAN log": "one row",
    "SCAN settings": "one row",
    "SCAN calendar": "one row",
    "SCAN filters": "one row",
    "SCAN episode_filters": "one row",
    "SCAN episode_facets": "one row for each combination of feed and class",
    "SCAN feeds": "one row for each feed, for filters over episodes",
    "SCAN feeds USING COVERING INDEX feeds_url": "one row for each feed, on a new day",
    "SCAN eights": "one row for each eight feeds",
    "SCAN present": "one row for each class, podcast, or host on loopback",
    "SCAN network": "one row",
    "SCAN usage": "one row",
    "SCAN cooldowns": "one row for each host that is left alone",
    "SCAN main.texts_config": "FTS5's own, one row for each of its options",
    "SCAN class_counts": "one row for each class",
    "SCAN facets": "one row for each combination of host, podcast and class",
    "SCAN texts": "what is found in the index",
    "SCAN (subquery": "what was found, up to a limit",
    "SCAN CONSTANT ROW": "no table",
    "SCAN downloads USING COVERING INDEX downloads_order": "in order, ends when the page is full",
    "SCAN downloads USING COVERING INDEX downloads_title": "in order, ends when the page is full",
    "SCAN downloads USING INDEX downloads_order": "in order, ends when the page is full",
    "SCAN downloads USING INDEX downloads_title": "in order, ends when the page is full",
    "SCAN downloads USING INDEX downloads_published": "in order, ends when the page is full",
    "SCAN downloads USING INDEX downloads_length": "in order, ends when the page is full",
    "SCAN counts": "one row for each state",
    "SCAN json_each": "the list that was passed in",
    "SCAN lanes USING INDEX lanes_order": "ends at the first lane that is not excluded",
    "SCAN lanes USING COVERING INDEX lanes_order": "ends at the first lane that is not excluded",
    "SCAN downloads USING INDEX downloads_running": "a partial index: at most as many as run at once",
    "SCAN downloads USING INDEX downloads_retry": "a partial index, in order, one row",
    "SCAN downloads USING INDEX downloads_roomless": "a partial index, in order, with a limit",
    "SCAN episodes USING INDEX episodes_ruled": "a partial index, in order, with a limit, not in each turn",
    "SCAN downloads USING COVERING INDEX downloads_retry": "a partial index, in order, one row",
    "SCAN deletions USING INDEX deletions_ready": "a partial index, in order, with a limit",
    "SCAN deletions USING INDEX deletions_pending": "a partial index: what waits for attempts that are alive",
    "SCAN deletions USING COVERING INDEX deletions_pending": "a partial index: what waits for attempts that are alive",
    "SCAN deletions": "at recovery only",
    "SCAN verifications": "in the order of its key, with a limit",
    "SCAN cleanup_runs": "three rows at most",
    "SCAN upkeep": "one row",
    "SCAN sidecar_scan": "one row",
    "SCAN last_episode": "one row",
    "SCAN sessions": "a thousand rows at most",
    "SCAN former_files": "once a day, as many as are kept in any case",
    "SCAN former_files USING INDEX former_files_undated": "a partial index, in order, with a limit",
  ]

  /// The beginnings of statements that change all rows at once, rebuild all lanes, or look for a text in the titles of
  /// all episodes; their documentation says so.
  private static let bulkStatements = [
    "DELETE FROM lanes", "INSERT INTO lanes SELECT", "UPDATE downloads SET position",
    "UPDATE downloads SET held = 0", "UPDATE downloads SET state = 'paused'", "UPDATE downloads SET state = 'queued'",
    "DELETE FROM downloads WHERE (state",
    "SELECT host, class, podcast, count(*), coalesce(home_host, host)",
    "INSERT INTO texts (texts, rowid, title, podcast) SELECT 'delete'",
    "INSERT INTO deletions (download, path, file_length, inode, ready) SELECT",
    "INSERT OR IGNORE INTO verifications (download) SELECT key FROM downloads\nWHERE state",
    "INSERT OR REPLACE INTO former_files (\n  download, url, url_hash, path, file_length, inode, sha256, cause, noted_at, title, published, origin)\nSELECT",
    "SELECT id FROM downloads WHERE EXISTS",
    "DELETE FROM cleanup_steps", "DELETE FROM sidecars WHERE state", "UPDATE sidecars SET state = 'leaving'",
    "UPDATE sidecars SET owner = NULL",
    "SELECT \(CountedEpisode.columns) FROM episodes WHERE coalesce(instr(title_key",
  ]

  /// The beginnings of statements that sort or group few rows; their documentation says so.
  private static let sortingStatements = [
    "SELECT key FROM downloads INDEXED BY downloads_podcast WHERE (podcast IN",
    "SELECT key FROM downloads INDEXED BY downloads_class WHERE (class IN",
    "SELECT key FROM downloads INDEXED BY downloads_class WHERE class IN",
    "SELECT host, class, podcast, count(*)",
    "SELECT class & 68715020303 AS class, sum(number)",
    "SELECT \(CountedEpisode.columns) FROM (SELECT DISTINCT key >> 3 AS number FROM feeds)",
  ]

  private static func maySort(_ sql: String) -> Bool {
    bulkStatements.contains(where: sql.hasPrefix) || sortingStatements.contains(where: sql.hasPrefix)
      || sql.hasPrefix("SELECT key FROM downloads NOT INDEXED")
        && ["texts MATCH", "key IN (SELECT value FROM json_each(?))", "key IN (SELECT key FROM downloads WHERE id IN"]
          .contains(where: sql.contains)
  }

  @Test("No statement scans a table, except bulk changes")
  func plans() throws {
    let database = try LibraryDatabase.inMemory()
    let statements = try traced(database)
    #expect(statements.count > 30, "the workload must touch every method: \(statements.sorted())")
    try database.withConnection { db in
      for sql in statements.sorted() where !Self.bulkStatements.contains(where: sql.hasPrefix) {
        for step in try Self.plan(of: sql, in: db) where step.hasPrefix("SCAN") {
          let isBounded = Self.boundedScans.keys.contains {
            step == $0 || step.hasPrefix("\($0) VIRTUAL TABLE") || $0.hasSuffix("(subquery") && step.hasPrefix($0)
          }
          #expect(isBounded, "\(step): \(sql)")
        }
      }
    }
  }

  @Test("No statement sorts in a temporary table where an index could give the order")
  func sorting() throws {
    let database = try LibraryDatabase.inMemory()
    let statements = try traced(database)
    try database.withConnection { db in
      for sql in statements.sorted() where !Self.maySort(sql) {
        let steps = try Self.plan(of: sql, in: db)
        #expect(!steps.contains { $0.hasPrefix("USE TEMP B-TREE") }, "\(steps): \(sql)")
      }
    }
  }

  @Test(
    "The scheduler's queries of each turn use their own index",
    arguments: [
      (
        "SELECT priority, position FROM downloads WHERE \(QueueKey.scope)", "downloads_admissible (host=? AND <expr>=?)"
      ),
      ("SELECT host, kind FROM lanes ORDER BY priority, position", "COVERING INDEX lanes_order"),
      (QueueKey.ofSession, "lanes_session (<expr>=?)"),
      (
        DownloadRow.select + "WHERE reason = 'storage' ORDER BY retry_at, key LIMIT ?", "downloads_roomless"
      ),
      (
        "UPDATE downloads INDEXED BY downloads_podcast SET podcast_network = 1 WHERE podcast IN ('Show')",
        "downloads_podcast (podcast=?)"
      ),
    ])
  func scheduling(sql: String, index: String) throws {
    try LibraryDatabase.inMemory().withConnection { db in
      let steps = try Self.plan(of: sql, in: db)
      #expect(steps.count == 1 && steps[0].hasSuffix(index), "\(steps)")
    }
  }

  @Test("No insert or update makes SQLite fill a temporary table, as lists in checks do")
  func checks() throws {
    let database = try LibraryDatabase.inMemory()
    let changes = try traced(database).filter { sql in
      (sql.hasPrefix("INSERT") || sql.hasPrefix("UPDATE") && sql.hasSuffix("WHERE id = ?"))
        && !Self.bulkStatements.contains(where: sql.hasPrefix)
    }
    #expect(changes.contains { $0.hasPrefix("INSERT INTO downloads") })
    #expect(changes.contains { $0.hasPrefix("UPDATE downloads SET") })
    try database.withConnection { db in
      for sql in changes.sorted() {
        let opcodes = try Self.opcodes(of: sql, in: db)
        #expect(!opcodes.contains("OpenEphemeral"), "\(sql)")
      }
    }
  }

  @Test("The check finds a scan and a sort")
  func checkOfTheCheck() throws {
    try LibraryDatabase.inMemory().withConnection { db in
      let steps = try Self.plan(of: "SELECT * FROM downloads WHERE url = 'x' ORDER BY sha256", in: db)
      #expect(steps == ["SCAN downloads", "USE TEMP B-TREE FOR ORDER BY"])
    }
  }

  private static func opcodes(of sql: String, in db: Database) throws -> [String] {
    let statement = try db.makeStatement(sql: "EXPLAIN \(sql)")
    statement.setUncheckedArguments([])
    return try Row.fetchAll(statement).map { $0["opcode"] }
  }

  private static func plan(of sql: String, in db: Database) throws -> [String] {
    let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
    // Arguments do not change the plan; unbound ones are NULL.
    statement.setUncheckedArguments([])
    return try Row.fetchAll(statement).map { $0["detail"] }
  }

  // MARK: The workload

  private func traced(_ database: LibraryDatabase) throws -> Set<String> {
    let log = Mutex<Set<String>>([])
    try database.withConnection { db in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        log.withLock { _ = $0.insert(statement.sql) }
      }
    }
    try exercise(database)
    try database.withConnection { db in db.trace(options: []) }
    return log.withLock { $0 }.filter { sql in
      ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
    }
  }

  private func exercise(_ database: LibraryDatabase) throws {
    let ledger = database.ledger()
    try ledger.transaction { tables in
      for (index, state) in try Sample.states().enumerated() {
        try tables.downloads.insert(try Sample.download("x\(index)", state: state, position: Int64(index)))
      }
      try exercise(tables.downloads)
      try exercise(tables.deletions)
      try exercise(tables.verifications)
      try exercise(tables.formerFiles)
      try exercise(tables.cleanup)
      try exercise(tables.filters)
      try exercise(tables.upkeep)
      try exercise(tables.sidecars)
      _ = try tables.episodes.notes(of: EpisodeID(number: 1))
      _ = try tables.episodes.hasNotes(EpisodeID(number: 1))
      try exercise(tables.sessions)
      try tables.feeds.makeRefusedDue(of: 1, at: Sample.moment)
      _ = (try tables.feeds.bringForward(dueAfter: Sample.moment, to: Sample.moment), try tables.rules.lastEpisode())
      try tables.save(Settings())
      try tables.save(NetworkState())
      try ledger.record(LogPosition(revision: 1, sequence: 1))
    }
    try exercisePages(database)
    for change in [
      BulkChange.pause, .resume, .retry, .cancel, .remove(deletingFiles: true), .remove(deletingFiles: false),
    ] {
      _ = try database.write {
        try $0.downloads.apply(change, to: .everything, at: Sample.conditionMoment, sparing: [])
      }
    }
    try database.read { reader in
      _ = (try reader.position(), try reader.settings(), try reader.counts(), try reader.running())
      _ = try reader.download(try #require(DownloadID("x1")))
      _ = (try reader.filters(), try reader.network(), try reader.obstacles(now: Sample.moment))
      try exercise(reader)
    }
  }

  private func exercise(_ filters: any FilterTable) throws {
    for subject in FilterSubject.allCases { try filters.save(FiltersState(), over: subject) }
    try filters.turn(to: Sample.moment.day)
    try filters.turn(to: Sample.moment.day + 500)
  }

  /// A page in each order with each strategy, and the counts.
  private func exercisePages(_ database: LibraryDatabase) throws {
    let conditions: [Condition] = [
      .everything, .states([.queued]), .podcasts(["Show"]), .titleContains(["e"]),
      .ids([try #require(DownloadID("x1"))]), .feeds([try #require(FeedID("a"))]),
    ]
    let blocked = Obstacles(unmetered: .policy, cooldowns: ["a.example": Sample.moment])
    for (text, isReversed, obstacles) in [("", false, .init()), ("e", true, blocked), ("e", false, .init())] {
      let moment = ConditionMoment(now: Sample.moment, obstacles: obstacles)
      _ = try database.read { try $0.visibleCounts(obstacles) }
      let selection = FilterSelection(active: [], text: text)
      _ = try database.read { reader in
        let state = FiltersState(selection: selection, selectedGroup: nil, saved: [])
        return try reader.filters(FilterStates(downloads: state, episodes: state), at: moment)
      }
      for condition in conditions {
        for key in DownloadOrderKey.allCases {
          for few in [0, 1000] {
            var query = DownloadsQuery(condition: condition, order: .init(key, isReversed: isReversed), limit: 1)
            let limits = PageReader.Limits(
              sorted: few, sortedInstead: 0, remembered: few, sortedHits: few, probed: few == 0 ? 0 : 1, sampled: few,
              frequent: 1)
            repeat {
              let asked = query
              query.after = try database.read {
                try $0.page(asked, filters: selection, at: moment, limits: limits).next
              }
            } while query.after != nil
          }
        }
      }
    }
  }

  /// What an episode wants, with a date and without one.
  private static func episodeWishes(of address: WebAddress) -> [DownloadIntent.Enqueue] {
    [nil, PublicationDate(Sample.moment, offsetSeconds: 0)].map { published in
      var wish = DownloadIntent.Enqueue(address: address, description: .init(published: published))
      wish.episode = Episode.Reference(feed: 1, episode: EpisodeID(number: 1))
      return wish
    }
  }

  private func exercise(_ downloads: any DownloadTable) throws {
    let one = try Sample.download("x0")
    _ = try downloads.find(one.address)
    for wish in Self.episodeWishes(of: one.address) {
      _ = try downloads.find(wish, of: try #require(wish.episode)) { _ in true }
    }
    _ = try downloads.isClaimed(Sample.file(), otherThanBy: one.id)
    _ = try downloads.isClaimed(Sample.file(), otherThanBy: nil)
    try downloads.update(one)
    var held = one
    held.isHeld = true
    try downloads.update(held)
    try downloads.release(one.id)
    try downloads.save([.queued: 1])
    _ = (try downloads.counts(), try downloads.running(), try downloads.earliestRetry())
    _ = try downloads.bringForward(retriesAfter: Sample.moment, to: Sample.moment)
    _ = try downloads.nextAdmissible { _ in true }
    _ = try downloads.nextAdmissible(of: 1)
    _ = (try downloads.waitingForStorage(limit: 5), try downloads.storedBytes())
    _ = try downloads.awaitedByRules(ofAtMost: 5, limit: 5)
    try downloads.setNetwork(.any, ofPodcast: "Show")
    _ = try downloads.dueRetries(at: Sample.moment, limit: 5)
    for end in [QueueEnd.first, .last] {
      _ = try downloads.position(of: end, in: .normal)
      _ = try downloads.position(nextTo: one.rank, towards: end)
    }
    _ = try downloads.filter([one.id], by: .states([.queued]), at: Sample.conditionMoment)
    _ = try downloads.sharingPaths(.states([.completed]), at: Sample.conditionMoment)
    try downloads.respace(.normal, step: 4)
    try downloads.releaseAll()
    var other = one
    other.description.title = "Episode"
    try downloads.update(other)
    try downloads.delete(one.id)
  }

  private func exercise(_ verifications: any VerificationTable) throws {
    _ = try verifications.insert(try #require(DownloadID("x8")))
    _ = try verifications.insertAll(meeting: .everything, at: Sample.conditionMoment)
    for verification in try verifications.owed(limit: 3) { _ = try verifications.remove(verification.key) }
    try verifications.forget(try #require(DownloadID("x8")))
  }

  private func exercise(_ cleanup: any CleanupTable) throws {
    try cleanup.save(CleanupRun(key: 1, options: .init(), cause: .start, askedAt: Sample.moment))
    try cleanup.removeSteps()
    try cleanup.insert(CleanupStep(finding: .emptyFolder(EntryPath(bytes: [1])), decision: .delete, because: ""))
    for step in try cleanup.planned(after: 0, limit: 3) {
      try cleanup.finish(step.key, as: .done, because: nil, holder: nil)
    }
    try cleanup.forget(1)
  }

  private func exercise(_ formerFiles: any FormerFileTable) throws {
    let former = try Sample.formerFile(.missing)
    try formerFiles.insert(former, at: Sample.moment)
    let wishes = [
      DownloadIntent.Enqueue(id: former.download, address: former.address), .init(address: former.address),
    ]
    for wish in wishes + Self.episodeWishes(of: former.address) {
      _ = try formerFiles.removedDownload(for: wish) { _ in true }
    }
    _ = try formerFiles.formerFile(of: former.download, at: former.file.path)
    _ = try formerFiles.formerFile(of: former.download, at: LibraryPath(validating: "elsewhere"))
    try formerFiles.forgetFormerFiles(of: former.download, having: former.file)
    for number in 1...3 {
      _ = try formerFiles.forgetFormerFiles(
        beyond: .init(since: Timestamp(milliseconds: .max), number: number), now: Sample.moment, limit: 3)
    }
  }

  private func exercise(_ sessions: any SessionTable) throws {
    for session in try Sample.sessions() { try sessions.save(session) }
    _ = try (sessions.all(), sessions.isReferredTo(1))
    try sessions.delete(1)
  }

  private func exercise(_ sidecars: any SidecarTable) throws {
    let (id, file) = (try #require(DownloadID("x")), try Sample.file())
    for state in [Sidecar.State.wanted(failures: 0, next: Sample.moment), .present(file), .leaving(file, or: nil)] {
      try sidecars.insert(Sidecar(kind: .info, owner: id, address: nil, stem: "a", state: state))
    }
    if let sidecar = try sidecars.find(1) { try sidecars.update(sidecar) }
    _ = try sidecars.sidecars(of: 1, after: 0, limit: 3)
    _ = try (sidecars.sidecars(of: id), sidecars.cover(at: "a"), sidecars.covers(after: 0, limit: 3))
    _ = try (sidecars.present(after: 0, limit: 3), sidecars.isKnown(FoundFile(file)), sidecars.isUsed(file.path))
    for need in [SidecarNeed.nothing, .network(sparing: []), .network(sparing: [1]), .sessions([1])] {
      _ = try sidecars.due(at: Sample.moment, need, limit: 3)
    }
    _ = try (sidecars.nextMoment(after: Sample.moment), sidecars.owed(limit: 3), sidecars.isEmpty())
    try sidecars.bringForward(dueAfter: Sample.moment, to: Sample.moment)
    try sidecars.postpone(3)
    try sidecars.oweAll()
    try sidecars.save(scanAfter: 1)
    _ = try sidecars.completedDownloads(after: 0, limit: 3)
    try sidecars.save(scanAfter: nil)
    try sidecars.delete(1)
  }

  private func exercise(_ upkeep: any UpkeepTable) throws {
    try upkeep.save(day: 1)
    try upkeep.note(made: [try LibraryPath(validating: "a/b")])
    _ = try upkeep.madeFolders(above: try LibraryPath(validating: "a/b/c"))
    for folder in try upkeep.folders(after: "", limit: 3) { try upkeep.forget(folder) }
  }

  private func exercise(_ reader: TableReader) throws {
    let place = EntryPath(bytes: Array("a/b".utf8))
    _ = try reader.expectedFiles(after: .start, limit: 3)
    let found = FoundFile(place: place, length: 1, inode: 1)
    _ = (try reader.name(of: found) { _ in false }, try reader.isNeeded(found, otherThanBy: nil) { _ in false })
    _ = try reader.downloadsWithBytes(after: DownloadID("x1"), limit: 3)
    _ = (try reader.cleanupRuns(), try reader.cleanupSteps(PageRequest(after: PageCursor(key: 1))))
    _ = try reader.formerFiles(like: found)
    _ = (try reader.failedDownload(wanting: place), try reader.hasMade(place), try reader.lostFile(ofLength: 1))
  }

  private func exercise(_ deletions: any DeletionTable) throws {
    let id = try #require(DownloadID("x3"))
    try deletions.insert(Deletion(download: id, file: nil), isReady: false)
    _ = (try deletions.isOwed(id), try deletions.owedPartial(of: id))
    _ = try deletions.spare(Sample.file())
    _ = try deletions.names(Sample.file())
    try deletions.makeReady(id)
    _ = try deletions.postpone(1)
    _ = try deletions.makeReady(after: 0, limit: 3, sparing: [id])
    _ = (try deletions.holds(id), try deletions.owedMove(of: Sample.file(), of: id))
    try deletions.makeAllReady()
    for deletion in try deletions.ready(limit: 3) { _ = try deletions.remove(deletion.key) }
  }
}
