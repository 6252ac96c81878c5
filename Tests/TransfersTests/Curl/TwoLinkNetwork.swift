import Foundation
import Synchronization
import TestSupport

@testable import Transfers

/// A machine with two links, Wi-Fi and cellular, and an origin that both lead to, Wi-Fi first. All of it is the test's
/// own.
final class TwoLinkNetwork: Sendable {
  static let wifi = "wlan9"
  static let cellular = "wwan9"
  /// What the origin sees of the machine on each link.
  static let wifiAddress = "10.77.1.1"
  static let cellularAddress = "10.77.2.1"
  private static let originAddress = "10.77.9.9"

  /// The machine's own network.
  let machine: PrivateNetwork
  private let remote: PrivateNetwork
  private let origin: RawOrigin

  /// Makes the network; the origin serves each of its connections so, which are counted from 0 on.
  ///
  /// - Returns: nil, having said why, where the machine of the test does not let it have one.
  static func make(_ serve: @escaping @Sendable (RawConnection, Int) -> Void) async throws -> TwoLinkNetwork? {
    do {
      // Other tests want the threads that this one would block.
      return try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try TwoLinkNetwork(serve) }) }
      }
    } catch let refusal as NamespaceRefused {
      print("skipped: no network of the test's own can be made: \(refusal)")
      return nil
    }
  }

  private init(_ serve: @escaping @Sendable (RawConnection, Int) -> Void) throws {
    machine = try PrivateNetwork()
    remote = try PrivateNetwork()
    try machine.connect(Self.wifi, Self.wifiAddress, to: remote, "origin1", "10.77.1.2")
    try machine.connect(Self.cellular, Self.cellularAddress, to: remote, "origin2", "10.77.2.2")
    try remote.ip("addr add \(Self.originAddress)/32 dev lo")
    try machine.ip("route add \(Self.originAddress) via 10.77.1.2 dev \(Self.wifi) metric 10")
    try machine.ip("route add \(Self.originAddress) via 10.77.2.2 dev \(Self.cellular) metric 20")
    let counter = Counter()
    origin = try remote.run { try RawOrigin(everywhere: true) { serve($0, counter.next()) } }
  }

  var url: String { origin.url(host: Self.originAddress) }

  /// A driver on the machine.
  func driver() throws -> CurlDriver {
    try machine.run { try CurlDriver() }
  }

  /// An origin on the machine itself.
  func localOrigin(_ serve: @escaping @Sendable (RawConnection) -> Void) throws -> RawOrigin {
    try machine.run { try RawOrigin(serve) }
  }
}

/// Counts from 0 on.
final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
