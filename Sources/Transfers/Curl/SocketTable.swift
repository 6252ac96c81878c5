import CCurl
import EngineRuntime
import Glibc
import PodfluxCore

/// The sockets that libcurl has open. Confined to the driver's thread.
final class SocketTable {
  /// Those that lead away from this machine.
  private var outward: [curl_socket_t: Outward] = [:]
  /// Those of paths that were left.
  let left = LeftSockets()

  private struct Outward {
    /// What tells it from a later one of its number: from 7.88 to 8.1, libcurl closes one that never got connected by itself
    /// (curl/curl#11439), and the number may be anybody's then.
    var inode: UInt64
    /// Whether it is bound to a device.
    var isBound: Bool
  }

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
    var isBound = false
    if case .bind(let device) = demand {
      if let failure = Self.bind(descriptor, to: device) {
        Glibc.close(descriptor)
        throw .socket("the connection cannot be bound to \(device)", failure)
      }
      isBound = true
    }
    let inode = peer?.isLoopback == true ? nil : Self.inode(of: descriptor)
    outward[descriptor] = inode.map { Outward(inode: $0, isBound: isBound) }
    return descriptor
  }

  /// Closes a socket for libcurl; 0 if that succeeds.
  func close(_ socket: curl_socket_t) -> Int32 {
    outward[socket] = nil
    return Glibc.close(socket)
  }

  /// Ends what is open and leads away from this machine: whoever uses it finds it at its end. It stays libcurl's to close.
  ///
  /// What is bound to a device is kept for a while behind another one that takes its place, since the kernel would answer
  /// for it over whatever device: see `LeftSockets`. `exchange` is to call what it is given, and to see to it that whoever
  /// watches the number watches the new one.
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
    // What stands at their numbers now leads nowhere.
    outward = outward.filter { Self.inode(of: $0) == $1.inode }
  }

  /// Which socket has this number, if any has.
  private static func inode(of descriptor: curl_socket_t) -> UInt64? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
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
