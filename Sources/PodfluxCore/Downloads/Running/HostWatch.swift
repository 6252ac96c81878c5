import Flux

/// Hosts' cooldowns and redirects, as the downloads have found them.
struct HostWatch: Sendable {
  /// The end of each host's cooldown. Survives a restart.
  private(set) var cooldowns: [String: Timestamp]
  /// Hosts on loopback that have redirected to another machine: they need a path. Complete since the start.
  private(set) var departing: Set<String> = []

  /// Starts with the hosts of the table.
  init(cooldowns: [String: Timestamp]) {
    self.cooldowns = cooldowns
  }

  /// The hosts in cooldown at a time.
  func cooling(at now: Timestamp) -> [String: Timestamp] { cooldowns.filter { $0.value > now } }

  /// Notes that a host on loopback has redirected to another machine.
  mutating func noteDeparture(of host: String) { departing.insert(host) }

  /// Sets a host's cooldown, for all downloads: its server has reported overload, or a time to retry. An earlier end
  /// than the current one changes nothing.
  mutating func cool(_ host: String, until moment: Timestamp, in turn: borrowing StoreTurn<DownloadsStore>) throws {
    try endCooldowns(in: turn)
    let now = turn.now
    guard moment > cooldowns[host] ?? now else { return }
    cooldowns[host] = moment
    try turn.tables.save(cooldownOf: host, until: moment)
  }

  /// Removes cooldowns that have ended.
  mutating func endCooldowns(in turn: borrowing StoreTurn<DownloadsStore>) throws {
    let now = turn.now
    try endCooldowns(in: turn) { $0 <= now }
  }

  /// Removes cooldowns that end after a moment.
  mutating func endCooldowns(after latest: Timestamp, in turn: borrowing StoreTurn<DownloadsStore>) throws {
    try endCooldowns(in: turn) { $0 > latest }
  }

  /// Ends a host's cooldown. Returns whether there was one.
  mutating func endCooldown(of host: String, in turn: borrowing StoreTurn<DownloadsStore>) throws -> Bool {
    guard cooldowns.removeValue(forKey: host) != nil else { return false }
    try turn.tables.save(cooldownOf: host, until: nil)
    return true
  }

  private mutating func endCooldowns(in turn: borrowing StoreTurn<DownloadsStore>, where mayEnd: (Timestamp) -> Bool)
    throws
  {
    for host in cooldowns.filter({ mayEnd($0.value) }).keys.sorted() {
      cooldowns[host] = nil
      try turn.tables.save(cooldownOf: host, until: nil)
    }
  }
}
