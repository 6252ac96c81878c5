import Flux
import GRDB
import PodfluxCore

/// The former files of downloads in SQLite, inside one transaction.
struct SQLFormerFileTable: FormerFileTable {
  let db: Database

  static let insertFormer = """
    INSERT OR REPLACE INTO former_files (
      download, url, url_hash, path, file_length, inode, sha256, cause, noted_at, title, published, origin)

    """

  func insert(_ former: FormerFile, at moment: Timestamp) throws {
    try db.cachedStatement(sql: Self.insertFormer + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute(arguments: [
      former.download.description, former.address.description, DownloadRow.hash(former.address),
      former.file.path.description, former.file.length, Int64(bitPattern: former.file.inode), former.file.sha256,
      former.cause.rawValue, moment.milliseconds, DownloadRow.text(former.title), former.published?.milliseconds,
      former.origin?.rawValue,
    ])
  }

  func forgetFormerFiles(of download: DownloadID, having file: PublishedFile) throws {
    let sql = """
      DELETE FROM former_files WHERE download = ? AND (path = ?
        OR cause <> 'corrupt' AND inode = ? AND inode <> 0 AND file_length = ?
        OR cause = 'missing' AND sha256 = ?)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [
      download.description, file.path.description, Int64(bitPattern: file.inode), file.length, file.sha256,
    ])
  }

  func removedDownload(
    for wish: DownloadIntent.Enqueue, where isFree: (DownloadID) -> Bool
  ) throws -> DownloadID? {
    if let id = wish.id {
      let byName = "SELECT 1 FROM former_files WHERE download = ? AND cause <> 'corrupt' LIMIT 1"
      if try Int.fetchOne(db.cachedStatement(sql: byName), arguments: [id.description]) != nil { return id }
    }
    if let episode = wish.episode {
      return try DownloadsOfAddress.former.first(for: wish, of: episode, in: db, where: isFree)
    }
    let sql = """
      SELECT download FROM former_files WHERE url_hash = ? AND url = ? AND cause <> 'corrupt'
      ORDER BY published DESC, key DESC LIMIT 1
      """
    let arguments: StatementArguments = [DownloadRow.hash(wish.address), wish.address.description]
    return try String.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
      .map { try Damaged.checked("former_files.download", DownloadID($0)) }
  }

  func formerFile(of download: DownloadID, at path: LibraryPath) throws -> FormerFile? {
    let here = try FormerFile.fetchAll(
      db.cachedStatement(sql: Self.select + "download = ? AND path = ? LIMIT 1"),
      arguments: [download.description, path.description])
    if let former = here.first { return former }
    return try FormerFile.fetchAll(
      db.cachedStatement(sql: Self.select + "download = ? LIMIT 1"), arguments: [download.description]
    ).first
  }

  private static let select = """
    SELECT download, url, path, file_length, inode, sha256, NULL AS mtime, cause, title, published, origin
    FROM former_files WHERE\u{20}
    """

  /// The former files of a path, and those of a length whose SHA-256 is known.
  func formerFiles(at path: String, length: Int64) throws -> [FormerFile] {
    let here = try FormerFile.fetchAll(
      db.cachedStatement(sql: Self.select + "path = ? ORDER BY key"), arguments: [path])
    let alike = try FormerFile.fetchAll(
      db.cachedStatement(sql: Self.select + "file_length = ? AND sha256 IS NOT NULL ORDER BY key LIMIT ?"),
      arguments: [length, Self.alikeLimit])
    return here + alike
  }

  /// A download that was removed, or failed, because its file of this length was gone, if the file's SHA-256 is
  /// unknown.
  func lostFile(ofLength length: Int64) throws -> DownloadID? {
    let sql = """
      SELECT download FROM former_files WHERE cause = 'missing' AND sha256 IS NULL AND file_length = ? LIMIT 1
      """
    return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [length]).flatMap(DownloadID.init)
  }

  /// How many former files of one length are read.
  private static let alikeLimit = 100

  func forgetFormerFiles(beyond keeping: FormerFile.Keeping, now: Timestamp, limit: Int) throws -> Int {
    let dating = """
      UPDATE former_files SET noted_at = ?
      WHERE key IN (SELECT key FROM former_files WHERE noted_at IS NULL ORDER BY key LIMIT ?)
      """
    try db.cachedStatement(sql: dating).execute(arguments: [now.milliseconds, limit])
    let dated = db.changesCount
    guard dated == 0 else { return dated }
    let newest = "SELECT key FROM former_files ORDER BY key DESC LIMIT 1 OFFSET ?"
    guard
      let first = try Int64.fetchOne(db.cachedStatement(sql: newest), arguments: [max(0, keeping.number - 1)])
    else { return 0 }
    // The oldest ones have the lowest numbers: the first one that is too young ends the search.
    let candidates = """
      DELETE FROM former_files
      WHERE key IN (SELECT key FROM former_files WHERE key < ? ORDER BY key LIMIT ?) AND noted_at < ?
      """
    try db.cachedStatement(sql: candidates).execute(arguments: [first, limit, keeping.since.milliseconds])
    return db.changesCount
  }
}

extension FormerFile: StatementRow {
  init(_ columns: inout ColumnReader) throws {
    guard let download = DownloadID(try columns.next()) else { throw DamagedRow(column: "former_files.download") }
    guard let address = try? WebAddress(columns.next()) else { throw DamagedRow(column: "former_files.url") }
    guard let file = try DownloadRow.publishedFile(&columns) else { throw DamagedRow(column: "former_files.path") }
    guard let cause = Cause(rawValue: try columns.next()) else { throw DamagedRow(column: "former_files.cause") }
    let (title, published): (String?, Timestamp?) = (try columns.next(), try columns.moment())
    var origin: Origin?
    if let name: String = try columns.next() {
      origin = try Damaged.checked("former_files.origin", Origin(rawValue: name))
    }
    self.init(
      download: download, address: address, file: file, cause: cause, title: title, published: published,
      origin: origin)
  }
}
