import Foundation

/// The loopback interface, for raw sockets.
package enum Loopback {
  /// Calls the body with the socket address of a port on 127.0.0.1; with port 0 bind(2) chooses one.
  package static func withAddress(
    port: UInt16, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
