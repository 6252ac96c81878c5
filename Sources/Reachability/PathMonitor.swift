import PodfluxCore

/// Follows the path by which the machine reaches the network, and tells its changes.
///
/// It hears from the kernel (rtnetlink(7)) and, where it runs, from NetworkManager, and polls neither. A loss is told at
/// once, a gain when it has lasted for half a second.
public final class PathMonitor: Sendable {
  /// The path when the monitor was made.
  public let initial: NetworkPath

  private let loop: PathLoop

  /// Opens the socket and reads everything once. It belongs to the network namespace of the calling thread.
  ///
  /// Waits for NetworkManager for 300 ms at most; what it says later counts then.
  ///
  /// - Parameters:
  ///   - overrides: What the operator says of links.
  ///   - report: Called for each change, one after the other, on the monitor's thread or within `catchUp()`. It must be
  ///     quick, and must not call the monitor: the monitor waits for it.
  /// - Throws: `ReachabilityError`.
  public convenience init(
    overrides: LinkOverrides, report: @escaping @Sendable (NetworkPath) -> Void
  ) throws {
    try self.init(overrides: overrides, sysfs: SysfsLinks(), bus: .system, report: report)
  }

  /// The same with another sysfs and another bus, for tests.
  init(
    overrides: LinkOverrides, sysfs: SysfsLinks, bus: MeteredWatch.Bus,
    report: @escaping @Sendable (NetworkPath) -> Void
  ) throws {
    loop = try PathLoop(overrides: overrides, sysfs: sysfs, bus: bus, report: report)
    initial = loop.told
  }

  deinit {
    loop.stop()
  }

  /// Begins to report changes, those since the monitor was made included; to be called once.
  public func start() {
    loop.start()
  }

  /// Takes in at once what the kernel has told by now, and returns when a loss that follows from it has been reported.
  ///
  /// Called before a transfer's failure is told, so that the loss of a path is known before the failure that it caused.
  /// Microseconds where nothing has changed. Does nothing before `start()` and after `stop()`.
  public func catchUp() {
    loop.catchUp()
  }

  /// Ends: nothing is reported any more when this returns.
  public func stop() {
    loop.stop()
  }
}
