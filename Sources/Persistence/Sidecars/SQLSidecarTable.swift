import Flux
import GRDB
import PodfluxCore

/// The sidecars in SQLite, inside one transaction.
struct SQLSidecarTable: SidecarTable {
  let db: Database

  private static let select = """
    SELECT key, kind, owner, url, stem, state, failures, next_at, path, file_length, inode, NULL AS sha256, mtime, target,
      message, session, feed_read_from
    FROM sidecars
    """
  private static let isOwed = "key > 0 AND (state = 'moving' OR state = 'leaving') AND postponed = 0"

  func find(_ key: Sidecar.Key) throws -> Sidecar? {
    try fetch("WHERE key = ?", [key]).first
  }

  func insert(_ sidecar: Sidecar) throws {
    let row = SidecarRow(sidecar)
    let sql = """
      INSERT INTO sidecars (kind, owner, url, stem, session, feed_read_from, state, failures, next_at, path, file_length, inode,
        mtime, target, message, postponed)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
      """
    try db.cachedStatement(sql: sql).execute(
      arguments: [sidecar.kind.rawValue] + row.identity + row.values)
  }

  func update(_ sidecar: Sidecar) throws {
    let row = SidecarRow(sidecar)
    let sql = """
      UPDATE sidecars SET owner = ?, url = ?, stem = ?, session = ?, feed_read_from = ?, state = ?, failures = ?, next_at = ?,
        path = ?, file_length = ?, inode = ?, mtime = ?, target = ?, message = ?, postponed = 0
      WHERE key = ?
      """
    try db.cachedStatement(sql: sql).execute(arguments: row.identity + row.values + [sidecar.key])
  }

  func delete(_ key: Sidecar.Key) throws {
    try db.cachedStatement(sql: "DELETE FROM sidecars WHERE key = ?").execute(arguments: [key])
  }

  func sidecars(of owner: DownloadID) throws -> [Sidecar] {
    try fetch("WHERE owner = ? ORDER BY key", [owner.description])
  }

  func sidecars(of session: Session.Key, after key: Sidecar.Key, limit: Int) throws -> [Sidecar] {
    try inOrder(fetch("WHERE session = ? AND key > ? ORDER BY key LIMIT ?", [session, key, limit]), after: key)
  }

  func cover(at stem: String) throws -> Sidecar? {
    try fetch("WHERE kind = 'cover' AND stem = ? AND state <> 'leaving' ORDER BY key LIMIT 1", [stem]).first
  }

  func covers(after key: Sidecar.Key, limit: Int) throws -> [Sidecar] {
    try inOrder(fetch("WHERE kind = 'cover' AND key > ? ORDER BY key LIMIT ?", [key, limit]), after: key)
  }

  func present(after key: Sidecar.Key, limit: Int) throws -> [Sidecar] {
    try inOrder(fetch("WHERE state = 'present' AND key > ? ORDER BY key LIMIT ?", [key, limit]), after: key)
  }

  /// In a damaged index, reading on after a page might never end.
  private func inOrder(_ page: [Sidecar], after key: Sidecar.Key) throws -> [Sidecar] {
    guard zip([key] + page.map(\.key), page).allSatisfy({ $0 < $1.key }) else {
      throw DamagedRow(column: "sidecars.key, or in an index")
    }
    return page
  }

  func isKnown(_ file: FoundFile) throws -> Bool {
    let path = file.place.text
    // What has taken the place of a sidecar may be the file of a download, which a person has moved there.
    let byPath = """
      SELECT (EXISTS (SELECT 1 FROM sidecars WHERE path = ?1) OR EXISTS (SELECT 1 FROM sidecars WHERE target = ?1))
        AND NOT EXISTS (SELECT 1 FROM downloads WHERE inode = ?2 AND inode <> 0)
      """
    if file.place.libraryPath != nil,
      try Bool.fetchOne(db.cachedStatement(sql: byPath), arguments: [path, Int64(bitPattern: file.inode)]) == true
    {
      return true
    }
    guard file.inode != FoundFile.unknownInode else { return false }
    let byFile = "SELECT 1 FROM sidecars WHERE inode = ? AND file_length = ? AND mtime IS ? LIMIT 1"
    return try Int.fetchOne(
      db.cachedStatement(sql: byFile),
      arguments: [Int64(bitPattern: file.inode), file.length, file.modifiedNanoseconds]) != nil
  }

