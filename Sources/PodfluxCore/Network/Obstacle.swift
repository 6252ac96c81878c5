import Flux

/// What keeps a download from running that would run otherwise. It goes by itself.
public enum Obstacle: Hashable, Sendable {
  /// There is no way to the network.
  case network
  /// The way there is cellular or metered, and the download may not use such a one.
  case policy
  /// As much as is allowed in this month has come over cellular.
  case budget(SpentBudget)
  /// No window of the schedule is open; the next one opens then, nil if none ever does.
  case schedule(until: Timestamp?)
  /// So many bytes more would have to be free for the first of those that wait for room.
  case storage(shortBytes: Int64)
  /// Its host wants to be left alone.
  case host(until: Timestamp)

  /// What clients read of it.
  public var reason: WaitingReason {
    switch self {
    case .network: .network
    case .policy: .policy
    case .budget: .budget
    case .schedule: .schedule
    case .storage: .storage
    case .host: .host
    }
  }
}

extension Obstacle {
  /// How many downloads may wait for room at once, each with its own need. When there are so many, all others wait with
  /// them: of a million downloads not each is to find out for itself that the disk is full.
  public static let roomlessLimit = 64

  /// What all others wait for, if too many of them wait for room; given the first of these.
  public static func lackOfRoom(for waiting: [Download]) -> Obstacle? {
    guard waiting.count >= roomlessLimit else { return nil }
    let short = waiting.compactMap { download in
      if case .waiting(let waiting) = download.state { waiting.error.shortBytes } else { nil }
    }
    return .storage(shortBytes: short.min() ?? 0)
  }
}

/// A month's budget that is used up.
public struct SpentBudget: Hashable, Sendable {
  /// How many bytes have come.
  public var usedBytes: Int64
  /// How many were allowed.
  public var budgetBytes: Int64
  /// When the next month begins.
  public var until: Timestamp

  /// Describes a budget that is used up.
  public init(usedBytes: Int64, budgetBytes: Int64, until: Timestamp) {
    self.usedBytes = usedBytes
    self.budgetBytes = budgetBytes
    self.until = until
  }
}

/// All obstacles of one moment. They are no part of the rows: a path that changes changes none of a million of them.
///
/// Where several stand in a download's way, the first of these is told: the path's, that of all downloads, its host's.
public struct Obstacles: Hashable, Sendable {
  /// What keeps downloads that may use unmetered paths only from the path that there is.
  public var unmetered: Obstacle?
  /// What keeps downloads that may use all paths from the path that there is.
  public var any: Obstacle?
  /// What keeps all downloads from running, whether they need a path or not.
  public var all: Obstacle?
  /// Which networks downloads may use that say nothing themselves.
  public var classes: NetworkClasses
  /// Hosts that are left alone, and until when.
  public var cooldowns: [String: Timestamp]
  /// Hosts on loopback that need a path all the same: they have led elsewhere.
  public var departing: Set<String>

  /// No obstacles, unless some are given.
  public init(
    unmetered: Obstacle? = nil, any: Obstacle? = nil, all: Obstacle? = nil, classes: NetworkClasses = .init(),
    cooldowns: [String: Timestamp] = [:], departing: Set<String> = []
  ) {
    self.unmetered = unmetered
    self.any = any
    self.all = all
    self.classes = classes
    self.cooldowns = cooldowns
    self.departing = departing
  }

  /// What keeps a download from running that would run otherwise.
  public func obstacle(for download: Download) -> Obstacle? {
    guard download.state == .queued else { return nil }
    return obstacle(for: download.networks.effective, of: download.origin, on: download.source.host)
  }

  /// What keeps queued downloads of an origin and a policy from running on a host.
  public func obstacle(for policy: NetworkPolicy, of origin: Origin, on host: String) -> Obstacle? {
    obstacle(for: policy, of: origin, needsPath: needsPath(host)) ?? cooldowns[host].map { .host(until: $0) }
  }

  /// The same, whatever hosts want.
  public func obstacle(for policy: NetworkPolicy, of origin: Origin, needsPath: Bool) -> Obstacle? {
    (needsPath ? isUnmeteredOnly(policy, origin) ? unmetered : any : nil) ?? all
  }

  /// Whether downloads of an origin and a policy may use neither cellular nor metered paths.
  public func isUnmeteredOnly(_ policy: NetworkPolicy, _ origin: Origin) -> Bool {
    switch policy {
    case .inherit: classes[origin] != .any
    case .unmetered: true
    case .any: false
    }
  }

  /// Whether a host can be reached over a path only.
  public func needsPath(_ host: String) -> Bool {
    departing.contains(host) || !WebAddress.isLoopback(host)
  }

  /// Whether it depends on the host, beside cooldowns, what stands in a download's way.
  public var dependsOnHost: Bool { unmetered != nil || any != nil }
}

extension Obstacles {
  /// Hosts that are alike to the obstacles.
  public struct HostGroup: Hashable, Sendable {
    /// Whether they can be reached over a path only.
    public var needsPath: Bool
    /// Whether they are left alone.
    public var isCooling: Bool

    /// Describes hosts.
    public init(needsPath: Bool, isCooling: Bool) {
      self.needsPath = needsPath
      self.isCooling = isCooling
    }

    /// Most hosts: a path leads to them, and they have not asked for anything.
    public static let ordinary = HostGroup(needsPath: true, isCooling: false)
  }

  /// The group of a host.
  public func group(of host: String) -> HostGroup {
    HostGroup(needsPath: needsPath(host), isCooling: cooldowns[host] != nil)
  }

  /// What queued downloads of an origin and a policy wait for, on hosts of a group; nil where they may run.
  public func reason(for policy: NetworkPolicy, of origin: Origin, on group: HostGroup) -> WaitingReason? {
    obstacle(for: policy, of: origin, needsPath: group.needsPath)?.reason ?? (group.isCooling ? .host : nil)
  }

  /// Traits as clients see them: what would run but for an obstacle waits.
  public func visible(_ traits: Traits, on group: HostGroup) -> Traits {
    guard traits.kind == .queued, let reason = reason(for: traits.network, of: traits.origin, on: group) else {
      return traits
    }
    var visible = traits
    visible.kind = .waiting
    visible.reason = reason
    return visible
  }
}
