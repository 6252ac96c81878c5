import Foundation
import GRDB
import PodfluxCore

/// Bulk changes: one statement for any number of downloads.
extension SQLDownloadTable {
  func filter(_ ids: [DownloadID], by condition: Condition, at moment: ConditionMoment) throws -> Set<DownloadID> {
    try derived.traitCounts.refresh(in: db)
    let predicate = try ConditionSQL(at: moment, in: db).predicate(condition)
    let list = try ConditionSQL.list(ids.map(\.description))
    let statement = try db.makeStatement(
      sql: "SELECT id FROM downloads WHERE id IN (SELECT value FROM json_each(?)) AND \(predicate.sql)")
    return Set(
      try String.fetchAll(statement, arguments: StatementArguments([list] + predicate.values))
        .compactMap(DownloadID.init))
  }

  func sharingPaths(_ condition: Condition, at moment: ConditionMoment) throws -> [DownloadID] {
    try derived.traitCounts.refresh(in: db)
    let scope = try ConditionSQL(at: moment, in: db).predicate(condition)
    // Not cached: client input shapes the statement.
    let statement = try db.makeStatement(
      sql: """
        SELECT id FROM downloads WHERE EXISTS (SELECT 1 FROM downloads AS others INDEXED BY downloads_path
          WHERE others.path = downloads.path AND others.key <> downloads.key)
        AND state = 'completed' AND \(scope.sql)
        """)
    return try String.fetchAll(statement, arguments: StatementArguments(scope.values)).map {
      try Damaged.checked("id", DownloadID($0))
    }
  }

  func apply(
    _ change: BulkChange, to condition: Condition, at moment: ConditionMoment, sparing spared: [DownloadID]
  ) throws -> [DownloadState.Kind: Int] {
    // The predicate reads the hosts on loopback from the trait counts.
    try derived.traitCounts.refresh(in: db)
    let scope = Predicate.all([
      Predicate(change.scope), try ConditionSQL(at: moment, in: db).predicate(condition),
      Predicate("id NOT IN (SELECT value FROM json_each(?))", try ConditionSQL.list(spared.map(\.description))),
    ])
    // Each statement evaluates the scope again, so the one that changes the rows comes last.
    let affected = try AffectedRow.fetchAll(
      db.makeStatement(
        sql: """
          SELECT host, class, podcast, count(*), coalesce(home_host, host) AS "home_host or host",
            \(Usage.sum) AS "file_length or durable"
          FROM downloads WHERE \(scope.sql) GROUP BY 1, 2, 3, 5
          """),
      arguments: StatementArguments(scope.values))
    guard !affected.isEmpty else { return [:] }
    if let owed = change.owedDeletions {
      derived.facts.isNothingOwed = false
      try run("INSERT INTO deletions (download, path, file_length, inode, ready) \(owed) AND", scope)
    }
    if change == .remove(deletingFiles: false) {
      let kept =
        SQLFormerFileTable.insertFormer
        + "SELECT id, url, url_hash, path, file_length, inode, sha256, 'kept', \(moment.now.milliseconds), title, published, "
      try run(kept + "origin FROM downloads WHERE state = 'completed' AND", scope)
    }
    if case .remove(let deletingFiles) = change {
      try SQLSidecarTable.leave(withFiles: deletingFiles, scope, in: db)
    }
    if change.isDeletion { try removeTexts(of: affected.reduce(0) { $0 + $1.counted.number }, scope) }
    try derived.episodeCounts.move(
      havingDownloads: scope, to: change.kind, on: derived.calendar.today(in: db), in: db)
    known.forgetAll()
    derived.facts.forgetPositions()
    try run("\(change.statement) WHERE", scope)
    try queueHeads.rebuild(in: db)
    return try count(affected, as: change)
  }

  private func run(_ statement: String, _ scope: Predicate) throws {
    try db.makeStatement(sql: "\(statement) \(scope.sql)").execute(arguments: StatementArguments(scope.values))
  }