  func isUsed(_ folder: LibraryPath) throws -> Bool {
    // "0" is the byte after "/".
    let sql = "SELECT 1 FROM downloads WHERE path > ?1 || '/' AND path < ?1 || '0' LIMIT 1"
    return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [folder.description]) != nil
  }

  func hasKeptFile(in folder: LibraryPath) throws -> Bool {
    let sql = "SELECT 1 FROM former_files WHERE path > ?1 || '/' AND path < ?1 || '0' AND cause = 'kept' LIMIT 1"
    return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [folder.description]) != nil
  }

  // MARK: What is to be done

  func due(at now: Timestamp, _ need: SidecarNeed, limit: Int) throws -> [Sidecar] {
    let (scope, sessions): (String, Set<Session.Key>?) =
      switch need {
      case .nothing: ("url IS NULL", nil)
      case .network(let spared) where spared.isEmpty: ("url IS NOT NULL", nil)
      case .network(let spared):
        ("url IS NOT NULL AND (session IS NULL OR session NOT IN (SELECT value FROM json_each(?)))", spared)
      case .sessions(let wanted): ("url IS NOT NULL AND +session IN (SELECT value FROM json_each(?))", wanted)
      }
    let lists = try sessions.map { [try ConditionSQL.list($0.sorted())] } ?? []
    return try fetch(
      "WHERE next_at <= ? AND \(scope) ORDER BY next_at, key LIMIT ?",
      StatementArguments([now.milliseconds]) + StatementArguments(lists) + [limit])
  }

  func nextMoment(after now: Timestamp) throws -> Timestamp? {
    let moments = try ["NOT NULL", "NULL"].compactMap { url in
      try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT next_at FROM sidecars WHERE next_at > ? AND url IS \(url) ORDER BY next_at LIMIT 1"),
        arguments: [now.milliseconds])
    }
    return try moments.min().map { moment in
      guard StoredNumber.moment.range.contains(moment) else { throw DamagedRow(column: "sidecars.next_at") }
      return Timestamp(milliseconds: moment)
    }
  }

  func bringForward(dueAfter latest: Timestamp, to moment: Timestamp) throws {
    for (index, url) in [("sidecars_due", "NOT NULL"), ("sidecars_due_here", "NULL")] {
      let sql = "UPDATE sidecars INDEXED BY \(index) SET next_at = ? WHERE next_at > ? AND url IS \(url)"
      try db.cachedStatement(sql: sql).execute(arguments: [moment.milliseconds, latest.milliseconds])
    }
  }

  func owed(limit: Int) throws -> [Sidecar] {
    try fetch("WHERE \(Self.isOwed) ORDER BY key LIMIT ?", [limit])
  }

  func postpone(_ key: Sidecar.Key) throws {
    try db.cachedStatement(sql: "UPDATE sidecars SET postponed = 1 WHERE key = ?").execute(arguments: [key])
  }

  /// Cost: linear in the sidecars that are owed something.
  func oweAll() throws {
    try db.cachedStatement(sql: "UPDATE sidecars SET postponed = 0 WHERE key > 0 AND postponed = 1").execute()
  }

  func isEmpty() throws -> Bool {
    try Int.fetchOne(db.cachedStatement(sql: "SELECT 1 FROM sidecars WHERE key > 0 LIMIT 1")) == nil
  }

  // MARK: Downloads

  func save(scanAfter key: Int64?) throws {
    guard let key else { return try db.cachedStatement(sql: "DELETE FROM sidecar_scan").execute() }
    let sql = "INSERT INTO sidecar_scan VALUES (1, ?) ON CONFLICT (singleton) DO UPDATE SET after = excluded.after"
    try db.cachedStatement(sql: sql).execute(arguments: [key])
  }

  static func scanAfter(in db: Database) throws -> Int64? {
    guard let key = try Int64.fetchOne(db.cachedStatement(sql: "SELECT after FROM sidecar_scan")) else { return nil }
    guard key >= 0 else { throw DamagedRow(column: "sidecar_scan.after") }
    return key
  }

  func completedDownloads(after key: Int64, limit: Int) throws -> (downloads: [DownloadID], next: Int64?) {
    let sql = "SELECT key, id, state = 'completed' AS state FROM downloads WHERE key > ? ORDER BY key LIMIT ?"
    let rows = try ScannedRow.fetchAll(db.cachedStatement(sql: sql), arguments: [key, limit])
    return (rows.filter(\.isCompleted).map(\.id), rows.count == limit ? rows.last?.key : nil)
  }

  /// What happens to the sidecars of many downloads that are about to be removed in one statement: they leave with the
  /// files, or stay as the user's.
  ///
  /// - Parameter scope: Chooses the downloads.
  static func leave(withFiles: Bool, _ scope: Predicate, in db: Database) throws {
    guard try !SQLSidecarTable(db: db).isEmpty() else { return }
    let owners = "owner IN (SELECT id FROM downloads WHERE state = 'completed' AND \(scope.sql))"
    let gone = withFiles ? "('wanted', 'failed', 'disowned')" : "('wanted', 'failed')"
    let rest =
      withFiles
      ? "state = 'leaving', next_at = NULL, session = NULL, postponed = 0 WHERE state IN ('publishing', 'present', 'moving') AND"
      : "owner = NULL WHERE state <> 'leaving' AND"
    for statement in ["DELETE FROM sidecars WHERE state IN \(gone) AND", "UPDATE sidecars SET \(rest)"] {
      try db.makeStatement(sql: "\(statement) \(owners)").execute(arguments: StatementArguments(scope.values))
    }
  }

  fileprivate func fetch(_ clause: String, _ arguments: StatementArguments) throws -> [Sidecar] {
    try Sidecar.fetchAll(db.cachedStatement(sql: "\(Self.select) \(clause)"), arguments: arguments)
  }
}

