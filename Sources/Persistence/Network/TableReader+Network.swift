import Flux
import GRDB
import PodfluxCore

/// Reads the network state and its obstacles.
extension TableReader {
  /// The stored network state; the path is unknown if no engine has run yet.
  package func network() throws -> NetworkState {
    try SingleRow.network.read(from: db) ?? NetworkState()
  }

  /// The obstacles as far as the tables contain them, for readers without an engine.
  ///
  /// Only a running engine knows which hosts on loopback have redirected to other hosts.
  package func obstacles(now: Timestamp) throws -> Obstacles {
    let (settings, network) = (try settings(), try network())
    return network.obstacles(
      settings: settings, schedule: ScheduleVerdict(of: settings.schedule, at: now, in: network.localTime),
      lack: try lackOfRoom(settings), cooldowns: try cooldowns().filter { $0.value > now }, departing: [],
      parked: SessionsStore(sessions: try sessions()).view.unusable(at: now), now: now)
  }

  /// How the downloads that wait for storage obstruct queued ones.
  private func lackOfRoom(_ settings: Settings) throws -> LackOfRoom {
    let (table, quota) = (table, settings.storageQuotaBytes)
    let left = quota > 0 ? quota - (try table.storedBytes()) : .max
    return LackOfRoom(of: try table.waitingForStorage(limit: Obstacle.roomlessRead)) { left < $0.neededBytes }
  }

  // MARK: Counts

  /// The number of downloads in each state as clients see it: a queued download behind an obstacle counts as waiting.
  ///
  /// Cost: the classes, and the combinations of podcast and traits on special hosts.
  package func visibleCounts(_ obstacles: Obstacles) throws -> [DownloadState.Kind: Int] {
    try visibleStates(obstacles).reduce(into: [:]) { $0[$1.key.kind, default: 0] += $1.value }
  }

  /// The same, with the reason for which those that wait do. Costs the same.
  package func visibleStates(_ obstacles: Obstacles) throws -> [VisibleState: Int] {
    var counts: [VisibleState: Int] = [:]
    let all = "SELECT \(Self.visibleTraits), sum(number) AS \"class_counts.number\" FROM class_counts GROUP BY 1"
    for row in try CountedClass.fetchAll(db.cachedStatement(sql: all)) {
      counts[VisibleState(obstacles.visible(try row.row.traits(), on: .ordinary)), default: 0] += row.number
    }
    // No obstacle changes another state than queued.
    let kind = PackedTraits.Field.kind
    let queued = """
      SELECT \(Self.visibleTraits), sum(number) AS "facets.number" FROM facets
      WHERE host IN (SELECT value FROM json_each(?)) AND class & \(kind.mask) = ? GROUP BY 1
      """
    for group in try SpecialHosts(obstacles, in: db).groups {
      let rows = try CountedClass.fetchAll(
        db.cachedStatement(sql: queued),
        arguments: [
          try ConditionSQL.list(group.hosts), kind.place(DownloadState.Kind.queued.rowCode),
        ])
      for row in rows {
        let traits = try row.row.traits()
        counts[VisibleState(obstacles.visible(traits, on: .ordinary)), default: 0] -= row.number
        counts[VisibleState(obstacles.visible(traits, on: group.kind)), default: 0] += row.number
      }
    }
    return counts
  }

  /// The bits of a class that determine the state that clients see.
  private static let visibleTraits = {
    let fields = [
      PackedTraits.Field.kind, PackedTraits.Field.reason, PackedTraits.Field.origin, PackedTraits.Field.network,
      PackedTraits.Field.session,
    ]
    return "class & \(fields.reduce(0) { $0 | $1.mask }) AS class"
  }()
}

/// A class and its number of rows.
private struct CountedClass: StatementRow {
  let row: PackedTraits
  let number: Int

  init(_ columns: inout ColumnReader) throws {
    row = PackedTraits(code: try columns.next())
    number = Int(try columns.next(.count))
  }
}
