import PodfluxCore

/// Keeps one exchange within its reach, from hop to hop: it is asked before each request is sent, with the address that
/// the connection really has. So a name that leads elsewhere than it did a moment ago, or a connection of an earlier
/// exchange, leads nowhere else.
package struct ReachGuard: Sendable {
  /// The other end of a connection.
  package enum Peer: Sendable {
    case address(IPAddress)
    /// A proxy finds the host: where that is cannot be seen from here. A proxy is what an owner of a network has set up
    /// as the way out, and may refuse what it likes.
    case behindProxy
    /// The address cannot be determined.
    case unknown

    /// The class of what comes from there.
    package var addressClass: AddressClass {
      switch self {
      case .address(let address): AddressClass(address)
      case .behindProxy: .public
      case .unknown: .unknown
      }
    }
  }

  private let reach: Reach
  /// Whether a public address has been asked: it may have redirected the exchange.
  private var hasBeenPublic = false

  /// Begins an exchange.
  package init(_ reach: Reach) {
    self.reach = reach
  }

  /// Whether the exchange may lead anywhere, so that no peer has to be looked at.
  package var isOpen: Bool { reach == .anywhere }

  /// A hop's request is about to be sent there.
  ///
  /// - Returns: Why it must not be; nil if it may.
  package mutating func willAsk(_ peer: Peer, as host: String, redirects: Int) -> ExchangeFailure? {
    if let failure = refusal(of: peer, as: host, redirects: redirects) { return failure }
    if peer.addressClass == .public { hasBeenPublic = true }
    return nil
  }

  /// Why nothing must be asked there; nil if something may.
  package func refusal(of peer: Peer, as host: String, redirects: Int) -> ExchangeFailure? {
    guard reach == .publicOnly || reach == .asNamed && hasBeenPublic, peer.addressClass != .public else { return nil }
    var (place, isNamed) = (host, false)
    if case .address(let address) = peer {
      isNamed = host == address.description || host == "[\(address)]"
      if !isNamed { place += " at \(address)" }
    }
    return ExchangeFailure(
      isNamed && redirects == 0 ? .notPublic : .ledNotPublic,
      message: """
        \(redirects > 0 ? "a redirect" : "the address") leads to \(place), which is no public address; \
        podflux settings addresses=any allows it
        """)
  }
}
