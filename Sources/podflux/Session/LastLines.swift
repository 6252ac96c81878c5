import Dispatch

/// Lines that are still to be delivered when the engine has ended.
protocol LastLines {
  /// How many bytes the client has not taken.
  var bytesLeft: Int { get }
  /// Delivers what is left and takes nothing more; the group is empty when it has.
  func finish() -> DispatchGroup
}

/// The wait for clients to take their last lines: as long as they read, at any speed, so that every request gets its
/// reply; those that read nothing delay the end only for a time.
enum Farewell {
  /// How often to look whether clients have read, in milliseconds.
  private static let lookMilliseconds = 250
  /// How many looks to wait for clients that read nothing at all: 10 s.
  private static let idleLooks = 40
  /// How many looks to wait for clients after a signal has requested the end: one second of the two that the process
  /// has.
  private static let hurriedLooks = 4

  /// Delivers the last lines.
  ///
  /// - Parameter isHurried: Whether a signal has requested the end.
  static func deliver(_ outputs: [any LastLines], isHurried: () -> Bool) {
    let groups = outputs.map { $0.finish() }
    var bytes = outputs.reduce(0) { $0 + $1.bytesLeft }
    var (idle, hurried) = (0, 0)
    while !wait(for: groups) {
      let left = outputs.reduce(0) { $0 + $1.bytesLeft }
      idle = left < bytes ? 0 : idle + 1
      bytes = left
      hurried = isHurried() ? hurried + 1 : 0
      guard hurried > 0 ? hurried < hurriedLooks : idle < idleLooks else { return }
    }
  }

  /// Waits for all until the next look. Returns whether they are done.
  private static func wait(for groups: [DispatchGroup]) -> Bool {
    let look = DispatchTime.now() + .milliseconds(lookMilliseconds)
    return groups.allSatisfy { $0.wait(timeout: look) == .success }
  }
}
