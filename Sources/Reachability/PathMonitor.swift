import PodfluxCore

/// Follows the machine's network path and reports its changes.
///
/// It receives notifications from the kernel (rtnetlink(7)) and, if it runs, from NetworkManager, and polls neither. It
/// reports a loss at once, and a gain after half a second.
package final class PathMonitor: Sendable {
  /// The path at the monitor's creation.
  package let initial: NetworkPath

  private let loop: PathLoop

  /// Opens the sockets and reads the initial state. The monitor belongs to the network namespace of the calling thread.
  ///
  /// Waits for NetworkManager for 300 ms at most; a later answer counts when it comes.
  ///
  /// - Parameters:
  ///   - overrides: The operator's overrides for links.
  ///   - report: Receives each change, one after the other, on the monitor's thread or within `catchUp()`. It must be
  ///     quick, and must not call the monitor, which waits for it.
  /// - Throws: `ReachabilityError`.
  package convenience init(
    overrides: LinkOverrides, report: @escaping @Sendable (NetworkPath) -> Void
  ) throws {
    try self.init(overrides: overrides, sysfs: SysfsLinks(), bus: .system, report: report)
  }

  /// The same with another sysfs and bus, for tests.
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

  /// Starts to report changes, including those since init. Call it once.
  package func start() {
    loop.start()
  }

  /// The device to which a connection to an address is to be bound that may use unmetered links only; nil for none,
  /// because the address is this machine's own.
  ///
  /// That is the device which the kernel would choose for an unbound socket, by all rules and routing tables, if it is
  /// neither cellular nor metered, and no other way out of the machine: a VPN, also of a table of its own, a
  /// container's bridge, a second network. Else it is the path's own: what leads over a metered link alone is not
  /// reached so. Takes some microseconds.
  ///
  /// - Parameters:
  ///   - address: 4 or 16 bytes in network byte order.
  ///   - device: The path's device.
  package func device(towards address: [UInt8], insteadOf device: String) -> String? {
    loop.device(towards: address, insteadOf: device)
  }

  /// Handles the kernel's pending notifications, and returns after a resulting loss has been reported.
  ///
  /// Attempts call it before they report a failure, so that the engine learns of a path's loss before the failure that
  /// it caused. Takes microseconds if nothing has changed. Does nothing before `start()` and after `stop()`.
  package func catchUp() {
    loop.catchUp()
  }

  /// Stops the monitor: it reports nothing after this returns.
  package func stop() {
    loop.stop()
  }
}
