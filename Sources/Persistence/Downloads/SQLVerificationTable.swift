import GRDB
import PodfluxCore

/// The pending verifications of completed files in SQLite, inside one transaction.
struct SQLVerificationTable: VerificationTable {
  let db: Database
  let traitCounts: TraitCounts

  func insert(_ download: DownloadID) throws -> Bool {
    let sql = """
      INSERT OR IGNORE INTO verifications (download) SELECT key FROM downloads WHERE id = ? AND state = 'completed'
      """
    try db.cachedStatement(sql: sql).execute(arguments: [download.description])
    return db.changesCount == 1
  }

  func insertAll(meeting condition: Condition, at moment: ConditionMoment) throws -> Int {
    try traitCounts.refresh(in: db)
    let predicate = try ConditionSQL(at: moment, in: db).predicate(condition)
    let sql = """
      INSERT OR IGNORE INTO verifications (download) SELECT key FROM downloads
      WHERE state = 'completed' AND \(predicate.sql) ORDER BY key
      """
    try db.makeStatement(sql: sql).execute(arguments: StatementArguments(predicate.values))
    return db.changesCount
  }

  func owed(limit: Int) throws -> [Verification] {
    // CROSS JOIN makes SQLite read the verifications in order and look up each download.
    let sql = """
      SELECT verifications.key, id, path, file_length, inode, sha256, mtime, finished_at
      FROM verifications CROSS JOIN downloads ON downloads.key = verifications.download
      ORDER BY verifications.key LIMIT ?
      """
    return try Verification.fetchAll(db.cachedStatement(sql: sql), arguments: [limit])
  }

  func remove(_ key: Verification.Key) throws -> Bool {
    try db.cachedStatement(sql: "DELETE FROM verifications WHERE key = ?").execute(arguments: [key])
    return db.changesCount == 1
  }

  func forget(_ download: DownloadID) throws {
    let sql = "DELETE FROM verifications WHERE download = (SELECT key FROM downloads WHERE id = ?)"
    try db.cachedStatement(sql: sql).execute(arguments: [download.description])
  }
}

extension Verification: StatementRow {
  init(_ columns: inout ColumnReader) throws {
    let key: Int64 = try columns.next()
    guard let download = DownloadID(try columns.next()) else { throw DamagedRow(column: "id") }
    guard let file = try DownloadRow.publishedFile(&columns) else { throw DamagedRow(column: "path") }
    self.init(key: key, download: download, file: file, finished: try columns.moment())
  }
}
