import GRDB
import PodfluxCore

/// Keeps the `lanes` table true: for each lane its first download.
///
/// Lanes are noted as rows change and looked at once, before the table is read or the transaction ends.
/// Owned by one connection and used on its queue only.
final class Lanes {
  /// Of how many lanes it is remembered between transactions what was offered.
  private static let rememberedLanes = 4096

  private var touched: Set<Lane> = []
  /// The best rank that was offered for a lane since it was last touched: what comes behind it changes nothing.
  private var offered: [Lane: Download.Rank] = [:]

  /// Notes that a download of this lane was added, changed or removed.
  func touch(_ lane: Lane) {
    touched.insert(lane)
    offered[lane] = nil
  }

  /// Takes in that a download of this rank has been added: it is the first of its lane, or changes nothing.
  func offer(_ rank: Download.Rank, in lane: Lane, in db: Database) throws {
    guard !touched.contains(lane), offered[lane].map({ rank.precedes($0) }) ?? true else { return }
    offered[lane] = rank
    let write = try db.cachedStatement(
      sql: """
        INSERT INTO lanes VALUES (?, ?, ?, ?)
        ON CONFLICT (host, kind) DO UPDATE SET priority = excluded.priority, position = excluded.position
        WHERE (excluded.priority, excluded.position) < (priority, position)
        """)
    try write.execute(arguments: [lane.host, lane.kind, rank.priority.code, rank.position])
  }

  /// Forgets what was noted: the transaction has ended.
  func reset() {
    touched = []
    if offered.count > Self.rememberedLanes { offered = [:] }
  }

  /// Forgets all that it knows of the table: the transaction was undone, or all lanes are made anew.
  func forgetAll() {
    touched = []
    offered = [:]
  }

  /// The lane whose first download comes before all others' of the lanes that may run. Cost: the lanes that come before it.
  func first(
    in db: Database, where mayRun: (_ host: String, Origin, NetworkPolicy) -> Bool
  ) throws -> Lane? {
    try refresh(in: db)
    let statement = try db.cachedStatement(sql: "SELECT host, kind FROM lanes ORDER BY priority, position")
    var first: Lane?
    try Lane.walk(statement) { lane in
      let (origin, policy) = try lane.traits()
      guard mayRun(lane.host, origin, policy) else { return true }
      first = lane
      return false
    }
    return first
  }

  /// Brings the touched lanes up to date.
  func refresh(in db: Database) throws {
    guard !touched.isEmpty else { return }
    let head = try db.cachedStatement(sql: "SELECT priority, position FROM downloads WHERE \(Lane.scope)")
    let write = try db.cachedStatement(
      sql: """
        INSERT INTO lanes VALUES (?, ?, ?, ?)
        ON CONFLICT (host, kind) DO UPDATE SET priority = excluded.priority, position = excluded.position
        WHERE priority <> excluded.priority OR position <> excluded.position
        """)
    let clear = try db.cachedStatement(sql: "DELETE FROM lanes WHERE host = ? AND kind = ?")
    // In any order: each lane is another row.
    for lane in touched {
      if let place = try StoredPlace.fetchAll(head, arguments: [lane.host, lane.kind]).first {
        try write.execute(arguments: [lane.host, lane.kind, place.priority, place.position])
      } else {
        try clear.execute(arguments: [lane.host, lane.kind])
      }
    }
    touched = []
  }

  /// Makes all lanes anew. Cost: all admissible rows.
  func rebuild(in db: Database) throws {
    forgetAll()
    try db.cachedStatement(sql: "DELETE FROM lanes").execute()
    try db.cachedStatement(sql: Lane.fill).execute()
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
