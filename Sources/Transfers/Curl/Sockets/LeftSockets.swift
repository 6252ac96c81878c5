import CCurl
import CLinux
import Glibc

/// Keeps sockets open that are bound to a device whose path was left, until no peer can send to them any more.
///
/// The kernel answers a packet for a closed socket with a reset, and the device binding is gone with the socket: the
/// reset takes the default route (`tcp_v4_send_reset` in the kernel's net/ipv4). Wi-Fi went, its sockets were closed,
/// and no FIN could be sent; Wi-Fi came back with the worse route, the origins retransmitted unacknowledged data, and
/// the resets left over cellular, for downloads that must not use it. An open socket answers for itself, over its own
/// device or not at all.
///
/// Only the driver's thread uses it.
final class LeftSockets {
  /// The most that are kept; the oldest are closed first.
  static let limit = 256
  /// How long each is kept: as long as a peer retransmits by default (`tcp_retries2` in the kernel's
  /// Documentation/networking/ip-sysctl.rst).
  static let patience: Duration = .seconds(16 * 60)
  /// The receive buffer of each, in bytes; the kernel doubles it. The peer stops when it is full.
  private static let receiveBytes: Int32 = 4096

  /// The sockets, the oldest one first.
  private var kept: [(descriptor: Int32, until: SuspendingClock.Instant)] = []

  deinit {
    for socket in kept { close(socket.descriptor) }
  }

  var count: Int { kept.count }

  /// Keeps a socket, sends its FIN, and puts a dead socket at its number.
  ///
  /// - Returns: Whether it did; otherwise nothing has changed.
  func take(_ socket: curl_socket_t, now: SuspendingClock.Instant) -> Bool {
    let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { return false }
    guard Self.putDeadSocket(at: socket) else {
      close(descriptor)
      return false
    }
    var bytes = Self.receiveBytes
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    // A shutdown would end a socket that is still connecting.
    if Self.state(of: descriptor) != .connecting { shutdown(descriptor, Int32(SHUT_WR)) }
    kept.append((descriptor, now + Self.patience))
    letGo(now: now)
    return true
  }

  /// Closes sockets that are at their end, that exceed the limit, or that are old enough.
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

  /// Closes sockets that are old enough. Looks only at the oldest, if that is young.
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

  /// Puts a socket at the number that reads EOF and refuses writes.
  private static func putDeadSocket(at number: curl_socket_t) -> Bool {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return false }
    defer { close(ends[0]) }
    close(ends[1])
    return linux_replace(ends[0], number) == number
  }
}
