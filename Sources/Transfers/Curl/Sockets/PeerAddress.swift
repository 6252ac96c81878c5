import Glibc
import PodfluxCore

/// The remote address of a socket, without the port: 4 or 16 bytes in network byte order.
struct PeerAddress: Hashable, Sendable {
  let bytes: [UInt8]

  /// Parses an address such as `127.0.0.1` or `::1`; nil for other text.
  init?(_ text: String) {
    var storage = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &storage) == 1 {
      bytes = Array(storage.prefix(4))
    } else if inet_pton(AF_INET6, text, &storage) == 1 {
      bytes = storage
    } else {
      return nil
    }
  }

  /// Parses the host of a URL, in which an address of IPv6 has brackets; nil for a name.
  init?(host: String) {
    self.init(host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" && $0 != "%" }) : host)
  }

  /// The address in a `sockaddr`; nil unless that is IPv4 or IPv6.
  init?(_ address: UnsafeRawPointer, length: Int) {
    switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      let address = address.loadUnaligned(as: sockaddr_in.self)
      bytes = withUnsafeBytes(of: address.sin_addr) { Array($0) }
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      let address = address.loadUnaligned(as: sockaddr_in6.self)
      bytes = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
    default: return nil
    }
  }

  /// Whether it is a loopback address: 127.0.0.0/8 (RFC 1122 section 3.2.1.3), ::1 (RFC 4291 section 2.5.3), or the
  /// former mapped to IPv6 (section 2.5.5.2).
  var isLoopback: Bool {
    switch bytes.count {
    case 4: bytes[0] == 127
    default:
      bytes == Self.loopback6 || (bytes.starts(with: Self.mappedPrefix) && bytes[Self.mappedPrefix.count] == 127)
    }
  }

  /// The address in the packets: for an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2), the IPv4 address.
  var unmapped: [UInt8] {
    bytes.count == 16 && bytes.starts(with: Self.mappedPrefix) ? Array(bytes.dropFirst(Self.mappedPrefix.count)) : bytes
  }

  /// The address as `IPAddress`, for the rules that decide which addresses a request may reach.
  var internet: IPAddress? { IPAddress(bytes) }

  private static let loopback6: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
}

/// How a route treats a socket.
enum SocketDemand: Hashable, Sendable {
  /// The kernel chooses the route.
  case leave
  /// The socket is bound to the device before connecting.
  case bind(device: String)
  /// The socket is not opened.
  case refuse
}

extension Route {
  /// How to treat a socket to this address; nil means an unknown family.
  func demand(for peer: PeerAddress?) -> SocketDemand {
    if peer?.isLoopback == true { return .leave }
    switch self {
    case .any: return .leave
    case .only(let device): return .bind(device: device)
    case .loopback: return .refuse
    }
  }
}
