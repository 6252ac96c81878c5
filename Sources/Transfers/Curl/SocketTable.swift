import CCurl
import Glibc
import PodfluxCore

/// The sockets that libcurl has open. Confined to the driver's thread.
final class SocketTable {
  /// Those that lead away from this machine.
  private var outward: Set<curl_socket_t> = []

  /// Opens a socket to this address, as a route wants it: what cannot be bound is not opened.
  func open(
    to address: UnsafeMutablePointer<curl_sockaddr>, by route: Route
  ) throws(ExchangeFailure) -> curl_socket_t {
    let peer = Self.peer(in: address)
    let demand = route.demand(for: peer)
    guard demand != .refuse else {
      throw .awayFromThisMachine
    }
    let (family, protocolNumber) = (address.pointee.family, address.pointee.protocol)
    let descriptor = socket(family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), protocolNumber)
    guard descriptor >= 0 else { throw .socket("no socket can be opened", errno) }
    if case .bind(let device) = demand, let failure = Self.bind(descriptor, to: device) {
      Glibc.close(descriptor)
      throw .socket("the connection cannot be bound to \(device)", failure)
    }
    if peer?.isLoopback != true { outward.insert(descriptor) }
    return descriptor
  }

  /// Closes a socket for libcurl; 0 if that succeeds.
  func close(_ socket: curl_socket_t) -> Int32 {
    outward.remove(socket)
    return Glibc.close(socket)
  }

  /// Ends what is open and leads away from this machine: whoever uses it finds it at its end. It stays libcurl's to close.
  func shutDownAll() {
    for socket in outward { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  /// Binds a socket to a device (SO_BINDTODEVICE, socket(7)): the number of the error, nil if there is none.
  private static func bind(_ descriptor: Int32, to device: String) -> Int32? {
    let name = Array(device.utf8)
    let result = setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, socklen_t(name.count))
    return result == 0 ? nil : errno
  }

  /// libcurl's structure holds the beginning of the address, and the rest behind it.
  private static func peer(in address: UnsafeMutablePointer<curl_sockaddr>) -> PeerAddress? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    return PeerAddress(UnsafeRawPointer(address) + offset, length: Int(address.pointee.addrlen))
  }
}

extension ExchangeFailure {
  fileprivate static func socket(_ what: String, _ number: Int32) -> ExchangeFailure {
    ExchangeFailure(.connectFailed, message: "\(what): \(String(cString: strerror(number)))")
  }
}
