import CLinux
import Glibc
import PodfluxCore

/// Watches whether NetworkManager reports the connection as metered, over the system's D-Bus, if libsystemd, a bus and
/// NetworkManager exist.
///
/// Only `waitForAnswer` blocks, and it has a limit: a bus that hangs counts as one without an answer. It does not
/// reconnect a broken connection: a bus lives as long as the machine's session.
final class MeteredWatch: @unchecked Sendable {
  // `@unchecked`: the creating thread uses it until the loop's thread starts, and from then on only that thread.

  /// The address of the bus.
  enum Bus: Hashable, Sendable {
    /// The system bus at its standard address.
    case system
    /// A bus at another address, such as `unix:path=/tmp/bus`.
    case address(String)
    /// No bus.
    case none
  }

  /// Whether NetworkManager reports or guesses that the connection is metered: by its last answer that was not
  /// "unknown".
  private(set) var isMetered = false
  /// Whether an answer has come, or none is expected any more.
  private(set) var hasAnswered = false

  private var library: linux_bus_library
  /// The connection; nil after it broke.
  private var bus: UnsafeMutableRawPointer?
  private var asking = Asking.idle

  private enum Asking {
    case idle
    case waiting
    /// A property changed while a request was pending.
    case waitingToAskAgain
  }

  private static let service = "org.freedesktop.NetworkManager"
  private static let object = "/org/freedesktop/NetworkManager"
  /// NM_METERED_YES and NM_METERED_GUESS_YES.
  private static let meteredValues: Set<UInt32> = [1, 3]
  /// NM_METERED_UNKNOWN.
  private static let unknownValue: UInt32 = 0
  /// The timeout of a request.
  private static let answerMicroseconds: UInt64 = 5_000_000
  /// How many messages are handled before other events get their turn.
  private static let maximumBatch = 64

  /// Starts to connect. Nil without the library or a bus.
  init?(_ bus: Bus) {
    library = linux_bus_library()
    let opened =
      switch bus {
      case .none: ENOENT
      case _ where linux_bus_load(&library) != 0: ENOENT
      case .system: linux_bus_open(&library, nil, &self.bus)
      case .address(let address): linux_bus_open(&library, address, &self.bus)
      }
    guard opened == 0 else { return nil }
    let owner = "sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged'"
    let properties =
      "sender='\(Self.service)',path='\(Self.object)',interface='org.freedesktop.DBus.Properties',"
      + "member='PropertiesChanged'"
    guard watch(owner, ownerChanged), watch(properties, propertiesChanged) else {
      disconnect()
      return nil
    }
    ask()
  }

  deinit {
    disconnect()
  }

  /// Waits for the first answer, at most for the limit.
  func waitForAnswer(upTo limit: Duration) {
    let end = ContinuousClock.now + limit
    process()
    while !hasAnswered, bus != nil, ContinuousClock.now < end, var watched {
      let left = (end - ContinuousClock.now).waitMilliseconds
      let timeout = timeoutMilliseconds
      _ = poll(&watched, 1, timeout < 0 ? left : min(left, timeout))
      process()
    }
  }

  /// The descriptor to poll; nil after the connection broke.
  var watched: pollfd? {
    guard let bus else { return nil }
    let (descriptor, events) = (library.descriptor(bus), library.events(bus))
    guard descriptor >= 0, events >= 0 else { return nil }
    return pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
  }

  /// The milliseconds until `process()` must be called even if nothing arrives; -1 for never.
  var timeoutMilliseconds: Int32 {
    var moment = UInt64.max
    guard let bus, library.timeout(bus, &moment) >= 0, moment != .max else { return -1 }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    return moment <= now ? 0 : Int32(clamping: (moment - now + 999) / 1000)
  }

  /// Handles received messages and sends pending ones; does not block.
  func process() {
    for _ in 0..<Self.maximumBatch {
      guard let bus else { return }
      let result = library.process(bus, nil)
      if result == 0 { return }
      if result < 0 { disconnect() }
    }
  }

  private func disconnect() {
    guard let bus else { return }
    self.bus = nil
    _ = library.close_unref(bus)
    hasAnswered = true
  }

  // MARK: Asking

  /// Subscribes to these signals of NetworkManager.
  private func watch(_ signals: String, _ handler: linux_bus_handler) -> Bool {
    let match = "type='signal',\(signals),arg0='\(Self.service)'"
    return library.add_match(bus, nil, match, handler, installed, Unmanaged.passUnretained(self).toOpaque()) >= 0
  }

  private func ask() {
    guard let bus else { return }
    guard asking == .idle else {
      asking = .waitingToAskAgain
      return
    }
    let refusal = linux_bus_ask_property(
      &library, bus, Self.service, Self.object, Self.service, "Metered", answered,
      Unmanaged.passUnretained(self).toOpaque(), Self.answerMicroseconds)
    if refusal == 0 { asking = .waiting } else { hasAnswered = true }
  }

  fileprivate func take(answer message: UnsafeMutableRawPointer?) {
    let mustAskAgain = asking == .waitingToAskAgain
    asking = .idle
    hasAnswered = true
    // "Unknown" changes nothing: NetworkManager answers it after a restart, until it has found its connection again.
    // What may not use a metered network would use it meanwhile.
    var value: UInt32 = 0
    if library.is_error(message, nil) == 0, linux_bus_read_number(&library, message, &value) == 0,
      value != Self.unknownValue
    {
      isMetered = Self.meteredValues.contains(value)
    }
    if mustAskAgain { ask() }
  }

  fileprivate func takeOwnerChange(_ message: UnsafeMutableRawPointer?) {
    var (name, before, now): (UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) = (nil, nil, nil)
    guard linux_bus_read_owner(&library, message, &name, &before, &now) == 0, let now else { return }
    if now.pointee != 0 { ask() }
  }

  fileprivate func takePropertiesChange() {
    ask()
  }
}

// MARK: - Called by libsystemd

private func watch(_ userData: UnsafeMutableRawPointer?) -> MeteredWatch? {
  userData.map { Unmanaged<MeteredWatch>.fromOpaque($0).takeUnretainedValue() }
}

private let installed: linux_bus_handler = { _, _, _ in
  // Without one of the signals the first answer stays; nothing else depends on it.
  0
}

private let answered: linux_bus_handler = { message, userData, _ in
  watch(userData)?.take(answer: message)
  return 0
}

private let ownerChanged: linux_bus_handler = { message, userData, _ in
  watch(userData)?.takeOwnerChange(message)
  return 0
}

private let propertiesChanged: linux_bus_handler = { _, userData, _ in
  watch(userData)?.takePropertiesChange()
  return 0
}
