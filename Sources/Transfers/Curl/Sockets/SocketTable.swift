import CCurl
import EngineRuntime
import Glibc
import PodfluxCore

/// To which device a connection is bound that must not leave over every one: takes the peer's address and the path's
/// device; nil for none, because the address is this machine's own.
package typealias DeviceChoice = @Sendable (_ address: [UInt8], _ device: String) -> String?

/// The sockets that libcurl has open. Only the driver's thread uses it.
final class SocketTable {
  private let chooseDevice: DeviceChoice
  /// The numbers of all sockets. libcurl may have closed some, and their numbers may be others' now: see `Outward`.
  private var numbers: Set<curl_socket_t> = []
  /// The ports of this machine that they have, as far as they were asked for.
  private var ports: [curl_socket_t: Int32] = [:]
  /// The sockets that lead away from this machine.
  private var outward: [curl_socket_t: Outward] = [:]
  /// The sockets of old paths.
  let left = LeftSockets()

  /// - Parameter chooseDevice: By default the path's own device.
  init(chooseDevice: @escaping DeviceChoice = { $1 }) {
    self.chooseDevice = chooseDevice
  }

  private struct Outward {
    /// Distinguishes it from a later socket with its number: libcurl 7.88 to 8.1 itself closes a socket that never
    /// connected (curl/curl#11439), and the number may be reused then.
    var inode: UInt64
    /// Whether it is bound to a device.
    var isBound: Bool
  }

  /// Opens a socket to this address according to the route; fails if it cannot be bound.
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
    guard descriptor >= 0 else {
      let isScarce = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
      throw .socket("no socket can be opened", errno, because: isScarce ? .noSocket : .connectFailed)
    }
    var isBound = false
    if case .bind(let path) = demand, let device = peer.map({ chooseDevice($0.unmapped, path) }) ?? path {
      if let failure = Self.bind(descriptor, to: device) {
        Glibc.close(descriptor)
        throw .socket("the connection cannot be bound to \(device)", failure)
      }
      isBound = true
    }
    let inode = peer?.isLoopback == true ? nil : Self.inode(of: descriptor)
    outward[descriptor] = inode.map { Outward(inode: $0, isBound: isBound) }
    numbers.insert(descriptor)
    ports[descriptor] = nil
    return descriptor
  }

  /// Closes a socket for libcurl; 0 on success.
  func close(_ socket: curl_socket_t) -> Int32 {
    outward[socket] = nil
    numbers.remove(socket)
    ports[socket] = nil
    return Glibc.close(socket)
  }

  /// Whether bytes have come over the connection from this port of this machine that were not read. Cost: two system
  /// calls, and another one for each socket that was opened since the last question.
  func hasUnreadBytes(atPort port: Int32) -> Bool {
    // Connections to different peers may share a port: then the bytes of any of them count.
    numbers.contains { socket in
      var byte: UInt8 = 0
      // Asked again, for the number may be another file's by now.
      return knownPort(of: socket) == port && Self.port(of: socket) == port
        && recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }
  }

  /// The port of a socket, which it keeps from the moment on at which it begins to connect.
  private func knownPort(of socket: curl_socket_t) -> Int32? {
    if let port = ports[socket] { return port }
    let port = Self.port(of: socket)
    if port != 0 { ports[socket] = port }
    return port
  }

  private static func port(of socket: curl_socket_t) -> Int32? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { storage -> Int32? in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(socket, $0, &length) }
      switch Int32(storage.pointee.ss_family) {
      case AF_INET:
        return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          Int32(UInt16(bigEndian: $0.pointee.sin_port))
        }
      case AF_INET6:
        return storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          Int32(UInt16(bigEndian: $0.pointee.sin6_port))
        }
      default: return nil
      }
    }
  }

  /// Shuts down the sockets that lead away from this machine; libcurl still closes them.
  ///
  /// A dead socket takes the number of one that is bound to a device, and the table keeps the original for a while,
  /// since the kernel would answer for it over any device: see `LeftSockets`. `exchange` must call its body, and make
  /// the poller of the number watch the new socket.
  func shutDownAll(exchanging exchange: (curl_socket_t, () -> Void) -> Void = { $1() }) {
    outward = outward.filter { Self.inode(of: $0) == $1.inode }
    let now = SuspendingClock.now
    for (socket, what) in outward {
      guard what.isBound else {
        shutdown(socket, Int32(SHUT_RDWR))
        continue
      }
      exchange(socket) { if !left.take(socket, now: now) { shutdown(socket, Int32(SHUT_RDWR)) } }
    }
    // The sockets at these numbers now are dead.
    outward = outward.filter { Self.inode(of: $0) == $1.inode }
  }

  /// The socket's inode, which identifies it; nil if there is none.
  private static func inode(of descriptor: curl_socket_t) -> UInt64? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Binds a socket to a device (SO_BINDTODEVICE, socket(7)). Returns the errno, nil on success.
  private static func bind(_ descriptor: Int32, to device: String) -> Int32? {
    let name = Array(device.utf8)
    let result = setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, socklen_t(name.count))
    return result == 0 ? nil : errno
  }

  /// libcurl's structure contains the beginning of the address, followed by the rest.
  static func peer(in address: UnsafeMutablePointer<curl_sockaddr>) -> PeerAddress? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    return PeerAddress(UnsafeRawPointer(address) + offset, length: Int(address.pointee.addrlen))
  }
}

extension ExchangeFailure {
  fileprivate static func socket(
    _ what: String, _ number: Int32, because reason: Reason = .connectFailed
  ) -> ExchangeFailure {
    ExchangeFailure(reason, message: "\(what): \(String(cString: strerror(number)))")
  }
}
