import Flux
import GRDB
import PodfluxCore

/// The cleanup store's tables in SQLite, inside one transaction.
struct SQLCleanupTable: CleanupTable {
  let db: Database

  // MARK: Runs

  func save(_ run: CleanupRun) throws {
    let sql = "INSERT INTO cleanup_runs VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET json = excluded.json"
    try db.cachedStatement(sql: sql).execute(arguments: [run.key, try StoredJSON.text(run)])
  }

  func forget(_ run: CleanupRun.Key) throws {
    try db.cachedStatement(sql: "DELETE FROM cleanup_runs WHERE key = ?").execute(arguments: [run])
  }

  func runs() throws -> [CleanupRun] {
    let texts = try String.fetchAll(db.cachedStatement(sql: "SELECT json FROM cleanup_runs ORDER BY key"))
    return try texts.map { text in
      let run: CleanupRun = try StoredJSON.value(of: text, column: "cleanup_runs.json")
      guard run.isPlausible else { throw DamagedRow(column: "cleanup_runs.json") }
      return run
    }
  }

  // MARK: Steps

  func insert(_ step: CleanupStep) throws {
    let sql = "INSERT INTO cleanup_steps (status, decision, because, matter, download) VALUES (?, ?, ?, ?, ?)"
    try db.cachedStatement(sql: sql).execute(arguments: [
      step.status.rawValue, step.decision.rawValue, DownloadRow.text(step.because), try StoredJSON.text(step.finding),
      step.holder?.description,
    ])
  }

  func removeSteps() throws {
    try db.cachedStatement(sql: "DELETE FROM cleanup_steps").execute()
  }

  func planned(after key: CleanupStep.Key, limit: Int) throws -> [CleanupStep] {
    let steps = try CleanupStep.fetchAll(
      db.cachedStatement(sql: Self.steps + "WHERE status = 'planned' AND key > ? ORDER BY key LIMIT ?"),
      arguments: [key, limit])
    guard zip([key] + steps.map(\.key), steps).allSatisfy({ $0 < $1.key }) else {
      throw DamagedRow(column: "cleanup_steps.key")
    }
    return steps
  }

  func finish(
    _ key: CleanupStep.Key, as status: CleanupStep.Status, because: String?, holder: DownloadID?
  ) throws {
    let sql = """
      UPDATE cleanup_steps SET status = ?, because = coalesce(?, because), download = coalesce(?, download) WHERE key = ?
      """
    try db.cachedStatement(sql: sql).execute(
      arguments: [status.rawValue, DownloadRow.text(because), holder?.description, key])
  }

  /// A page of all steps. Cost: one look-up and the page.
  func steps(after key: CleanupStep.Key, limit: Int) throws -> [CleanupStep] {
    try CleanupStep.fetchAll(
      db.cachedStatement(sql: Self.steps + "WHERE key > ? ORDER BY key LIMIT ?"), arguments: [key, limit])
  }

  private static let steps = "SELECT key, status, decision, because, matter, download FROM cleanup_steps "

  // MARK: Former files

  static let insertFormer = """
    INSERT OR REPLACE INTO former_files (download, url, url_hash, path, file_length, inode, sha256, cause, noted_at)

    """

