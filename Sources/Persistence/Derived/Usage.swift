import GRDB
import PodfluxCore

/// Maintains the `usage` table: the total size of all downloads' files, complete and partial, and that of the complete
/// ones.
///
/// It collects changes and writes them once, before the transaction ends. One connection owns it and uses it on its
/// queue.
final class Usage {
  /// The largest length that counts, 1 PiB.
  private static let longest = Settings.Limits.maxFileBytes.upperBound
  /// The largest sum.
  static let maximum: Int64 = 1 << 62

  /// The bytes of a row's file, over the columns of `downloads`.
  static let column = "min(iif(state = 'completed', file_length, durable), \(longest))"

  /// The bytes of many rows' files, over the columns of `downloads`, and at most `maximum`. The high and the low bits
  /// are added apart: a sum of implausible lengths of some thousand damaged rows would exceed 64 bits, and fail.
  static let sum = sum(of: column)

  private static func sum(of bytes: String) -> String {
    """
    min((min(coalesce(sum(\(bytes) >> 20), 0), \(maximum >> 20)) << 20) \
    + coalesce(sum(\(bytes) & 1048575), 0), \(maximum))
    """
  }

  /// The size of a download's file.
  static func bytes(of download: Download) -> Int64 {
    if case .completed(let file) = download.state { return min(file.length, longest) }
    return min(download.progress.durable, longest)
  }

  private var change: Int64 = 0
  private var completeChange: Int64 = 0

  /// Adds a download's file.
  func add(_ download: Download) { add(Self.bytes(of: download), of: download.state.kind) }

  /// Takes a download's file away.
  func remove(_ download: Download) { add(-Self.bytes(of: download), of: download.state.kind) }

  /// Adds a number of bytes of files of downloads in a state; it may be negative.
  func add(_ bytes: Int64, of kind: DownloadState.Kind) {
    change = change.addingClamped(bytes)
    if kind == .completed { completeChange = completeChange.addingClamped(bytes) }
  }

  /// Drops pending changes after the transaction ended.
  func reset() {
    (change, completeChange) = (0, 0)
  }

  /// Writes the pending changes.
  func refresh(in db: Database) throws {
    guard change != 0 || completeChange != 0 else { return }
    let sql = """
      UPDATE usage SET bytes = max(0, min(bytes + ?, \(Self.maximum))), complete = max(0, min(complete + ?, \(Self.maximum)))
      """
    try db.cachedStatement(sql: sql).execute(arguments: [change, completeChange])
    reset()
  }

  /// Counts the rows' files anew. Cost: all rows.
  ///
  /// - Returns: Whether they had been counted wrongly.
  func recount(in db: Database) throws -> Bool {
    try refresh(in: db)
    let sql = """
      UPDATE usage SET (bytes, complete) = (counted.bytes, counted.complete)
      FROM (SELECT \(Self.sum) AS bytes, \(Self.sum(of: "iif(state = 'completed', \(Self.column), 0)")) AS complete
        FROM downloads) AS counted
      WHERE usage.bytes <> counted.bytes OR usage.complete <> counted.complete
      """
    try db.cachedStatement(sql: sql).execute()
    return db.changesCount > 0
  }

  /// The total. Cost: one look-up.
  func bytes(in db: Database) throws -> Int64 { try number("bytes", in: db) }

  /// The total of the complete files. Cost: one look-up.
  func completeBytes(in db: Database) throws -> Int64 { try number("complete", in: db) }

  private func number(_ column: String, in db: Database) throws -> Int64 {
    try refresh(in: db)
    guard let bytes = try Int64.fetchOne(db.cachedStatement(sql: "SELECT \(column) FROM usage")),
      StoredNumber.sum.range.contains(bytes)
    else { throw DamagedRow(column: "usage.\(column)") }
    return bytes
  }
}
