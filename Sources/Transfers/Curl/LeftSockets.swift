import CCurl
import CLinux
import Glibc

/// Keeps sockets open that are bound to a device and whose path was left, until nobody can send to them any more.
///
/// What arrives for a socket that is gone the kernel answers with a reset, and with the socket the device is forgotten to
/// which it was bound: the reset takes the default route (`tcp_v4_send_reset` in the kernel's net/ipv4). Wi-Fi went, its
/// sockets were closed, and nothing could be sent to say so; Wi-Fi came back with the worse route, the origins sent once
/// more what had not been acknowledged, and the resets left by cellular, for downloads that may not use it. A socket that
/// is open answers for itself, over its own device or not at all.
///
/// Confined to the driver's thread.
final class LeftSockets {
  /// The most that are kept; the oldest go first.
  static let limit = 256
  /// How long one is kept: as long as a peer goes on sending, by default (`tcp_retries2` in the kernel's
  /// Documentation/networking/ip-sysctl.rst).
  static let patience: Duration = .seconds(16 * 60)
  /// What each may keep of what nobody reads, in bytes; the kernel doubles it. The peer stops when that is full.
  private static let receiveBytes: Int32 = 4096

  /// The oldest first.
  private var kept: [(descriptor: Int32, until: SuspendingClock.Instant)] = []

  deinit {
    for socket in kept { close(socket.descriptor) }
  }

  /// How many are kept.
  var count: Int { kept.count }

  /// Keeps a socket, tells its peer that nothing more will come, and puts one that is at its end at its number.
  ///
  /// - Returns: whether it did; nothing has changed otherwise.
  func take(_ socket: curl_socket_t, now: SuspendingClock.Instant) -> Bool {
    let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { return false }
    guard Self.putDeadSocket(at: socket) else {
      close(descriptor)
      return false
    }
    var bytes = Self.receiveBytes
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    // One that is being connected would be gone with that.
    if Self.state(of: descriptor) != .connecting { shutdown(descriptor, Int32(SHUT_WR)) }
    kept.append((descriptor, now + Self.patience))
    letGo(now: now)
    return true
  }

  /// Closes those that are at their end, and those of which there are too many or that have been kept for long enough.
  private func letGo(now: SuspendingClock.Instant) {
    let surplus = kept.count - Self.limit
    var number = 0
    kept.removeAll { socket in
      number += 1
      guard number <= surplus || socket.until <= now || Self.state(of: socket.descriptor) == .closed else {
        return false
      }
      close(socket.descriptor)
      return true
    }
  }

  /// Closes those that have been kept for long enough. Looks at the oldest only, if that is young.
  func letGoOfOld(now: SuspendingClock.Instant) {
    if let oldest = kept.first, oldest.until <= now { letGo(now: now) }
  }

  private enum State {
    case connecting, closed, other
  }

  /// `tcpi_state`, the first byte of `struct tcp_info` (tcp(7)).
  private static func state(of socket: Int32) -> State {
    var info = [UInt8](repeating: 0, count: 256)
    var length = socklen_t(info.count)
    guard getsockopt(socket, Int32(IPPROTO_TCP), tcpInfo, &info, &length) == 0, length > 0 else { return .other }
    switch info[0] {
    case synSent: return .connecting
    case closed: return .closed
    default: return .other
    }
  }

  /// TCP_INFO of the kernel's include/uapi/linux/tcp.h.
  private static let tcpInfo: Int32 = 11
  /// TCP_SYN_SENT and TCP_CLOSE of the kernel's include/net/tcp_states.h.
  private static let synSent: UInt8 = 2
  private static let closed: UInt8 = 7

  /// Whoever reads from it finds its end, and nothing can be written to it.
  private static func putDeadSocket(at number: curl_socket_t) -> Bool {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return false }
    defer { close(ends[0]) }
    close(ends[1])
    return linux_replace(ends[0], number) == number
  }
}