  func insert(_ former: FormerFile, at moment: Timestamp) throws {
    try db.cachedStatement(sql: Self.insertFormer + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)").execute(arguments: [
      former.download.description, former.address.description, DownloadRow.hash(former.address),
      former.file.path.description, former.file.length, Int64(bitPattern: former.file.inode), former.file.sha256,
      former.cause.rawValue, moment.milliseconds,
    ])
  }

  func forgetFormerFiles(of download: DownloadID, having file: PublishedFile) throws {
    try db.cachedStatement(sql: "DELETE FROM former_files WHERE download = ? AND (cause <> 'corrupt' OR path = ?)")
      .execute(arguments: [download.description, file.path.description])
  }

  func removedDownload(id: DownloadID?, address: WebAddress) throws -> DownloadID? {
    let sql = """
      SELECT download FROM former_files WHERE url_hash = ? AND url = ? AND cause <> 'corrupt' LIMIT 1
      """
    if let id {
      let byName = "SELECT 1 FROM former_files WHERE download = ? AND cause <> 'corrupt' LIMIT 1"
      if try Int.fetchOne(db.cachedStatement(sql: byName), arguments: [id.description]) != nil { return id }
    }
    return try String.fetchOne(
      db.cachedStatement(sql: sql), arguments: [DownloadRow.hash(address), address.description]
    ).flatMap(DownloadID.init)
  }

  func formerAddress(of download: DownloadID) throws -> WebAddress? {
    let sql = "SELECT url FROM former_files WHERE download = ? LIMIT 1"
    return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [download.description])
      .flatMap { try? WebAddress($0) }
  }

  /// The former files of a path, and those of a length whose SHA-256 is known.
  func formerFiles(at path: String, length: Int64) throws -> [FormerFile] {
    let columns = "SELECT download, url, path, file_length, inode, sha256, NULL, cause FROM former_files WHERE "
    let here = try FormerFile.fetchAll(db.cachedStatement(sql: columns + "path = ? ORDER BY key"), arguments: [path])
    let alike = try FormerFile.fetchAll(
      db.cachedStatement(sql: columns + "file_length = ? AND sha256 IS NOT NULL ORDER BY key LIMIT ?"),
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

  // MARK: Folders

  func note(made folders: [LibraryPath]) throws {
    let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO folders VALUES (?)")
    for folder in folders { try statement.execute(arguments: [folder.description]) }
  }

  func madeFolders(above path: LibraryPath) throws -> [LibraryPath] {
    var (made, next): ([LibraryPath], LibraryPath?) = ([], path.folder)
    while let folder = next {
      if try hasMade(folder) { made.append(folder) }
      next = folder.folder
    }
    return made
  }

  func hasMade(_ folder: LibraryPath) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM folders WHERE path = ?")
    return try Int.fetchOne(statement, arguments: [folder.description]) != nil
  }
}

extension CleanupRun {
  /// Whether the store can have written these counts: it continues from them.
  fileprivate var isPlausible: Bool {
    let counts = (tallies.values.flatMap { [$0.found, $0.done, $0.left] } + deeds.flatMap { [$0.done, $0.left] })
      .map(Int64.init)
    let bytes = tallies.values.map(\.bytes) + deeds.map(\.bytes) + [freedBytes] + (usage?.all ?? [])
    let moments = [askedAt, endedAt ?? askedAt].map(\.milliseconds)
    return StoredNumber.log.range.contains(key) && counts.allSatisfy(StoredNumber.count.range.contains)
      && bytes.allSatisfy(StoredNumber.length.range.contains) && moments.allSatisfy(StoredNumber.moment.range.contains)
  }
}

extension CleanupRun.Usage {
  fileprivate var all: [Int64] { [media, partial, quarantine, database, other] }
}

extension CleanupStep: StatementRow {
  init(_ columns: inout ColumnReader) throws {
    let key: Int64 = try columns.next()
    guard let status = Status(rawValue: try columns.next()) else { throw DamagedRow(column: "cleanup_steps.status") }
    guard let decision = Decision(rawValue: try columns.next()) else {
      throw DamagedRow(column: "cleanup_steps.decision")
    }
    let because: String = try columns.next()
    let finding: Finding = try StoredJSON.value(of: columns.next(), column: "cleanup_steps.matter")
    guard finding.bytes >= 0 else { throw DamagedRow(column: "cleanup_steps.matter") }
    let holder: String? = try columns.next()
    guard (holder == nil) == (holder.flatMap { DownloadID($0) } == nil) else {
      throw DamagedRow(column: "cleanup_steps.download")
    }
    self.init(
      key: key, finding: finding, decision: decision, because: because, status: status,
      holder: holder.flatMap { DownloadID($0) })
  }
}

extension FormerFile: StatementRow {
  init(_ columns: inout ColumnReader) throws {
    guard let download = DownloadID(try columns.next()) else { throw DamagedRow(column: "former_files.download") }
    guard let address = try? WebAddress(columns.next()) else { throw DamagedRow(column: "former_files.url") }
    guard let file = try DownloadRow.publishedFile(&columns) else { throw DamagedRow(column: "former_files.path") }
    guard let cause = Cause(rawValue: try columns.next()) else { throw DamagedRow(column: "former_files.cause") }
    self.init(download: download, address: address, file: file, cause: cause)
  }
}
