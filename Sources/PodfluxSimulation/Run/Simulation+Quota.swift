import PodfluxCore

/// A storage quota that stays for a while when faults have stopped.
extension Simulation {
  /// How long it stays, in milliseconds: what waits for room is looked at each quarter of an hour.
  private static let quotaMilliseconds: Int64 = 2 * 3_600_000

  /// Everything that has room under the quota must come, and what waits must need more. Then the quota is lifted.
  func holdQuota(_ world: World) throws {
    guard let quota = world.heldQuota else { return }
    let (begin, turns) = (world.now, world.turns)
    while world.now - begin < Self.quotaMilliseconds || !world.scheduler.hasOnlyAlarms, try world.step() {
      guard world.turns - turns < Self.turnsToRest, world.now - begin < Self.millisecondsToRest else {
        throw Violation(.liveness, "under a quota of \(quota) there is no rest after \(world.turns - turns) turns")
      }
    }
    try world.checker.checkWaitsForQuota(of: quota)
    world.heldQuota = nil
    try set(quota: 0, in: world)
  }
}

extension World {
  /// Draws a quota that some of the downloads do not fit into, and each alone does.
  func drawQuota() {
    guard options.faults.contains(.rules), random.once(in: 4) else { return }
    let lengths = origins.map { Int64($0.current.length) }
    heldQuota = max(lengths.max() ?? 0, lengths.reduce(0, +) / 2)
  }

  /// The quota that stays.
  var heldQuotaPatch: SettingsPatch? {
    guard let heldQuota else { return nil }
    var patch = SettingsPatch()
    patch.storageQuotaBytes = heldQuota
    return patch
  }
}
