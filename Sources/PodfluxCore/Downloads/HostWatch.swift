import Flux

/// What downloads have found out about hosts.
struct HostWatch: Sendable {
  /// Hosts that are not asked before a moment, because they have said so. Kept over a restart.
  private(set) var cooldowns: [String: Timestamp]
  /// Hosts on loopback that have led elsewhere: they need a path like others. As many as there were since the start.
  private(set) var departing: Set<String> = []

  /// Begins with the hosts that the table has.
  init(cooldowns: [String: Timestamp]) {
    self.cooldowns = cooldowns
  }

  /// The hosts that are not asked at a moment.
  func cooling(at now: Timestamp) -> [String: Timestamp] { cooldowns.filter { $0.value > now } }

  /// Notes that a host on loopback has led elsewhere.
  mutating func noteDeparture(of host: String) { departing.insert(host) }

  /// Leaves a host alone until a moment, for all downloads: its server has said that it is asked too much, or when to
  /// come again. An earlier moment than is known already changes nothing.
  mutating func cool(_ host: String, until moment: Timestamp, in turn: borrowing PodfluxTurn) throws {
    try endCooldowns(in: turn)
    let now = turn.now
    guard moment > cooldowns[host] ?? now else { return }
    cooldowns[host] = moment
    try turn.tables.save(cooldownOf: host, until: moment)
  }

  /// Forgets the moments that have passed.
  mutating func endCooldowns(in turn: borrowing PodfluxTurn) throws {
    let now = turn.now
    for host in cooldowns.filter({ $0.value <= now }).keys.sorted() {
      cooldowns[host] = nil
      try turn.tables.save(cooldownOf: host, until: nil)
    }
  }
}
