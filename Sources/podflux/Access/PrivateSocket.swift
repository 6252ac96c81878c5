import Foundation
import PodfluxEngine

/// A socket through which a command reaches its own engine: with a name that the kernel chooses, outside the file
/// system (autobind of unix(7)). The server refuses other users, as at each of its sockets.
struct PrivateSocket {
  let listening: ListeningSocket
  private let address: sockaddr_un
  private let length: socklen_t

  init() throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = Self.call(&address) { bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size)) == 0 }
    guard descriptor >= 0, isBound, listen(descriptor, 1) == 0,
      Self.call(&address, { getsockname(descriptor, $0, &length) == 0 })
    else { throw EngineError.cannotStart("no socket can be made: \(String(cString: strerror(errno)))") }
    (self.address, self.length) = (address, length)
    listening = try ListeningSocket(inherited: descriptor)
  }

  /// A connection to it.
  func connect() throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = address
    guard descriptor >= 0, Self.call(&address, { Foundation.connect(descriptor, $0, length) == 0 }) else {
      throw EngineError.cannotStart("the own engine cannot be reached: \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  private static func call<Result>(
    _ address: inout sockaddr_un, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }
}
