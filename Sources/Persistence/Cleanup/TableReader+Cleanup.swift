import GRDB
import PodfluxCore

/// Reads the expected files in pages, and the former files of downloads.
extension TableReader {
  /// The position after a page of expected files.
  package struct ExpectedCursor: Hashable, Sendable {
    fileprivate var path: String
    fileprivate var key: Int64

    /// The position before the first file.
    package static let start = ExpectedCursor(path: "", key: .min)

    /// Whether it precedes another position in the order of the index: by bytes, then by keys.
    fileprivate func precedes(_ other: Self) -> Bool {
      if path.utf8.elementsEqual(other.path.utf8) { return key < other.key }
      return path.utf8.lexicographicallyPrecedes(other.path.utf8)
    }
  }

  /// The files that rows expect, in the byte order of their paths. Cost: one look-up and the page.
  package func expectedFiles(
    after cursor: ExpectedCursor, limit: Int
  ) throws -> (files: [ExpectedFile], next: ExpectedCursor?) {
    let sql = ExpectedRow.select + "WHERE path IS NOT NULL AND (path, key) > (?, ?) ORDER BY path, key LIMIT ?"
    let rows = try ExpectedRow.fetchAll(
      db.cachedStatement(sql: sql), arguments: [cursor.path, cursor.key, limit])
    // In a damaged index, reading on after a page might never end.
    guard zip([cursor] + rows.map(\.cursor), rows).allSatisfy({ $0.precedes($1.cursor) }) else {
      throw DamagedRow(column: "path, or in its index")
    }
    let next =
      rows.count < limit ? nil : rows.last.map(\.cursor)
    return (rows.map(\.file), next)
  }

  /// The downloads that are not completed and have durable bytes, in the order of their ids.
  package func downloadsWithBytes(after id: DownloadID?, limit: Int) throws -> [Download] {
    let sql = DownloadRow.select + "WHERE durable > 0 AND state <> 'completed' AND id > ? ORDER BY id LIMIT ?"
    let downloads = try StoredDownload.fetchAll(
      db.cachedStatement(sql: sql), arguments: [id?.description ?? "", limit]
    ).map(\.download)
    let ids = [id?.description ?? ""] + downloads.map(\.id.description)
    guard zip(ids, ids.dropFirst()).allSatisfy(<) else { throw DamagedRow(column: "id, or in its index") }
    return downloads
  }

  /// The cleanup runs: the last one that ended, the current one and the waiting one, as far as they exist.
  package func cleanupRuns() throws -> [CleanupRun] {
    try SQLCleanupTable(db: db).runs()
  }

  /// A page of the last run's steps. Cost: one look-up and the page.
  package func cleanupSteps(_ request: PageRequest) throws -> (steps: [CleanupStep], next: PageCursor?) {
    let rows = try SQLCleanupTable(db: db).steps(after: request.after?.key ?? .min, limit: request.limit + 1)
    let page = Array(rows.prefix(request.limit))
    return (page, rows.count > request.limit ? page.last.map { PageCursor(key: $0.key) } : nil)
  }

  /// The former files of this path, and those of this length whose SHA-256 is known.
  package func formerFiles(like file: FoundFile) throws -> [FormerFile] {
    try SQLFormerFileTable(db: db).formerFiles(at: file.place.text, length: file.length)
  }

  /// A failed download whose file belongs at this path.
  package func failedDownload(wanting place: EntryPath) throws -> DownloadID? {
    guard let path = place.libraryPath else { return nil }
    let sql = "SELECT id FROM downloads WHERE state = 'failed' AND wanted_path = ? LIMIT 1"
    return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [path.description]).flatMap(DownloadID.init)
  }

  /// Whether a file may be adopted for this download id: the download has failed, or there is none.
  package func canAdopt(_ owner: DownloadID) throws -> Bool {
    guard let state = try download(owner)?.state else { return true }
    return state.kind == .failed
  }

  /// Whether a row of another download than this one, or of any, expects the file, by inode and length.
  ///
  /// - Parameter isAt: Whether the file also has that row's path (link(2)). Equal inode and length are not enough if
  ///   the times differ: the row's file may have been replaced, and its inode reused.
  package func isNeeded(
    _ file: FoundFile, otherThanBy id: DownloadID?, isAt: (LibraryPath) -> Bool
  ) throws -> Bool {
    try table.isNeeded(file, otherThanBy: id, isAt: isAt)
  }

  /// Whose name a file has.
  ///
  /// - Parameter isAt: Whether the file also has a row's path (link(2)).
  package func name(of file: FoundFile, isAt: (LibraryPath) -> Bool) throws -> FileName {
    guard file.inode != FoundFile.unknownInode else { return .free }
    let sql = ExpectedRow.select + "WHERE inode = ? AND path IS NOT NULL ORDER BY key"
    let files = try ExpectedRow.fetchAll(db.cachedStatement(sql: sql), arguments: [Int64(bitPattern: file.inode)])
      .map(\.file.file)
    return FileName.of(file, expected: files, isAt: isAt)
  }

  /// Whether the engine created this folder.
  package func hasMade(_ folder: EntryPath) throws -> Bool {
    guard let path = folder.libraryPath else { return false }
    return try SQLUpkeepTable(db: db).hasMade(path)
  }

  /// A download that was removed, or failed, because its file of this length was gone, if the file's SHA-256 is
  /// unknown.
  package func lostFile(ofLength length: Int64) throws -> DownloadID? {
    try SQLFormerFileTable(db: db).lostFile(ofLength: length)
  }
}

/// A row with the path of its file.
private struct ExpectedRow: StatementRow {
  static let select =
    "SELECT key, id, state = 'completed' AS state, path, file_length, inode, sha256, mtime, finished_at FROM downloads "

  let key: Int64
  let file: ExpectedFile
  var cursor: TableReader.ExpectedCursor { .init(path: file.file.path.description, key: key) }

  init(_ columns: inout ColumnReader) throws {
    key = try columns.next()
    guard let id = DownloadID(try columns.next()) else { throw DamagedRow(column: "id") }
    let isCompleted: Bool = try columns.next()
    guard let file = try DownloadRow.publishedFile(&columns) else { throw DamagedRow(column: "path") }
    self.file = ExpectedFile(download: id, file: file, isCompleted: isCompleted, finished: try columns.moment())
  }
}
