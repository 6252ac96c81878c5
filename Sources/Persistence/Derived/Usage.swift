import GRDB
import PodfluxCore

/// Maintains the `usage` table: the total size of all downloads' files, complete and partial.
///
/// It collects changes and writes them once, before the transaction ends. One connection owns it and uses it on its
/// queue.
final class Usage {
  /// The largest length that counts, 1 PiB: sums of a million implausible lengths do not overflow.
  private static let longest = Settings.Limits.maxFileBytes.upperBound
  /// The largest sum.
  static let maximum: Int64 = 1 << 62

  /// The bytes of a row's file, over the columns of `downloads`.
  static let column = "min(iif(state = 'completed', file_length, durable), \(longest))"

  /// The size of a download's file.
  static func bytes(of download: Download) -> Int64 {
    if case .completed(let file) = download.state { return min(file.length, longest) }
    return min(download.progress.durable, longest)
  }

  private var change: Int64 = 0

  /// Adds a number of bytes; it may be negative.
  func add(_ bytes: Int64) {
    change &+= bytes
  }

  /// Drops pending changes after the transaction ended.
  func reset() {
    change = 0
  }

  /// Writes the pending changes.
  func refresh(in db: Database) throws {
    guard change != 0 else { return }
    let sql = "UPDATE usage SET bytes = max(0, min(bytes + ?, \(Self.maximum)))"
    try db.cachedStatement(sql: sql).execute(arguments: [change])
    reset()
  }

  /// The total. Cost: one look-up.
  func bytes(in db: Database) throws -> Int64 {
    try refresh(in: db)
    guard let bytes = try Int64.fetchOne(db.cachedStatement(sql: "SELECT bytes FROM usage")),
      StoredNumber.sum.range.contains(bytes)
    else { throw DamagedRow(column: "usage.bytes") }
    return bytes
  }
}
