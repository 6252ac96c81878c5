import GRDB
import PodfluxCore

/// What is owed its deletion, in SQLite, inside one transaction.
struct SQLDeletionTable: DeletionTable {
  let db: Database
  let facts: KnownFacts

  func insert(_ deletion: Deletion, isReady: Bool) throws {
    facts.isNothingOwed = false
    let sql = "INSERT INTO deletions (download, path, file_length, inode, ready, quarantine) VALUES (?, ?, ?, ?, ?, ?)"
    try db.cachedStatement(sql: sql).execute(arguments: [
      deletion.download.description, deletion.file?.path.description, deletion.file?.length,
      deletion.file.map { Int64(bitPattern: $0.inode) }, isReady ? 1 : 0,
      deletion.fate == .quarantined ? 1 : 0,
    ])
  }

  func makeReady(_ download: DownloadID) throws {
    try db.cachedStatement(sql: "UPDATE deletions SET ready = 1 WHERE download = ? AND ready = 0")
      .execute(arguments: [download.description])
  }

  func makeAllReady() throws {
    try db.cachedStatement(sql: "UPDATE deletions SET ready = 1 WHERE ready = 0").execute()
  }

  func postpone(_ key: Deletion.Key) throws {
    try db.cachedStatement(sql: "UPDATE deletions SET ready = 0 WHERE key = ?").execute(arguments: [key])
  }

  func ready(limit: Int) throws -> [Deletion] {
    let sql = """
      SELECT key, download, path IS NOT NULL, path, file_length, inode, NULL, NULL, quarantine
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
      UPDATE deletions SET path = NULL, file_length = NULL, inode = NULL WHERE inode = ? AND path = ? RETURNING key
      """
    return try Int64.fetchAll(
      db.cachedStatement(sql: sql), arguments: [Int64(bitPattern: file.inode), file.path.description])
  }

  func names(_ file: PublishedFile) throws -> Bool {
    let sql = "SELECT 1 FROM deletions WHERE inode = ? AND path = ? LIMIT 1"
    return try Int.fetchOne(
      db.cachedStatement(sql: sql), arguments: [Int64(bitPattern: file.inode), file.path.description]) != nil
  }

  func isOwed(_ download: DownloadID) throws -> Bool {
    try finds("SELECT 1 FROM deletions WHERE download = ? LIMIT 1", download)
  }

  func isPartialOwed(of download: DownloadID) throws -> Bool {
    try finds("SELECT 1 FROM deletions WHERE download = ? AND quarantine = 0 LIMIT 1", download)
  }

  private func finds(_ sql: String, _ download: DownloadID) throws -> Bool {
    guard try !isNothingOwed() else { return false }
    return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [download.description]) != nil
  }

  private func isNothingOwed() throws -> Bool {
    if !facts.isNothingOwed {
      let sql = "SELECT 1 FROM deletions WHERE key > 0 LIMIT 1"
      facts.isNothingOwed = try Int.fetchOne(db.cachedStatement(sql: sql)) == nil
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
    self.init(key: key, download: download, file: file, fate: try columns.next() ? .quarantined : .deleted)
  }
}
