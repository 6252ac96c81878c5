import GRDB
import PodfluxCore

/// Keeps the `usage` table true: how many bytes the files of all downloads have, complete and partial ones.
///
/// Changes are gathered and written once, before the transaction ends. Owned by one connection and used on its queue only.
final class Usage {
  /// The longest length that is counted, 1 PiB: sums of a million lengths that cannot be do not overflow.
  private static let longest = Settings.Limits.maxFileBytes.upperBound
  /// The largest sum.
  static let maximum: Int64 = 1 << 62

  /// The bytes of a row's file, over the columns of `downloads`.
  static let column = "min(iif(state = 'completed', file_length, durable), \(longest))"

  /// The bytes of a download's file.
  static func bytes(of download: Download) -> Int64 {
    if case .completed(let file) = download.state { return min(file.length, longest) }
    return min(download.progress.durable, longest)
  }

  private var change: Int64 = 0

  /// Takes in that there are so many bytes more, or fewer.
  func add(_ bytes: Int64) {
    change &+= bytes
  }

  /// Forgets what was noted: the transaction has ended.
  func reset() {
    change = 0
  }

  /// Writes what was noted.
  func refresh(in db: Database) throws {
    guard change != 0 else { return }
    let sql = "UPDATE usage SET bytes = max(0, min(bytes + ?, \(Self.maximum)))"
    try db.cachedStatement(sql: sql).execute(arguments: [change])
    reset()
  }

  /// How many bytes there are. Cost: one look-up.
  func bytes(in db: Database) throws -> Int64 {
    try refresh(in: db)
    guard let bytes = try Int64.fetchOne(db.cachedStatement(sql: "SELECT bytes FROM usage")),
      StoredNumber.sum.range.contains(bytes)
    else { throw DamagedRow(column: "usage.bytes") }
    return bytes
  }
}
