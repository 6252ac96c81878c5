import Flux

/// A condition that keeps a queued download from running. It ends without an action on the download.
///
/// ```swift
/// if case .storage(let shortBytes) = item.obstacle { print("free", shortBytes, "bytes") }
/// ```
public enum Obstacle: Hashable, Sendable {
  /// The machine is offline.
  case network
  /// The path is cellular or metered, and the download's policy forbids that.
  case policy
  /// The month's cellular budget is spent.
  case budget(SpentBudget)
  /// No window of the schedule is open; the next one opens at `until`, nil if none does.
  case schedule(until: Timestamp?)
  /// Each of the downloads that wait for storage lacks at least this many free bytes.
  case storage(shortBytes: Int64)
  /// The host is in cooldown.
  case host(until: Timestamp)
  /// The session is not open.
  case auth(Session.Key)

  /// The reason that clients see.
  public var reason: WaitingReason {
    switch self {
    case .network: .network
    case .policy: .policy
    case .budget: .budget
    case .schedule: .schedule
    case .storage: .storage
    case .host: .host
    case .auth: .auth
    }
  }
}

extension Obstacle {
  /// How many downloads may wait for storage at once, each with its own need. From this number on others wait with
  /// them (`LackOfRoom`): not every one of a million downloads must find that there is no room.
  package static let roomlessLimit = 64
  /// How many of those that wait are looked at. There may be more than the limit of each kind: attempts find out while
  /// they run.
  package static let roomlessRead = 4 * roomlessLimit
}

/// How many downloads wait for storage, and what that is to the others.
///
/// What rules want and the quota leaves no room for stops nothing but what rules want: a full disk stops all, and so
/// does what persons have asked for, which comes before what rules want.
package struct LackOfRoom: Hashable, Sendable {
  /// A group of waiting downloads: their number, and the smallest number of bytes that one of them lacks.
  private struct Kind: Hashable {
    var count = 0
    var shortBytes: Int64?

    var obstacle: Obstacle? { count < Obstacle.roomlessLimit ? nil : .storage(shortBytes: shortBytes ?? 0) }
  }

  private var ofAll = Kind()
  private var ofRules = Kind()

  /// Nothing waits.
  package init() {}

  /// How these waiting downloads obstruct queued ones.
  ///
  /// - Parameters:
  ///   - waiting: The downloads that wait for storage.
  ///   - lacksQuota: Whether the quota leaves no room for one of them; else the disk has none.
  package init(of waiting: [Download], lacksQuota: (Download) -> Bool) {
    for download in waiting { add(download, lacksQuota: lacksQuota(download)) }
  }

  /// Counts a waiting download.
  ///
  /// - Parameter lacksQuota: Whether the quota leaves no room for it; else the disk has none.
  mutating func add(_ download: Download, lacksQuota: Bool) {
    guard case .waiting(let waiting) = download.state else { return }
    let kind = lacksQuota && download.origin == .auto ? \Self.ofRules : \Self.ofAll
    self[keyPath: kind].count += 1
    let known = [self[keyPath: kind].shortBytes, waiting.error.shortBytes].compactMap(\.self)
    self[keyPath: kind].shortBytes = known.min()
  }

  /// The obstacle for all others; nil if not too many wait.
  package var obstacle: Obstacle? { ofAll.obstacle }

  /// The obstacle for what rules want; nil if not too much of it waits for the quota.
  package var obstacleOfRules: Obstacle? { ofRules.obstacle }
}

/// The month's cellular budget, which is spent (`Settings.cellularBudgetBytesPerMonth`).
///
/// ```swift
/// if case .budget(let budget) = item.obstacle { print(budget.usedBytes, "of", budget.budgetBytes, "bytes") }
/// ```
public struct SpentBudget: Hashable, Sendable {
  /// The bytes received this month.
  public var usedBytes: Int64
  public var budgetBytes: Int64
  /// When the next month begins.
  public var until: Timestamp

  package init(usedBytes: Int64, budgetBytes: Int64, until: Timestamp) {
    self.usedBytes = usedBytes
    self.budgetBytes = budgetBytes
    self.until = until
  }
}

