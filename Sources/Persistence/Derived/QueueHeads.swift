import GRDB
import PodfluxCore

/// Keeps the `lanes` table true: for each lane its first download.
///
/// QueueHeads are noted as rows change and looked at once, before the table is read or the transaction ends.
/// Owned by one connection and used on its queue only.
final class QueueHeads {
  /// How many keys have their last offered rank remembered between transactions.
  private static let rememberedKeys = 4096

  private var touched: Set<QueueKey> = []
  /// The best rank that was offered for a key since it was last touched: what comes behind it changes nothing.
  private var offered: [QueueKey: Download.Rank] = [:]

  /// Notes that a download of this key was added, changed or removed.
  func touch(_ key: QueueKey) {
    touched.insert(key)
    offered[key] = nil
  }

  /// Takes in that a download of this rank has been added: it is the first of its key, or changes nothing.
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

  /// Forgets what was noted: the transaction has ended.
  func reset() {
    touched = []
    if offered.count > Self.rememberedKeys { offered = [:] }
  }

  /// Forgets all that it knows of the table: the transaction was undone, or all heads are made anew.
  func forgetAll() {
    touched = []
    offered = [:]
  }

  /// The key whose first download comes first of all keys that may run. Cost: the keys before it.
  func first(
    in db: Database, where mayRun: (_ host: String, Origin, NetworkPolicy) -> Bool
  ) throws -> QueueKey? {
    try refresh(in: db)
    let statement = try db.cachedStatement(sql: "SELECT host, kind FROM lanes ORDER BY priority, position")
    var first: QueueKey?
    try QueueKey.walk(statement) { key in
      let (origin, policy) = try key.traits()
      guard mayRun(key.host, origin, policy) else { return true }
      first = key
      return false
    }
    return first
  }

  /// Brings the touched keys up to date.
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

  /// Makes all heads anew. Cost: all admissible rows.
  func rebuild(in db: Database) throws {
    forgetAll()
    try db.cachedStatement(sql: "DELETE FROM lanes").execute()
    try db.cachedStatement(sql: QueueKey.fill).execute()
  }
}

/// A row's place in the queue.
private struct StoredPlace: StatementRow {
  let priority: Int64
  let position: Int64

  init(_ columns: inout ColumnReader) throws {
    priority = try columns.next()
    position = try columns.next(.position)
  }
}

extension Download.Rank {
  /// Whether it stands before another in the queue.
  fileprivate func precedes(_ other: Self) -> Bool {
    (priority.code, position) < (other.priority.code, other.position)
  }
}
