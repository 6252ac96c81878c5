import CLinux
import Synchronization

/// Asks the kernel which way it would send packets to an address: by all rules and routing tables, of which `LinkTable`
/// knows the main table's default routes only. It belongs to the network namespace of the thread that made it.
final class KernelRoutes: Sendable {
  /// Which way packets go.
  enum Choice: Hashable, Sendable {
    /// Packets stay on this machine: the address is its own.
    case here
    /// Packets leave over this link.
    case over(link: Int32)
  }

  private static let receiveBytes: Int32 = 1 << 16
  /// The timeout of an answer, which the kernel gives at once.
  private static let timeoutSeconds: Int32 = 1
  /// How many datagrams are read for an answer: some may be left of requests that were given up.
  private static let maximumDatagrams = 8

  private let socket: OpenDescriptor
  private let sequence = Mutex<UInt32>(0)

  init() throws(ReachabilityError) {
    socket = try OpenDescriptor("an rtnetlink socket") {
      linux_netlink_open(0, Self.receiveBytes, Self.timeoutSeconds)
    }
  }

  /// The kernel's choice for an address of 4 or 16 bytes; nil if it has none. Takes some microseconds.
  func choice(for address: [UInt8]) -> Choice? {
    guard address.count == 4 || address.count == 16 else { return nil }
    let family = address.count == 4 ? AddressFamily.ipv4 : .ipv6
    return sequence.withLock { sequence in
      sequence &+= 1
      guard linux_netlink_request_route(socket.number, family.rawValue, address, UInt8(address.count), sequence) == 0
      else { return nil }
      for _ in 0..<Self.maximumDatagrams {
        guard case .success(let bytes) = socket.receive(waiting: true) else { return nil }
        if NetlinkReader.isAnswer(bytes[...], to: sequence) {
          return NetlinkReader.choice(bytes[...], answering: sequence)
        }
      }
      return nil
    }
  }
}
