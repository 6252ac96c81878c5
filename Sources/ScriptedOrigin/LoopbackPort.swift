import Foundation

/// Ports of the loopback interface.
public enum LoopbackPort {
  /// A port on which no process listens now.
  public static func free() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    guard Loopback.withAddress(port: 0, { bind(descriptor, $0, $1) }) == 0 else {
      throw LoopbackPortFailure()
    }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Whether a process listens on it.
  public static func answers(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return Loopback.withAddress(port: port) { connect(descriptor, $0, $1) } == 0
  }
}

/// The loopback interface has no free port.
public struct LoopbackPortFailure: Error {}