  /// Removes the texts of this many rows from the index, before the rows are deleted.
  private func removeTexts(of number: Int, _ scope: Predicate) throws {
    try derived.texts.refresh(in: db)
    try derived.traitCounts.refresh(in: db)
    guard try Int.fetchOne(db.cachedStatement(sql: "SELECT sum(number) FROM facets")) != number else {
      // Removing all texts one by one would cost as much as indexing them did.
      return try db.cachedStatement(sql: "INSERT INTO texts (texts) VALUES ('delete-all')").execute()
    }
    derived.texts.noteRemovals(number)
    try run(
      """
      INSERT INTO texts (texts, rowid, title, podcast) SELECT 'delete', key, title_key, folded(podcast)
      FROM downloads WHERE
      """, scope)
  }

  /// Moves the counts of the rows to their new state. Returns the number of rows per former state.
  private func count(_ affected: [AffectedRow], as change: BulkChange) throws -> [DownloadState.Kind: Int] {
    try affected.reduce(into: [:]) { counts, row in
      let (facet, number) = (row.counted.facet, row.counted.number)
      let kind = try facet.row.traits().kind
      counts[kind, default: 0] += number
      derived.traitCounts.add(-number, facet)
      guard !change.isDeletion else { return derived.usage.add(-row.bytes, of: kind) }
      let host = change.returnsHome ? row.home : facet.host
      let become = PackedTraits(code: facet.row.code & ~BulkChange.stateMask | change.stateCode)
      derived.traitCounts.add(number, TraitCounts.Facet(podcast: facet.podcast, host: host, row: become))
    }
  }
}

/// Rows with equal traits, the host of their own addresses, and the total size of their files.
private struct AffectedRow: StatementRow {
  let counted: CountedFacet
  let home: String
  let bytes: Int64

  init(_ columns: inout ColumnReader) throws {
    counted = try CountedFacet(&columns)
    home = try columns.next()
    bytes = try columns.next(.length)
  }
}

extension BulkChange {
  /// The bits of a class that encode the state.
  fileprivate static let stateMask =
    PackedTraits.Field.kind.mask | PackedTraits.Field.reason.mask | PackedTraits.Field.error.mask

  /// The state bits after the change, which leaves a row.
  fileprivate var stateCode: Int64 { PackedTraits.Field.kind.place((kind ?? .queued).rowCode) }

  /// The state after the change; nil if it leaves no row.
  fileprivate var kind: DownloadState.Kind? {
    switch self {
    case .pause: .paused
    case .resume, .retry: .queued
    case .cancel, .remove: nil
    }
  }

  fileprivate var isDeletion: Bool {
    switch self {
    case .pause, .resume, .retry: false
    case .cancel, .remove: true
    }
  }

  /// Whether the rows return to their own address.
  fileprivate var returnsHome: Bool { self == .resume || self == .retry }

  fileprivate var scope: String {
    switch self {
    case .pause: "state IN ('queued', 'waiting')"
    case .resume: "state IN ('paused', 'failed')"
    case .retry: "state IN ('failed', 'waiting')"
    case .cancel: "state IN ('queued', 'waiting', 'paused', 'failed')"
    case .remove: "state <> 'running'"
    }
  }

  fileprivate var statement: String {
    let calm = """
      class = class & ~\(Self.stateMask) | \(stateCode),
      reason = NULL, retry_at = NULL, error_code = NULL, error_message = NULL, error_status = NULL, error_cause = NULL,
      error_short = NULL
      """
    return switch self {
    case .pause: "UPDATE downloads SET state = 'paused', \(calm)"
    case .resume, .retry:
      """
      UPDATE downloads SET state = 'queued', failures = 0, fresh_addresses = 0, restarts = 0,
        host = coalesce(home_host, host), home_host = NULL, source = 0, may_pass = 0, \(calm)
      """
    case .cancel, .remove: "DELETE FROM downloads"
    }
  }

  /// The deletions that the rows require: see `Download.mayHavePartial`.
  fileprivate var owedDeletions: String? {
    let partial = "(state <> 'completed' AND (started_at IS NOT NULL OR resume IS NOT NULL))"
    switch self {
    case .pause, .resume, .retry: return nil
    case .cancel, .remove(deletingFiles: false):
      return "SELECT id, NULL, NULL, NULL, 1 FROM downloads WHERE \(partial)"
    case .remove(deletingFiles: true):
      return "SELECT id, path, file_length, inode, 1 FROM downloads WHERE (\(partial) OR state = 'completed')"
    }
  }
}
