import Dispatch
import Foundation
import Synchronization

/// Tells the service manager that started the engine how it is: the datagrams of sd_notify(3), without its library.
///
/// Who runs the engine by hand gets none: `takeFromEnvironment()` is nil where nobody asked to be told. What cannot be
/// delivered is lost; the engine goes on without.
final class Notifier: Sendable {
  private let socket: Int32
  private let address: Address
  /// How often the manager wants to hear that the engine is alive; nil if it does not.
  private let watchdogInterval: Duration?
  private let queue = DispatchQueue(label: "podflux.notifier", qos: .userInitiated)
  private let watchdog = Mutex(Watchdog())

  private struct Watchdog {
    var timer: (any DispatchSourceTimer)?
    /// Whether the engine has been asked and has not answered.
    var isAsking = false
  }

  /// How long a manager whose queue is full is waited for.
  private static let sendTimeout = timeval(tv_sec: 1, tv_usec: 0)

  /// The variables that a service manager sets, sd_notify(3) and sd_watchdog_enabled(3).
  private static let socketVariable = "NOTIFY_SOCKET"
  private static let intervalVariable = "WATCHDOG_USEC"
  private static let processVariable = "WATCHDOG_PID"

  /// Reads what the service manager set, and removes it: no child shall speak for this process.
  ///
  /// To be called before there are other threads, as whatever changes the environment.
  static func takeFromEnvironment() -> Notifier? {
    let notifier = Notifier(environment: ProcessInfo.processInfo.environment)
    for name in [socketVariable, intervalVariable, processVariable] { unsetenv(name) }
    return notifier
  }

  /// Nil where these variables name no socket that can be one.
  init?(environment: [String: String]) {
    guard let name = environment[Self.socketVariable], let address = Address(name) else { return nil }
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
    // Half of it, as sd_watchdog_enabled(3) advises: one that is late is no death yet.
    return .microseconds(max(1, microseconds / 2))
  }

  // MARK: What is told

  /// The engine takes actions.
  func ready() {
    send("READY=1\nMAINPID=\(getpid())")
  }

  /// One line for people: `systemctl status` shows it.
  func status(_ text: String) {
    send("STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " "))
  }

  /// The engine has begun to stop.
  func stopping() {
    send("STOPPING=1")
  }

  /// Begins to tell that the engine is alive, if the manager wants to know. Asks `isAlive` at half the manager's time; it
  /// calls what it is given, from where the engine works. Nobody is told before it has, and nobody is asked twice.
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

  /// Tells no more that the engine is alive.
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
      // The engine does not wait for the manager.
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

/// A socket of the file system, or an abstract one: unix(7).
private struct Address {
  private let name: [UInt8]

  private static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  /// Nil for what is no absolute path and no abstract name (`@…`), or is too long.
  init?(_ text: String) {
    var name = Array(text.utf8)
    guard text.hasPrefix("/") || text.hasPrefix("@"), (2..<Self.maximumLength).contains(name.count) else { return nil }
    if text.hasPrefix("@") { name[0] = 0 }
    self.name = name
  }

  func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    // An abstract name ends with the length, not with a NUL.
    let length = MemoryLayout<sockaddr_un>.size - Self.maximumLength + name.count + (name[0] == 0 ? 0 : 1)
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }
}

extension Duration {
  fileprivate var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .microseconds(Int(clamping: seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000))
  }
}
