import GRDB
import PodfluxCore

/// The pending deletions in SQLite, inside one transaction.
struct SQLDeletionTable: DeletionTable {
  let db: Database
  let facts: KnownFacts

  func insert(_ deletion: Deletion, isReady: Bool) throws {
    facts.isNothingOwed = false
    let sql = """
      INSERT INTO deletions (download, path, file_length, inode, mtime, ready, quarantine) VALUES (?, ?, ?, ?, ?, ?, ?)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [
      deletion.download.description, deletion.file?.path.description, deletion.file?.length,
      deletion.file.map { Int64(bitPattern: $0.inode) },
      deletion.sparesEdits ? deletion.file?.modifiedNanoseconds : nil, isReady ? 1 : 0,
      deletion.fate == .quarantined ? 1 : 0,
    ])
  }

  func makeReady(_ download: DownloadID) throws {
    try db.cachedStatement(sql: "UPDATE deletions SET ready = 1 WHERE download = ? AND ready = 0")
      .execute(arguments: [download.description])
  }

  func makeReady(after key: Deletion.Key, limit: Int, sparing live: [DownloadID]) throws -> Deletion.Key? {
    let sql = "SELECT key FROM deletions WHERE ready = 0 AND key > ? ORDER BY key LIMIT ?"
    let keys = try Int64.fetchAll(db.cachedStatement(sql: sql), arguments: [key, limit])
    guard let last = keys.last else { return nil }
    let change = """
      UPDATE deletions SET ready = 1
      WHERE ready = 0 AND key > ? AND key <= ? AND download NOT IN (SELECT value FROM json_each(?))
      """
    try db.cachedStatement(sql: change).execute(
      arguments: [key, last, try ConditionSQL.list(live.map(\.description))])
    return keys.count == limit ? last : nil
  }

  func makeAllReady() throws {
    try db.cachedStatement(sql: "UPDATE deletions SET ready = 1 WHERE ready = 0").execute()
  }

  func postpone(_ key: Deletion.Key) throws -> DownloadID? {
    let sql = "UPDATE deletions SET ready = 0 WHERE key = ? RETURNING download"
    return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [key]).flatMap(DownloadID.init)
  }

  func ready(limit: Int) throws -> [Deletion] {
    let sql = """
      SELECT key, download, path IS NOT NULL, path, file_length, inode, NULL AS sha256, mtime, quarantine
      FROM deletions WHERE ready = 1 ORDER BY key LIMIT ?
      """
    return try Deletion.fetchAll(db.cachedStatement(sql: sql), arguments: [limit])
  }

  func remove(_ key: Deletion.Key) throws -> DownloadID? {
    let sql = "DELETE FROM deletions WHERE key = ? RETURNING download"
    return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [key]).flatMap(DownloadID.init)
  }

  func spare(_ file: PublishedFile) throws -> [Deletion.Key] {
    guard try !isNothingOwed() else { return [] }
    let sql = """
      UPDATE deletions SET path = NULL, file_length = NULL, inode = NULL, mtime = NULL
      WHERE inode = ? AND path = ? RETURNING key
      """
    return try Int64.fetchAll(
      db.cachedStatement(sql: sql), arguments: [Int64(bitPattern: file.inode), file.path.description])
  }

  func names(_ file: PublishedFile) throws -> Bool {
    let sql = "SELECT 1 FROM deletions WHERE inode = ? AND path = ? LIMIT 1"
    return try Int.fetchOne(
      db.cachedStatement(sql: sql), arguments: [Int64(bitPattern: file.inode), file.path.description]) != nil
  }

  /// Selects the deletions that block their downloads.
  static let isHolding = "(quarantine = 0 OR ready = 1)"

  func holds(_ download: DownloadID) throws -> Bool {
    guard try !isNothingOwed() else { return false }
    return try db.cachedStatement(sql: "SELECT 1 FROM deletions WHERE download = ? AND \(Self.isHolding)")
      .finds(download.description)
  }

  func isOwed(_ download: DownloadID) throws -> Bool {
    guard try !isNothingOwed() else { return false }
    return try db.cachedStatement(sql: "SELECT 1 FROM deletions WHERE download = ?").finds(download.description)
  }

  func owedPartial(of download: DownloadID) throws -> Deletion.Key? {
    try find("SELECT key FROM deletions WHERE download = ? AND quarantine = 0 ORDER BY key DESC LIMIT 1", download)
  }

  func owedMove(of file: PublishedFile, of download: DownloadID) throws -> Deletion.Key? {
    guard try !isNothingOwed() else { return nil }
    let sql = """
      SELECT key FROM deletions
      WHERE inode = ? AND path = ? AND download = ? AND quarantine = 1 AND ready = 1 ORDER BY key DESC LIMIT 1
      """
    return try Int64.fetchOne(
      db.cachedStatement(sql: sql),
      arguments: [Int64(bitPattern: file.inode), file.path.description, download.description])
  }

  private func find(_ sql: String, _ download: DownloadID) throws -> Deletion.Key? {
    guard try !isNothingOwed() else { return nil }
    return try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: [download.description])
  }

  private func isNothingOwed() throws -> Bool {
    if !facts.isNothingOwed {
      let sql = "SELECT 1 FROM deletions WHERE key > 0 LIMIT 1"
      facts.isNothingOwed = try !db.cachedStatement(sql: sql).finds()
    }
    return facts.isNothingOwed
  }
}

extension Deletion: StatementRow {
  init(_ columns: inout ColumnReader) throws {
    let key: Int64 = try columns.next()
    guard let download = DownloadID(try columns.next()) else { throw DamagedRow(column: "deletions.download") }
    var file: PublishedFile?
    if try columns.next() {
      file = try DownloadRow.publishedFile(&columns)
      guard file != nil else { throw DamagedRow(column: "deletions.path") }
    } else {
      columns.skip("path", "file_length", "inode", "sha256", "mtime")
    }
    self.init(
      key: key, download: download, file: file, fate: try columns.next() ? .quarantined : .deleted,
      sparesEdits: file?.modifiedNanoseconds != nil)
  }
}
