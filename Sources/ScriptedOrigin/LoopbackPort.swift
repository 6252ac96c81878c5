import Foundation
import Synchronization

/// Ports of the loopback interface.
package enum LoopbackPort {
  /// Below the ports that systems give to clients: such a one could go to any client before a server listens on it.
  private static let candidates: ClosedRange<UInt16> = 20_000...31_999
  /// The last port that was tried. Each process begins elsewhere.
  private static let last = Mutex(candidates.lowerBound + UInt16(getpid() % Int32(candidates.count)))

  /// A port on which no process listens now, and another one each time.
  package static func free() throws -> UInt16 {
    for _ in candidates {
      let port = last.withLock { last in
        last = last < candidates.upperBound ? last + 1 : candidates.lowerBound
        return last
      }
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      if Loopback.withAddress(port: port, { bind(descriptor, $0, $1) }) == 0 { return port }
    }
    throw LoopbackPortFailure()
  }

  /// Whether a process listens on it.
  package static func answers(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return Loopback.withAddress(port: port) { connect(descriptor, $0, $1) } == 0
  }
}

/// The loopback interface has no free port.
package struct LoopbackPortFailure: Error {}
