import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

/// Compares derived tables with the rows.
extension RandomLibrary {
  func checkTables() throws {
    try checkCountTables()
    try checkRows()
    try checkUsage()
    try checkLanes()
  }

  private func checkCountTables() throws {
    let seed = seed
    try database.withConnection { db in
      for (table, columns, made, keys) in [
        ("facets", "podcast, host, class, number", "coalesce(podcast, 0), host, class, count(*)", "1, 2, 3"),
        ("class_counts", "class, number", "class, count(*)", "1"),
      ] {
        let rows = "SELECT \(made) FROM downloads GROUP BY \(keys)"
        let difference = try Row.fetchAll(
          db,
          sql: """
            SELECT * FROM (\(rows) EXCEPT SELECT \(columns) FROM \(table))
            UNION ALL SELECT * FROM (SELECT \(columns) FROM \(table) EXCEPT \(rows))
            """)
        #expect(difference.isEmpty, "seed \(seed): \(table) \(difference)")
      }
      try db.execute(sql: "INSERT INTO texts (texts) VALUES ('integrity-check')")
      let (words, expected) = (try TextWords.indexed(db), try TextWords.expected(db))
      #expect(words == expected, "seed \(seed)")
    }
  }

  private func checkRows() throws {
    let (seed, today) = (seed, oracle.today)
    let stored = try database.withConnection { db in
      try Row.fetchAll(db, sql: "SELECT id, class, length FROM downloads ORDER BY key")
    }
    #expect(stored.map { $0["id"] as String } == oracle.downloads.map(\.id.description), "seed \(seed)")
    for (row, download) in zip(stored, oracle.downloads) {
      let traits = try PackedTraits(code: row["class"]).traits()
      #expect(traits == Traits(of: download, on: today), "seed \(seed): \(download)")
      #expect(traits.network == oracle.effective(of: download) ?? .inherit, "seed \(seed): \(download)")
      #expect(row["length"] as Int64? == oracle.length(download), "seed \(seed): \(download)")
      #expect(try database.read { try $0.download(download.id) }?.networks == download.networks, "seed \(seed)")
    }
  }

  private func checkUsage() throws {
    // A length counts as at most 1 PiB.
    let expected = oracle.downloads.reduce(Int64(0)) { sum, download in
      if case .completed(let file) = download.state {
        sum + min(file.length, 1 << 50)
      } else {
        sum + min(download.progress.durable, 1 << 50)
      }
    }
    let bytes = try ledger.transaction { try $0.downloads.storedBytes() }
    #expect(bytes == expected, "seed \(seed)")
  }

  /// The key of a lane, and its head.
  private struct Head: Hashable {
    let lane: QueueKey
    let priority: Int
    let position: Int64
  }

  private func checkLanes() throws {
    let lanes = Dictionary(grouping: oracle.downloads.filter(\.isAdmissible)) { download in
      QueueKey(host: download.source.host, PackedTraits(Traits(of: download, on: oracle.today)))
    }
    let expected = lanes.compactMap { lane, downloads in
      downloads.map(\.rank).min { ($0.priority.code, $0.position) < ($1.priority.code, $1.position) }
        .map { Head(lane: lane, priority: $0.priority.code, position: $0.position) }
    }
    let stored = try database.withConnection { db in
      try Row.fetchAll(db, sql: "SELECT host, kind, priority, position FROM lanes").map { row in
        Head(
          lane: QueueKey(host: row["host"], PackedTraits(code: row["kind"])), priority: row["priority"],
          position: row["position"])
      }
    }
    #expect(stored.count == expected.count && Set(stored) == Set(expected), "seed \(seed)")
  }

  /// Checks the scheduler's queries.
  func checkScheduling() throws {
    let (oracle, obstacles) = (oracle, oracle.moment.obstacles)
    var asked: [String] = []
    let (next, roomless) = try ledger.transaction { tables in
      let next = try tables.downloads.nextAdmissible { lane in
        asked.append("\(lane)")
        return obstacles.obstacle(for: lane) == nil
      }
      return (next, try tables.downloads.waitingForStorage(limit: 3))
    }
    let free = oracle.downloads.filter { $0.isAdmissible && oracle.state(of: $0).kind == .queued }
    let first = free.map(\.rank).min { ($0.priority.code, $0.position) < ($1.priority.code, $1.position) }
    // Several may have the same position.
    #expect(next?.rank == first, "seed \(seed): \(obstacles)")
    #expect(next.map { free.map(\.id).contains($0.id) } ?? true, "seed \(seed): \(obstacles)")
    #expect(Set(asked).count == asked.count, "seed \(seed): a lane is asked for once")
    let waiting = oracle.downloads.filter { if case .waiting(.storage) = $0.state { true } else { false } }
    // All of them are due at the same time.
    #expect(roomless.map(\.id) == waiting.prefix(3).map(\.id), "seed \(seed)")
  }
}
