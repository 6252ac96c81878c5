import Flux
import Foundation
import GRDB
import PodfluxCore

/// The downloads in SQLite, inside one transaction.
struct SQLDownloadTable: DownloadTable {
  let db: Database
  let derived: DerivedTables

  var queueHeads: QueueHeads { derived.queueHeads }
  var known: KnownRows { derived.known }

  func find(_ id: DownloadID) throws -> Download? {
    if let download = known[id] { return download }
    return try first("WHERE id = ?", [id.description]) { $0.id == id }
  }

  func contains(_ id: DownloadID) throws -> Bool {
    try db.cachedStatement(sql: "SELECT 1 FROM downloads WHERE id = ?").finds(id.description)
  }

  func find(_ address: WebAddress) throws -> DownloadID? {
    let sql = """
      SELECT id FROM downloads WHERE url_hash = ? AND url = ? AND state <> 'failed' ORDER BY published, key LIMIT 1
      """
    let statement = try db.cachedStatement(sql: sql)
    return try String.fetchOne(statement, arguments: [DownloadRow.hash(address), address.description])
      .flatMap(DownloadID.init)
  }

  func find(
    _ wish: DownloadIntent.Enqueue, of episode: Episode.Reference, where isFree: (DownloadID) -> Bool
  ) throws -> DownloadID? {
    try DownloadsOfAddress.present.first(for: wish, of: episode, in: db, where: isFree)
  }

  func isClaimed(_ file: PublishedFile, otherThanBy id: DownloadID?) throws -> Bool {
    let sql = "SELECT 1 FROM downloads WHERE path = ? AND inode = ? AND file_length = ? AND id IS NOT ? LIMIT 1"
    return try Int.fetchOne(
      db.cachedStatement(sql: sql),
      arguments: [file.path.description, Int64(bitPattern: file.inode), file.length, id?.description]) != nil
  }

  func claimants(of file: FoundFile, otherThan id: DownloadID?) throws -> [Download] {
    try holders(of: file, otherThan: id).compactMap(find).filter { $0.state.file?.claims(file) ?? false }
  }

  /// Whether a row needs a file, with the possibility to check whether the file is at the row's path too (link(2)).
  func isNeeded(
    _ file: FoundFile, otherThanBy id: DownloadID?, isAt: (LibraryPath) -> Bool
  ) throws -> Bool {
    try holders(of: file, otherThan: id).contains { holder in
      guard let theirs = try find(holder)?.state.file else { return false }
      return theirs.claims(file) || isAt(theirs.path)
    }
  }

