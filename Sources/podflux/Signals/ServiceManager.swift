import Dispatch
import Foundation
import Synchronization

/// Reports the engine's status to the service manager that started it: the datagrams of sd_notify(3), without its
/// library.
///
/// Without a service manager `takeFromEnvironment()` is nil. A lost datagram has no effect on the engine.
final class Notifier: Sendable {
  private let socket: Int32
  private let address: UnixAddress
  /// The interval in which the manager expects a sign of life; nil if it expects none.
  private let watchdogInterval: Duration?
  private let queue = DispatchQueue(label: "podflux.notifier", qos: .default)
  private let watchdog = Mutex(Watchdog())

  private struct Watchdog {
    var timer: (any DispatchSourceTimer)?
    /// Whether a check of the engine is pending.
    var isAsking = false
  }

  /// How long to wait for a manager whose queue is full.
  private static let sendTimeout = timeval(tv_sec: 1, tv_usec: 0)

  /// The variables that a service manager sets, sd_notify(3) and sd_watchdog_enabled(3).
  private static let socketVariable = "NOTIFY_SOCKET"
  private static let intervalVariable = "WATCHDOG_USEC"
  private static let processVariable = "WATCHDOG_PID"

  /// Reads the service manager's variables, and removes them: no child may report for this process.
  ///
  /// Call it before other threads exist, like every function that changes the environment.
  static func takeFromEnvironment() -> Notifier? {
    let notifier = Notifier(environment: ProcessInfo.processInfo.environment)
    for name in [socketVariable, intervalVariable, processVariable] { unsetenv(name) }
    return notifier
  }

  /// Nil if the variables name no valid socket.
  init?(environment: [String: String]) {
    guard let name = environment[Self.socketVariable], let address = UnixAddress(serviceManager: name) else {
      return nil
    }
    let socket = Foundation.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    var timeout = Self.sendTimeout
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    self.socket = socket
    self.address = address
    watchdogInterval = Self.watchdogInterval(environment)
  }

  deinit {
    stopWatchdog()
    close(socket)
  }

  private static func watchdogInterval(_ environment: [String: String]) -> Duration? {
    guard let microseconds = environment[intervalVariable].flatMap({ Int64($0) }), microseconds > 0 else { return nil }
    if let process = environment[processVariable], pid_t(process) != getpid() { return nil }
    // Half of it, as sd_watchdog_enabled(3) recommends: one late report must not count as a death.
    return .microseconds(max(1, microseconds / 2))
  }

  // MARK: What is told

  /// The engine accepts actions.
  func ready() {
    send("READY=1\nMAINPID=\(getpid())")
  }

  /// The process is about to end: nothing that takes long is left.
  func stopping() {
    send("STOPPING=1")
  }

  /// Starts the reports to the watchdog, if the manager wants them. Calls `isAlive` at half the manager's interval; it
  /// must call its argument from the engine's queue. Reports only after that, and has at most one check pending.
  func startWatchdog(_ isAlive: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    guard let watchdogInterval else { return }
    watchdog.withLock { [queue] watchdog in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now(), repeating: watchdogInterval.dispatchInterval)
      timer.setEventHandler { [weak self] in self?.ask(isAlive) }
      timer.activate()
      watchdog.timer = timer
    }
  }

  /// Ends the reports to the watchdog.
  func stopWatchdog() {
    watchdog.withLock { watchdog in
      watchdog.timer?.cancel()
      watchdog.timer = nil
    }
  }

  private func ask(_ isAlive: (@escaping @Sendable () -> Void) -> Void) {
    let mayAsk = watchdog.withLock { watchdog in
      defer { watchdog.isAsking = true }
      return !watchdog.isAsking
    }
    guard mayAsk else { return }
    isAlive { [weak self] in
      guard let self else { return }
      watchdog.withLock { $0.isAsking = false }
      // The engine must not wait for the manager.
      queue.async { self.send("WATCHDOG=1") }
    }
  }

  private func send(_ message: String) {
    let bytes = Array(message.utf8)
    address.withSocketAddress { address, length in
      _ = sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
    }
  }
}

extension Duration {
  fileprivate var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .microseconds(Int(clamping: seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000))
  }
}
