import Foundation

extension ClientConnection {
  /// The longest path of a socket, in bytes: `sun_path` of unix(7) holds it and a NUL.
  package static let maximumPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Connects to the engine that listens on a Unix socket.
  package convenience init(socket path: String, interruption: Int32? = nil) throws(ConnectionFailure) {
    guard path.utf8.count <= Self.maximumPathBytes else { throw .pathTooLong(path) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .unreachable(path: path, number: errno) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      let number = errno
      close(descriptor)
      // A socket's file that is left over refuses; a missing one was never there.
      guard number != ECONNREFUSED, number != ENOENT else { throw .notListening(path: path) }
      throw .unreachable(path: path, number: number)
    }
    try self.init(input: descriptor, output: descriptor, interruption: interruption)
  }
}