/// All current obstacles. They are not stored in rows: a new path changes none of a million rows.
///
/// If several apply to a download, clients see the first of: the path's, the common one, the host's, the session's.
package struct Obstacles: Hashable, Sendable {
  /// The path's obstacle for downloads that may use unmetered paths only.
  package var unmetered: Obstacle?
  /// The path's obstacle for downloads that may use all paths.
  package var any: Obstacle?
  /// The obstacle of all downloads, whether they need a path or not.
  package var all: Obstacle?
  /// The obstacle of what rules want, and of nothing else: too much of it waits for the storage quota.
  package var rules: Obstacle?
  /// The policies of downloads without their own policy.
  package var classes: NetworkClasses
  /// The hosts in cooldown, with its end.
  package var cooldowns: [String: Timestamp]
  /// Hosts on loopback that need a path because they have redirected to another machine.
  package var departing: Set<String>
  /// The sessions that are not open: their requests wait.
  package var parked: Set<Session.Key>

  package init(
    unmetered: Obstacle? = nil, any: Obstacle? = nil, all: Obstacle? = nil, rules: Obstacle? = nil,
    classes: NetworkClasses = .init(), cooldowns: [String: Timestamp] = [:], departing: Set<String> = [],
    parked: Set<Session.Key> = []
  ) {
    self.unmetered = unmetered
    self.any = any
    self.all = all
    self.rules = rules
    self.classes = classes
    self.cooldowns = cooldowns
    self.departing = departing
    self.parked = parked
  }

  /// The obstacle of a download that would run otherwise.
  package func obstacle(for download: Download) -> Obstacle? {
    guard download.state == .queued else { return nil }
    return obstacle(for: download.lane)
  }

  /// The obstacle of a lane's downloads.
  package func obstacle(for lane: QueueLane) -> Obstacle? { obstacle(ignoringSession: lane) ?? auth(lane.session) }

  /// The same, apart from that of their session.
  func obstacle(ignoringSession lane: QueueLane) -> Obstacle? {
    obstacle(for: lane.policy, of: lane.origin, needsPath: needsPath(lane.host))
      ?? cooldowns[lane.host].map { .host(until: $0) }
  }

  /// The obstacle of requests that belong to a session.
  func auth(_ session: Session.Key?) -> Obstacle? {
    session.flatMap { parked.contains($0) ? .auth($0) : nil }
  }

  /// The obstacle of queued downloads with this origin and policy, ignoring cooldowns and sessions.
  package func obstacle(for policy: NetworkPolicy, of origin: Origin, needsPath: Bool) -> Obstacle? {
    let ofPath = needsPath ? isUnmeteredOnly(policy, origin) ? unmetered : any : nil
    return ofPath ?? all ?? (origin == .auto ? rules : nil)
  }

  /// Whether downloads with this origin and policy may not use cellular or metered paths.
  package func isUnmeteredOnly(_ policy: NetworkPolicy, _ origin: Origin) -> Bool {
    switch policy {
    case .inherit: classes[origin] != .any
    case .unmetered: true
    case .any: false
    }
  }

  /// Whether reaching a host needs a path.
  package func needsPath(_ host: String) -> Bool {
    departing.contains(host) || !WebAddress.isLoopback(host)
  }

  /// What stands in the way of a request of the class `artwork`, ignoring cooldowns.
  package func artworkObstacle(on host: String) -> Obstacle? {
    guard needsPath(host) else { return nil }
    return classes.artwork == .any ? any : unmetered
  }

  /// Which way the connections of a request of the class `artwork` may take, if nothing stands in its way.
  package func artworkRoute(to host: String, over path: NetworkPath) -> Route {
    guard needsPath(host) else { return .loopback }
    return classes.artwork == .any ? .any : path.device.map(Route.only) ?? .any
  }

  /// Whether obstacles depend on the host, apart from cooldowns.
  package var dependsOnHost: Bool { unmetered != nil || any != nil }
}

extension Obstacles {
  /// Hosts that share the same obstacles.
  package struct HostGroup: Hashable, Sendable {
    /// Whether reaching them needs a path.
    package var needsPath: Bool
    /// Whether they are in cooldown.
    package var isCooling: Bool

    package init(needsPath: Bool, isCooling: Bool) {
      self.needsPath = needsPath
      self.isCooling = isCooling
    }

    /// Most hosts: they need a path and are not in cooldown.
    package static let ordinary = HostGroup(needsPath: true, isCooling: false)
  }

  package func group(of host: String) -> HostGroup {
    HostGroup(needsPath: needsPath(host), isCooling: cooldowns[host] != nil)
  }

  /// Why queued downloads with this origin and policy wait on a group of hosts, with any session; nil if they may
  /// run.
  package func reason(for policy: NetworkPolicy, of origin: Origin, on group: HostGroup) -> WaitingReason? {
    obstacle(for: policy, of: origin, needsPath: group.needsPath)?.reason ?? (group.isCooling ? .host : nil)
  }

  /// The traits as clients see them: a queued download behind an obstacle waits.
  package func visible(_ traits: Traits, on group: HostGroup) -> Traits {
    guard traits.kind == .queued,
      let reason = reason(for: traits.network, of: traits.origin, on: group) ?? auth(traits.session)?.reason
    else { return traits }
    var visible = traits
    visible.kind = .waiting
    visible.reason = reason
    return visible
  }
}
