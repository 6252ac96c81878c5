import Flux
import GRDB

import Testing

@testable import Persistence
@testable import PodfluxCore

/// The invariants that must hold after every turn.
extension World {
  func checkInvariants(at sourceLocation: SourceLocation = #_sourceLocation) throws {
    try database.read { reader in
      let db = reader.db
      try checkCounts(db, sourceLocation)
      try checkLanes(db, sourceLocation)
      try checkNumbers(db, sourceLocation)
      checkObstacles(sourceLocation)
      try checkLiveAttempts(db, sourceLocation)
      try checkHeldRows(db, sourceLocation)
      try checkVerifications(db, sourceLocation)
      try checkCleanup(db, sourceLocation)
    }
  }

  /// Counts in memory and in their table must match the rows.
  private func checkCounts(_ db: Database, _ sourceLocation: SourceLocation) throws {
    let rows = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT state, count(*) AS number FROM downloads GROUP BY state"))
    let counted = try rows.reduce(into: [DownloadState.Kind: Int]()) { counts, row in
      counts[try #require(DownloadState.Kind(rawValue: row["state"]))] = row["number"]
    }
    #expect(downloads.counts.filter { $0.value != 0 } == counted, sourceLocation: sourceLocation)
    let saved = try TableReader(db: db).counts().filter { $0.value != 0 }
    #expect(saved == counted, sourceLocation: sourceLocation)
  }

  /// The lanes must match a rebuild.
  private func checkLanes(_ db: Database, _ sourceLocation: SourceLocation) throws {
    let expected = """
      SELECT host, kind, priority, position FROM (
        SELECT host, class & 68652367887 AS kind, priority, position,
          row_number() OVER (PARTITION BY host, class & 68652367887 ORDER BY priority, position) AS place
        FROM downloads WHERE state = 'queued' AND held = 0)
      WHERE place = 1
      ORDER BY host, kind
      """
    let lanes = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT host, kind, priority, position FROM lanes ORDER BY host, kind"))
    #expect(lanes == (try Row.fetchAll(db.cachedStatement(sql: expected))), sourceLocation: sourceLocation)
  }

  /// Bytes and classes must match the rows.
  private func checkNumbers(_ db: Database, _ sourceLocation: SourceLocation) throws {
    // A length counts as at most 1 PiB.
    let bytes = """
      SELECT coalesce(sum(min(iif(state = 'completed', file_length, durable), 1 << 50)), 0) FROM downloads
      """
    #expect(
      try Int64.fetchOne(db.cachedStatement(sql: "SELECT bytes FROM usage"))
        == (try Int64.fetchOne(db.cachedStatement(sql: bytes))), sourceLocation: sourceLocation)
    let classes = "SELECT class, count(*) AS number FROM downloads GROUP BY class"
    #expect(
      try Row.fetchAll(db.cachedStatement(sql: "SELECT class, number FROM class_counts ORDER BY class"))
        == (try Row.fetchAll(db.cachedStatement(sql: classes))), sourceLocation: sourceLocation)
  }

  /// No attempt may run against an obstacle, or use connections of an old path.
  private func checkObstacles(_ sourceLocation: SourceLocation) {
    guard lifecycle.isScheduling else { return }
    for (id, live) in downloads.live where !live.isStopping && (live.phase == .connecting || live.phase == .receiving) {
      let obstacle = downloads.obstacles.obstacle(for: live.policy, of: live.origin, needsPath: live.needsPath)
      // Others lack room; it has found its own.
      let isOfRoom = if case .storage = obstacle { true } else { false }
      #expect(obstacle == nil || isOfRoom, "\(id) runs in spite of it", sourceLocation: sourceLocation)
      #expect(
        !live.needsPath || network.path.goes(the: live.path), "\(id) runs over another path",
        sourceLocation: sourceLocation)
    }
  }

  /// A row is running exactly if it has a living attempt; services have every living attempt.
  private func checkLiveAttempts(_ db: Database, _ sourceLocation: SourceLocation) throws {
    guard lifecycle.isRecovered else { return }
    let running = try String.fetchSet(db.cachedStatement(sql: "SELECT id FROM downloads WHERE state = 'running'"))
    let owners = downloads.live.filter { !$0.value.isDisowned }
    #expect(running.isSubset(of: owners.keys.map(\.description)), sourceLocation: sourceLocation)
    for (id, live) in owners where !live.isStopping {
      #expect(running.contains(id.description), "\(id) is live and not running", sourceLocation: sourceLocation)
    }
    let alive = attempts.mapValues(\.id.generation)
    #expect(downloads.live.mapValues(\.generation) == alive, sourceLocation: sourceLocation)
  }

  /// A queued row is held exactly while something with its id has not ended: nothing waits forever.
  private func checkHeldRows(_ db: Database, _ sourceLocation: SourceLocation) throws {
    guard lifecycle.isRecovered else { return }
    let live = Set(downloads.live.keys.map(\.description))
    let owedPartials = try String.fetchSet(
      db.cachedStatement(sql: "SELECT download FROM deletions WHERE quarantine = 0"))
    let underWay = try String.fetchSet(
      db.cachedStatement(sql: "SELECT download FROM deletions WHERE quarantine = 0 OR ready = 1"))
    let held = try String.fetchSet(
      db.cachedStatement(sql: "SELECT id FROM downloads WHERE state = 'queued' AND held = 1"))
    let queued = try String.fetchSet(db.cachedStatement(sql: "SELECT id FROM downloads WHERE state = 'queued'"))
    #expect(held.isSuperset(of: owedPartials.union(live).intersection(queued)), sourceLocation: sourceLocation)
    #expect(held.isSubset(of: underWay.union(live)), sourceLocation: sourceLocation)
  }

  /// Only completed files have pending verifications, and none waits while there is room.
  private func checkVerifications(_ db: Database, _ sourceLocation: SourceLocation) throws {
    let sql = "SELECT state FROM verifications LEFT JOIN downloads ON downloads.key = download"
    let states = try String?.fetchAll(db.cachedStatement(sql: sql))
    #expect(states.allSatisfy { $0 == "completed" }, sourceLocation: sourceLocation)
    let underWay = Set(downloads.checks.owed.underWay.keys)
    #expect(underWay == Set(verifications.keys), sourceLocation: sourceLocation)
    #expect(underWay.count <= FileChecks.verificationsAtOnce, sourceLocation: sourceLocation)
    guard lifecycle.isRecovered, lifecycle.stopping != .now else { return }
    let keys = try Int64.fetchSet(db.cachedStatement(sql: "SELECT key FROM verifications"))
    #expect(
      keys.isSubset(of: underWay) || underWay.count == FileChecks.verificationsAtOnce,
      sourceLocation: sourceLocation)
  }

  /// The runs in the table match memory; planned steps are issued while there is room; a run waits only for an active
  /// one.
  private func checkCleanup(_ db: Database, _ sourceLocation: SourceLocation) throws {
    let runs = [cleanup.last, cleanup.active, cleanup.waiting].compactMap { $0 }
    #expect(try TableReader(db: db).cleanupRuns() == runs.sorted { $0.key < $1.key }, sourceLocation: sourceLocation)
    #expect(steps.count <= CleanupStore.stepsAtOnce, sourceLocation: sourceLocation)
    guard lifecycle.isRecovered, lifecycle.stopping != .now else { return }
    #expect(cleanup.waiting == nil || cleanup.active != nil, "no run is active", sourceLocation: sourceLocation)
    guard cleanup.active?.stage == .acting else { return }
    let planned = try Int64.fetchSet(db.cachedStatement(sql: "SELECT key FROM cleanup_steps WHERE status = 'planned'"))
    #expect(Set(steps.keys).isSubset(of: planned), sourceLocation: sourceLocation)
    let underWay = Set(steps.keys).union(cleanup.awaited.values.joined())
      .union(cleanup.deferred.map(\.key))
    #expect(
      cleanup.active?.isCancelled == true || planned == underWay.union(cleanup.held.inOrder.map(\.key))
        || underWay.count == CleanupStore.stepsAtOnce,
      sourceLocation: sourceLocation)
    let deletions = try Int64.fetchSet(db.cachedStatement(sql: "SELECT key FROM deletions WHERE ready = 1"))
    #expect(deletions.isSuperset(of: cleanup.awaited.keys), "a step waits for nothing", sourceLocation: sourceLocation)
    #expect(!planned.isEmpty, "it does not end", sourceLocation: sourceLocation)
  }
}
