import CLinux
import Glibc
import PodfluxCore

/// NetworkManager's word on whether the machine's way costs money, over the system's D-Bus; it counts where libsystemd, a
/// bus and NetworkManager are there.
///
/// Nothing here waits for the bus but `waitForAnswer`, which has a limit: a bus that hangs is one that says nothing. A
/// connection that breaks is not made again: no bus outlives its machine's session.
final class MeteredWatch: @unchecked Sendable {
  // `@unchecked`: used by the maker until the thread of its loop starts, and by that thread alone from then on.

  /// Where the bus is.
  enum Bus: Hashable, Sendable {
    /// Where the system has it.
    case system
    /// At another address, such as `unix:path=/tmp/bus`.
    case address(String)
    /// Nowhere.
    case none
  }

  /// Whether NetworkManager says that the way is metered, or guesses that it is.
  private(set) var isMetered = false
  /// Whether there has been an answer, or will be none.
  private(set) var hasAnswered = false

  private var library: linux_bus_library
  /// The connection; nil when it is broken.
  private var bus: UnsafeMutableRawPointer?
  private var asking = Asking.idle

  private enum Asking {
    case idle
    case waiting
    /// Something changed while the answer was on its way.
    case waitingToAskAgain
  }

  private static let service = "org.freedesktop.NetworkManager"
  private static let object = "/org/freedesktop/NetworkManager"
  /// NM_METERED_YES and NM_METERED_GUESS_YES.
  private static let meteredValues: Set<UInt32> = [1, 3]
  /// How long an answer may take.
  private static let answerMicroseconds: UInt64 = 5_000_000
  /// Messages that are looked at before others have their turn.
  private static let maximumBatch = 64

  /// Begins to connect. Nil where there is no library or no bus.
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

  /// Waits for the first answer, or for the limit.
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

  /// What to wait for; nil when the connection is broken.
  var watched: pollfd? {
    guard let bus else { return nil }
    let (descriptor, events) = (library.descriptor(bus), library.events(bus))
    guard descriptor >= 0, events >= 0 else { return nil }
    return pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
  }

  /// When `process()` has something to do although nothing has come, in milliseconds from now; -1 for never.
  var timeoutMilliseconds: Int32 {
    var moment = UInt64.max
    guard let bus, library.timeout(bus, &moment) >= 0, moment != .max else { return -1 }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    return moment <= now ? 0 : Int32(clamping: (moment - now + 999) / 1000)
  }

  /// Handles what the bus has said and sends what there is to say; does not wait.
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

  /// Has the bus send these signals, as far as NetworkManager is what they are about.
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
    // Who does not know now may have known before: what costs money goes on costing it while NetworkManager is restarted.
    var value: UInt32 = 0
    if library.is_error(message, nil) == 0, linux_bus_read_number(&library, message, &value) == 0 {
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
