import GRDB
import PodfluxCore

/// Maintains the `lanes` table: the first download of each lane (`QueueLane`).
///
/// Changed rows mark their keys; each marked key is read once, before the table is read or the transaction ends. One
/// connection owns it and uses it on its queue.
final class QueueHeads {
  /// For how many keys the last offered rank is cached between transactions.
  private static let rememberedKeys = 4096

  private var touched: Set<QueueKey> = []
  /// The best rank offered for a key since it was last marked: a later rank changes nothing.
  private var offered: [QueueKey: Download.Rank] = [:]

  /// Marks a key whose downloads changed.
  func touch(_ key: QueueKey) {
    touched.insert(key)
    offered[key] = nil
  }

  /// Handles a new download of this rank: either it becomes the head of its key, or nothing changes.
  func offer(_ rank: Download.Rank, in key: QueueKey, in db: Database) throws {
    guard !touched.contains(key), offered[key].map({ rank.precedes($0) }) ?? true else { return }
    offered[key] = rank
    let write = try db.cachedStatement(
      sql: """
        INSERT INTO lanes VALUES (?, ?, ?, ?)
        ON CONFLICT (host, kind) DO UPDATE SET priority = excluded.priority, position = excluded.position
        WHERE (excluded.priority, excluded.position) < (priority, position)
        """)
    try write.execute(arguments: [key.host, key.kind, rank.priority.code, rank.position])
  }

  /// Drops the marks after the transaction ended.
  func reset() {
    touched = []
    if offered.count > Self.rememberedKeys { offered = [:] }
  }

  /// Drops the cache after a rollback, or before all heads are rebuilt.
  func forgetAll() {
    touched = []
    offered = [:]
  }

  /// The admitted key whose head comes first. Cost: the keys before it.
  func first(in db: Database, where mayRun: (QueueLane) -> Bool) throws -> QueueKey? {
    try refresh(in: db)
    let statement = try db.cachedStatement(sql: "SELECT host, kind FROM lanes ORDER BY priority, position")
    var first: QueueKey?
    try QueueKey.walk(statement) { key in
      guard mayRun(try key.lane()) else { return true }
      first = key
      return false
    }
    return first
  }

  /// The key of a session whose head comes first. Cost: a look-up.
  func first(of session: Session.Key, in db: Database) throws -> QueueKey? {
    try refresh(in: db)
    var first: QueueKey?
    try QueueKey.walk(db.cachedStatement(sql: QueueKey.ofSession), arguments: [session]) { key in
      first = key
      return false
    }
    return first
  }

  /// Updates the heads of the marked keys.
  func refresh(in db: Database) throws {
    guard !touched.isEmpty else { return }
    let head = try db.cachedStatement(sql: "SELECT priority, position FROM downloads WHERE \(QueueKey.scope)")
    let write = try db.cachedStatement(
      sql: """
        INSERT INTO lanes VALUES (?, ?, ?, ?)
        ON CONFLICT (host, kind) DO UPDATE SET priority = excluded.priority, position = excluded.position
        WHERE priority <> excluded.priority OR position <> excluded.position
        """)
    let clear = try db.cachedStatement(sql: "DELETE FROM lanes WHERE host = ? AND kind = ?")
    // In any order: each key is another row.
    for key in touched {
      if let place = try StoredPlace.fetchAll(head, arguments: [key.host, key.kind]).first {
        try write.execute(arguments: [key.host, key.kind, place.priority, place.position])
      } else {
        try clear.execute(arguments: [key.host, key.kind])
      }
    }
    touched = []
  }

  /// Rebuilds all heads. Cost: all admissible rows.
  func rebuild(in db: Database) throws {
    forgetAll()
    try db.cachedStatement(sql: "DELETE FROM lanes").execute()
    try db.cachedStatement(sql: QueueKey.fill).execute()
  }
}

/// A row's position in the queue.
private struct StoredPlace: StatementRow {
  let priority: Int64
  let position: Int64

  init(_ columns: inout ColumnReader) throws {
    priority = try columns.next()
    position = try columns.next(.position)
  }
}

extension Download.Rank {
  /// Whether it precedes another in the queue.
  fileprivate func precedes(_ other: Self) -> Bool {
    (priority.code, position) < (other.priority.code, other.position)
  }
}
