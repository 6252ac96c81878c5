import GRDB
import PodfluxCore

/// Keeps the `lanes` table true: for each host its first admissible download.
///
/// Hosts are noted as rows change and looked at once, before the lanes are read or the transaction ends.
/// Owned by one connection and used on its queue only.
final class Lanes {
  /// Of how many hosts it is remembered between transactions what was offered.
  private static let rememberedHosts = 4096

  private var touched: Set<String> = []
  /// The best rank that was offered for a host since it was last touched: what comes behind it changes no lane.
  private var offered: [String: Download.Rank] = [:]

  /// Notes that a download of this host was added, changed or removed.
  func touch(_ host: String) {
    touched.insert(host)
    offered[host] = nil
  }

  /// Takes in that a download of this rank has been added: it is the first of its host, or changes nothing.
  func offer(_ rank: Download.Rank, on host: String, in db: Database) throws {
    guard !touched.contains(host), offered[host].map({ rank.precedes($0) }) ?? true else { return }
    offered[host] = rank
    let write = try db.cachedStatement(
      sql: """
        INSERT INTO lanes VALUES (?, ?, ?)
        ON CONFLICT (host) DO UPDATE SET priority = excluded.priority, position = excluded.position
        WHERE (excluded.priority, excluded.position) < (priority, position)
        """)
    try write.execute(arguments: [host, rank.priority.code, rank.position])
  }

  /// Forgets what was noted: the transaction has ended.
  func reset() {
    touched = []
    if offered.count > Self.rememberedHosts { offered = [:] }
  }

  /// Forgets all that it knows of the table: the transaction was undone, or all lanes are made anew.
  func forgetAll() {
    touched = []
    offered = [:]
  }

  /// The host whose first admissible download comes before all others'. Cost: the excluded hosts that come before it.
  func first(excluding hosts: Set<String>, in db: Database) throws -> String? {
    try refresh(in: db)
    let statement = try db.cachedStatement(sql: "SELECT host FROM lanes ORDER BY priority, position")
    let lanes = try String.fetchCursor(statement)
    while let host = try lanes.next() {
      if !hosts.contains(host) { return host }
    }
    return nil
  }

  /// Brings the lanes of the touched hosts up to date.
  func refresh(in db: Database) throws {
    guard !touched.isEmpty else { return }
    let head = try db.cachedStatement(
      sql: """
        SELECT priority, position FROM downloads WHERE host = ? AND state = 'queued' AND held = 0
        ORDER BY priority, position LIMIT 1
        """)
    let write = try db.cachedStatement(
      sql: """
        INSERT INTO lanes VALUES (?, ?, ?)
        ON CONFLICT (host) DO UPDATE SET priority = excluded.priority, position = excluded.position
        WHERE priority <> excluded.priority OR position <> excluded.position
        """)
    let clear = try db.cachedStatement(sql: "DELETE FROM lanes WHERE host = ?")
    for host in touched.sorted() {
      if let row = try Row.fetchOne(head, arguments: [host]) {
        try write.execute(arguments: [host, row["priority"] as Int, row["position"] as Int64])
      } else {
        try clear.execute(arguments: [host])
      }
    }
    touched = []
  }

  /// Makes all lanes anew. Cost: all admissible rows.
  func rebuild(in db: Database) throws {
    forgetAll()
    try db.cachedStatement(sql: "DELETE FROM lanes").execute()
    try db.cachedStatement(
      sql: """
        INSERT INTO lanes SELECT host, priority, position FROM (
          SELECT host, priority, position, row_number() OVER (PARTITION BY host ORDER BY priority, position) AS place
          FROM downloads WHERE state = 'queued' AND held = 0)
        WHERE place = 1
        """
    ).execute()
  }
}

extension Download.Rank {
  /// Whether it stands before another in the queue.
  fileprivate func precedes(_ other: Self) -> Bool {
    (priority.code, position) < (other.priority.code, other.position)
  }
}
