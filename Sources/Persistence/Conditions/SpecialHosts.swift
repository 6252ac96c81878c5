import GRDB
import PodfluxCore

/// The hosts whose downloads clients see in another state than on most hosts, because an obstacle blocks them, or
/// blocks only the others.
struct SpecialHosts {
  /// Hosts that share the same obstacles.
  struct Group {
    let kind: Obstacles.HostGroup
    /// Sorted.
    let hosts: [String]
  }

  /// In a fixed order; empty if the obstacles make no difference.
  let groups: [Group]

  /// Finds the hosts that the trait counts contain. Cost: a look-up for each host on loopback, if the path is an
  /// obstacle.
  init(_ obstacles: Obstacles, in db: Database) throws {
    let onLoopback = obstacles.dependsOnHost ? try Self.hostsOnLoopback(in: db).filter { !obstacles.needsPath($0) } : []
    let hosts = Dictionary(grouping: Set(obstacles.cooldowns.keys).union(onLoopback)) { host in
      // Without an obstacle on the path it does not matter whether the host needs one.
      var kind = obstacles.group(of: host)
      kind.needsPath = kind.needsPath || !obstacles.dependsOnHost
      return kind
    }
    groups = Self.kinds.filter { !obstacles.makesNoDifference(to: $0) }.compactMap { kind in
      hosts[kind].map { Group(kind: kind, hosts: $0.sorted()) }
    }
  }

  private static let kinds = [(true, true), (false, false), (false, true)].map {
    Obstacles.HostGroup(needsPath: $0, isCooling: $1)
  }

  /// The prefixes of hosts on loopback; the core's own rule decides on each such host.
  private static let loopbackBeginnings = ["127.", "[::1", "localhost"]

  private static func hostsOnLoopback(in db: Database) throws -> [String] {
    let sql = DistinctValues.select("host", of: "facets", in: (first: "?1", end: "?2"))
    return try loopbackBeginnings.flatMap { beginning in
      // After all hosts with this prefix; hosts are ASCII.
      try String.fetchAll(db.cachedStatement(sql: sql), arguments: [beginning, beginning + "\u{7F}"])
    }.filter(WebAddress.isLoopback)
  }
}

extension Obstacles {
  /// Whether downloads look the same on hosts of this group as on most hosts.
  fileprivate func makesNoDifference(to kind: HostGroup) -> Bool {
    Origin.allCases.allSatisfy { origin in
      NetworkPolicy.allCases.allSatisfy { policy in
        reason(for: policy, of: origin, on: kind) == reason(for: policy, of: origin, on: .ordinary)
      }
    }
  }
}