  func completedDownloads(at path: LibraryPath, otherThan id: DownloadID) throws -> [DownloadID] {
    let sql = "SELECT id FROM downloads WHERE path = ? AND state = 'completed' AND id <> ? ORDER BY key"
    return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [path.description, id.description])
      .compactMap(DownloadID.init)
  }

  func holder(of file: FoundFile, otherThan id: DownloadID?) throws -> DownloadID? {
    try holders(of: file, otherThan: id).first
  }

  private func holders(of file: FoundFile, otherThan id: DownloadID?) throws -> [DownloadID] {
    // Without lasting inodes, path and length identify files.
    let isInodeKnown = file.inode != FoundFile.unknownInode
    let sql = """
      SELECT id FROM downloads WHERE \(isInodeKnown ? "inode" : "path") = ? AND file_length = ? AND id IS NOT ? LIMIT 8
      """
    let key: any DatabaseValueConvertible = isInodeKnown ? Int64(bitPattern: file.inode) : file.place.text
    let found = try String.fetchAll(db.cachedStatement(sql: sql), arguments: [key, file.length, id?.description])
    return try found.map {
      guard let holder = DownloadID($0) else { throw DamagedRow(column: "id") }
      return holder
    }
  }

  func insert(_ download: Download) throws {
    let facet = download.facet(on: try derived.calendar.today(in: db))
    let (sql, parts) = DownloadRow.insertion(of: download)
    let statement = try db.cachedStatement(sql: sql)
    var arguments = ArgumentWriter(statement)
    try DownloadRow.write(download, facet.row, parts, to: &arguments)
    try arguments.execute()
    let rank = download.rank
    if let last = derived.facts.lastPositions[rank.priority], rank.position > last {
      derived.facts.lastPositions[rank.priority] = rank.position
    }
    derived.traitCounts.add(1, facet)
    derived.usage.add(download)
    derived.texts.noteInsertion(of: db.lastInsertedRowID)
    if download.isAdmissible { try queueHeads.offer(download.rank, in: QueueKey(facet), in: db) }
    try moveEpisodes(of: download.id, from: nil, to: download.state.kind)
  }

  /// Counts the episodes of a download by its state; nil while it does not exist.
  private func moveEpisodes(
    of id: DownloadID, from former: DownloadState.Kind?, to state: DownloadState.Kind?
  ) throws {
    try derived.episodeCounts.move(
      having: id, from: former, to: state, on: derived.calendar.today(in: db), in: db)
  }

  func update(_ download: Download) throws {
    guard let former = try find(download.id) else { return }
    let today = try derived.calendar.today(in: db)
    let (formerFacet, facet) = (former.facet(on: today), download.facet(on: today))
    var parts = DownloadRow.difference(former, download)
    if formerFacet.row != facet.row { parts.append(.traits) }
    guard !parts.isEmpty else { return }
    let statement = try db.cachedStatement(sql: DownloadRow.update(parts))
    var arguments = ArgumentWriter(statement)
    try DownloadRow.write(download, facet.row, parts, to: &arguments)
    try arguments.write(download.id.description)
    try arguments.execute()
    known.note(download)
    if parts.contains(.rank) { derived.facts.forgetPositions() }
    if formerFacet != facet {
      derived.traitCounts.add(-1, formerFacet)
      derived.traitCounts.add(1, facet)
    }
    derived.usage.remove(former)
    derived.usage.add(download)
    try moveEpisodes(of: download.id, from: former.state.kind, to: download.state.kind)
    if parts.contains(.identity) { try index(download, instead: former) }
    // The address or the policy may have changed: then the former key loses a download too.
    let (formerKey, key) = (QueueKey(formerFacet), QueueKey(facet))
    guard former.isAdmissible != download.isAdmissible || parts.contains(.rank) || formerKey != key else { return }
    if former.isAdmissible { queueHeads.touch(formerKey) }
    if download.isAdmissible { queueHeads.touch(key) }
  }

  /// Replaces the indexed texts of a download.
  private func index(_ download: Download, instead former: Download) throws {
    let (old, new) = (former.description, download.description)
    guard !DownloadRow.hasSameTexts(former, download),
      let key = try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT key FROM downloads WHERE id = ?"), arguments: [download.id.description])
    else { return }
    let texts = derived.texts
    try texts.remove(key, title: DownloadRow.text(old.title), podcast: DownloadRow.text(old.podcast), in: db)
    try texts.insert(key, title: DownloadRow.text(new.title), podcast: DownloadRow.text(new.podcast), in: db)
  }

  func delete(_ id: DownloadID) throws {
    known.forget(id)
    derived.facts.forgetPositions()
    let sql = """
      DELETE FROM downloads WHERE id = ?
      RETURNING key, title_key, \(Usage.column) AS "file_length or durable",
        \(QueueKey.isAdmissible) AS "state or held", host, class, podcast
      """
    for row in try DeletedRow.fetchAll(db.cachedStatement(sql: sql), arguments: [id.description]) {
      derived.traitCounts.add(-1, row.facet)
      let kind = try row.facet.row.traits().kind
      derived.usage.add(-row.bytes, of: kind)
      if row.isAdmissible { queueHeads.touch(QueueKey(row.facet)) }
      try derived.texts.remove(row.key, title: row.title, podcast: row.facet.podcast, in: db)
      try moveEpisodes(of: id, from: kind, to: nil)
    }
  }

  // MARK: Counts and recovery

  func counts() throws -> [DownloadState.Kind: Int] {
    let rows = try StoredCount.fetchAll(db.cachedStatement(sql: "SELECT state, number FROM counts"))
    return rows.reduce(into: [:]) { $0[$1.kind] = $1.number }
  }

  func save(_ counts: [DownloadState.Kind: Int]) throws {
    let sql = "INSERT INTO counts VALUES (?, ?) ON CONFLICT (state) DO UPDATE SET number = excluded.number"
    let statement = try db.cachedStatement(sql: sql)
    for kind in DownloadState.Kind.allCases {
      guard let number = counts[kind] else { continue }
      try statement.execute(arguments: [kind.rawValue, number])
    }
  }

  func running() throws -> [Download] {
    try all("WHERE state = 'running' ORDER BY key", []) { $0.state.kind == .running }
  }

  // MARK: Scheduling

  func nextAdmissible(where mayRun: (QueueLane) -> Bool) throws -> Download? {
    try queueHeads.first(in: db, where: mayRun).flatMap(head)
  }

  func nextAdmissible(of session: Session.Key) throws -> Download? {
    try queueHeads.first(of: session, in: db).flatMap(head)
  }

  private func head(of key: QueueKey) throws -> Download? {
    try first("WHERE \(QueueKey.scope)", [key.host, key.kind], where: \.isAdmissible)
  }

  func waitingForStorage(limit: Int) throws -> [Download] {
    try all("WHERE reason = 'storage' ORDER BY retry_at, key LIMIT ?", [limit]) { $0.state.kind == .waiting }
  }

  func storedBytes() throws -> Int64 { try derived.usage.bytes(in: db) }

  func completedBytes() throws -> Int64 { try derived.usage.completeBytes(in: db) }

  func recountBytes() throws -> Bool { try derived.usage.recount(in: db) }

  func earliestRetry() throws -> Timestamp? {
    let sql = """
      SELECT retry_at FROM downloads WHERE state = 'waiting' AND retry_at IS NOT NULL ORDER BY retry_at LIMIT 1
      """
    return try checked(Int64.fetchOne(db.cachedStatement(sql: sql)), .moment, "retry_at")
      .map(Timestamp.init(milliseconds:))
  }

  func bringForward(retriesAfter latest: Timestamp, to moment: Timestamp) throws -> Bool {
    let sql = """
      UPDATE downloads INDEXED BY downloads_retry SET retry_at = ?
      WHERE state = 'waiting' AND retry_at IS NOT NULL AND retry_at > ?
      """
    try db.cachedStatement(sql: sql).execute(arguments: [moment.milliseconds, latest.milliseconds])
    guard db.changesCount > 0 else { return false }
    known.forgetAll()
    return true
  }

  func dueRetries(at now: Timestamp, limit: Int) throws -> [Download] {
    try all(
      "WHERE state = 'waiting' AND retry_at IS NOT NULL AND retry_at <= ? ORDER BY retry_at, key LIMIT ?",
      [now.milliseconds, limit]
    ) { $0.state.kind == .waiting }
  }

  func release(_ id: DownloadID) throws {
    known.forget(id)
    let scope = """
      id = ? AND NOT EXISTS (SELECT 1 FROM deletions WHERE download = downloads.id AND \(SQLDeletionTable.isHolding))
      """
    try release(where: scope, [id.description])
  }

  func releaseAll() throws {
    known.forgetAll()
    try release(where: "id NOT IN (SELECT download FROM deletions WHERE \(SQLDeletionTable.isHolding))", [])
  }

  private func release(where scope: String, _ arguments: StatementArguments) throws {
    let held = PackedTraits.Field.held.mask
    let sql = """
      UPDATE downloads SET held = 0, class = class & ~\(held) WHERE held = 1 AND \(scope)
      RETURNING host, class, podcast, 1
      """
    for row in try CountedFacet.fetchAll(db.cachedStatement(sql: sql), arguments: arguments) {
      derived.traitCounts.add(1, row.facet)
      derived.traitCounts.add(-1, row.facet.with(PackedTraits(code: row.facet.row.code | held)))
      queueHeads.touch(QueueKey(row.facet))
    }
  }

  // MARK: Order

  func position(of end: QueueEnd, in priority: Priority) throws -> Int64? {
    if end == .last, let last = derived.facts.lastPositions[priority] { return last }
    let sql = "SELECT position FROM downloads WHERE priority = ? ORDER BY position \(end.sqlOrder) LIMIT 1"
    let position = try checked(
      Int64.fetchOne(db.cachedStatement(sql: sql), arguments: [priority.code]), .position, "position")
    if end == .last { derived.facts.lastPositions[priority] = position }
    return position
  }

  func position(nextTo rank: Download.Rank, towards end: QueueEnd) throws -> Int64? {
    let beyond = end == .first ? ("<", "DESC") : (">", "ASC")
    let sql = """
      SELECT position FROM downloads WHERE priority = ? AND position \(beyond.0) ? ORDER BY position \(beyond.1) LIMIT 1
      """
    return try checked(
      Int64.fetchOne(db.cachedStatement(sql: sql), arguments: [rank.priority.code, rank.position]), .position,
      "position")
  }

  func respace(_ priority: Priority, step: Int64) throws {
    let sql = """
      UPDATE downloads SET position = numbered.number * ?
      FROM (SELECT key, row_number() OVER (ORDER BY position, key) AS number FROM downloads WHERE priority = ?)
        AS numbered
      WHERE downloads.key = numbered.key
      """
    known.forgetAll()
    derived.facts.forgetPositions()
    try db.cachedStatement(sql: sql).execute(arguments: [step, priority.code])
    try queueHeads.rebuild(in: db)
  }

  // MARK: Reading rows

  private func first(
    _ condition: String, _ arguments: StatementArguments, where isMeant: (Download) -> Bool
  ) throws -> Download? {
    try all(condition, arguments, where: isMeant).first
  }

  /// Reads rows that are not known and rejects wrong ones: a damaged index leads to other rows than requested, and
  /// stores trust the result.
  private func all(
    _ condition: String, _ arguments: StatementArguments, where isMeant: (Download) -> Bool
  ) throws -> [Download] {
    let statement = try db.cachedStatement(sql: DownloadRow.select + condition)
    var downloads: [Download] = []
    try NamedDownload.forEach(statement, arguments: arguments) { row in
      downloads.append(try known[row.id] ?? row.read(in: statement))
    }
    guard downloads.allSatisfy(isMeant) else { throw DamagedRow(column: "state or id, or in their indexes") }
    for download in downloads where known[download.id] == nil { known.note(download) }
    return downloads
  }
}

/// A separately read number, if its column may hold it.
private func checked(_ number: Int64?, _ numbers: StoredNumber, _ column: String) throws -> Int64? {
  guard number.map(numbers.range.contains) ?? true else { throw DamagedRow(column: column) }
  return number
}

/// The number of downloads in a state.
private struct StoredCount: StatementRow {
  let kind: DownloadState.Kind
  let number: Int

  init(_ columns: inout ColumnReader) throws {
    guard let kind = DownloadState.Kind(rawValue: try columns.next()) else { throw DamagedRow(column: "counts.state") }
    self.kind = kind
    number = Int(try columns.next(.count))
  }
}

/// The fields of a deleted row that derived tables need.
private struct DeletedRow: StatementRow {
  let key: Int64
  let title: String?
  let bytes: Int64
  let isAdmissible: Bool
  let facet: TraitCounts.Facet

  init(_ columns: inout ColumnReader) throws {
    key = try columns.next()
    title = try columns.next()
    bytes = try columns.next(.length)
    isAdmissible = try columns.next()
    facet = try TraitCounts.Facet(&columns)
  }
}

extension QueueEnd {
  fileprivate var sqlOrder: String { self == .first ? "ASC" : "DESC" }
}
