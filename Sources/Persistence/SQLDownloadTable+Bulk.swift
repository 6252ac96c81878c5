import Foundation
import GRDB
import PodfluxCore

/// Changes of all downloads at once: one statement, however many there are.
extension SQLDownloadTable {
  func apply(_ change: BulkChange, sparing spared: [DownloadID]) throws -> [DownloadState.Kind: Int] {
    let scope = "\(change.scope) AND id NOT IN (SELECT value FROM json_each(?))"
    let list = String(decoding: try JSONEncoder().encode(spared.map(\.description)), as: UTF8.self)
    let counts = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT state, count(*) AS number FROM downloads WHERE \(scope) GROUP BY state"),
      arguments: [list])
    if let owed = change.owedDeletions {
      let sql = "INSERT INTO deletions (download, path, file_length, inode, ready) \(owed) AND \(scope)"
      try db.cachedStatement(sql: sql).execute(arguments: [list])
    }
    if change == .remove(deletingFiles: false) {
      let kept = SQLCleanupTable.insertFormer + "SELECT id, url, url_hash, path, file_length, inode, sha256, 'kept' "
      try db.cachedStatement(sql: kept + "FROM downloads WHERE state = 'completed' AND \(scope)")
        .execute(arguments: [list])
    }
    known.forgetAll()
    try db.cachedStatement(sql: "\(change.statement) WHERE \(scope)").execute(arguments: [list])
    try lanes.rebuild(in: db)
    return try counts.reduce(into: [:]) { result, row in
      guard let kind = DownloadState.Kind(rawValue: row["state"]) else { throw DamagedRow(column: "state") }
      result[kind] = row["number"]
    }
  }
}

extension BulkChange {
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
      reason = NULL, retry_at = NULL, error_code = NULL, error_message = NULL, error_status = NULL, error_cause = NULL
      """
    return switch self {
    case .pause: "UPDATE downloads SET state = 'paused', \(calm)"
    case .resume, .retry:
      """
      UPDATE downloads SET state = 'queued', failures = 0, host = coalesce(home_host, host), home_host = NULL,
        source = 0, may_pass = 0, \(calm)
      """
    case .cancel, .remove: "DELETE FROM downloads"
    }
  }

  /// The deletions that the rows leave behind: see `Download.mayHavePartial`.
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