/// A download that is asked for sidecars.
private struct ScannedRow: StatementRow {
  let key: Int64
  let id: DownloadID
  let isCompleted: Bool

  init(_ columns: inout ColumnReader) throws {
    key = try columns.next()
    guard let id = DownloadID(try columns.next()) else { throw DamagedRow(column: "id") }
    self.id = id
    isCompleted = try columns.next()
  }
}

/// The columns of a sidecar.
private struct SidecarRow {
  /// `owner`, `url`, `stem`, `session`, `feed_read_from`.
  let identity: StatementArguments
  /// `state` to `message`.
  let values: StatementArguments

  init(_ sidecar: Sidecar) {
    identity = [
      sidecar.owner?.description, sidecar.address?.description, sidecar.stem, sidecar.session,
      sidecar.feedReadFrom.rowCode,
    ]
    var (name, failures, next): (String, Int, Int64?) = ("", 0, nil)
    var (target, message): (LibraryPath?, String?) = (nil, nil)
    switch sidecar.state {
    case .wanted(let count, let moment): (name, failures, next) = ("wanted", count, moment.milliseconds)
    case .publishing(_, let count, let moment): (name, failures, next) = ("publishing", count, moment.milliseconds)
    case .present: name = "present"
    case .moving(_, let path): (name, target) = ("moving", path)
    case .leaving(_, let path): (name, target) = ("leaving", path)
    case .disowned: name = "disowned"
    case .failed(let sentence): (name, message) = ("failed", sentence)
    }
    let file = sidecar.file
    values = [
      name, failures, next, file?.path.description, file?.length, file.map { Int64(bitPattern: $0.inode) },
      file?.modifiedNanoseconds, target?.description, message,
    ]
  }
}

extension Sidecar: StatementRow {
  init(_ columns: inout ColumnReader) throws {
    let key: Int64 = try columns.next()
    guard let kind = SidecarKind(rawValue: try columns.next()) else { throw DamagedRow(column: "sidecars.kind") }
    var owner: DownloadID?
    if let text: String = try columns.next() {
      owner = DownloadID(text)
      guard owner != nil else { throw DamagedRow(column: "sidecars.owner") }
    }
    var address: WebAddress?
    if let text: String = try columns.next() {
      address = try? WebAddress(text)
      guard address != nil else { throw DamagedRow(column: "sidecars.url") }
    }
    let (stem, name): (String, String) = (try columns.next(), try columns.next())
    let failures = Int(try columns.next(.failures))
    let next = try columns.moment()
    let file = try DownloadRow.publishedFile(&columns)
    let target = try columns.path()
    let message: String? = try columns.next()
    let session = try columns.nextIfPresent(.session)
    let feedReadFrom = try Damaged.checked("sidecars.feed_read_from", AddressClass(rowCode: columns.next()))
    let state: Sidecar.State? =
      switch (name, file, target) {
      case ("wanted", nil, nil): next.map { .wanted(failures: failures, next: $0) }
      case ("failed", nil, nil): message.map { .failed($0) }
      case ("publishing", let file?, nil): next.map { .publishing(file, failures: failures, next: $0) }
      case ("present", let file?, nil): .present(file)
      case ("moving", let file?, let target?): .moving(file, to: target)
      case ("leaving", let file?, let target): .leaving(file, or: target)
      case ("disowned", let file?, nil): .disowned(file)
      default: nil
      }
    guard let state else { throw DamagedRow(column: "sidecars.state") }
    self.init(
      key: key, kind: kind, owner: owner, address: address, stem: stem, state: state, session: session,
      feedReadFrom: feedReadFrom)
  }
}

extension SQLTables {
  var sidecars: any SidecarTable { SQLSidecarTable(db: db) }
}

extension TableReader {
  /// Whether a file is a sidecar, also one that a person has moved or changed.
  package func isSidecar(_ file: FoundFile) throws -> Bool { try SQLSidecarTable(db: db).isKnown(file) }

  /// The first sidecars after this one, in the order of their numbers.
  package func sidecars(after key: Sidecar.Key = 0, limit: Int) throws -> [Sidecar] {
    try SQLSidecarTable(db: db).all(after: key, limit: limit)
  }
}

extension SQLSidecarTable {
  fileprivate func all(after key: Sidecar.Key, limit: Int) throws -> [Sidecar] {
    try fetch("WHERE key > ? ORDER BY key LIMIT ?", [key, limit])
  }
}

extension SidecarsStore {
  /// The store with what its tables hold.
  init(from tables: TableReader) throws {
    self.init(
      hasRows: try !SQLSidecarTable(db: tables.db).isEmpty(), scanAfter: try SQLSidecarTable.scanAfter(in: tables.db))
  }
}
