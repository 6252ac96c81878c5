import EngineRuntime
import PodfluxCore

/// The addresses to which the exchange may lead. They are judged twice: before a connection is made, so that nothing of
/// the machine's networks hears of it, and before a request is sent, also over a connection of an earlier exchange.
extension CurlTransfer {
  /// Whether a request may be sent over the connection to this address; false aborts the hop.
  func mayReach(_ address: String?) -> Bool {
    guard !reach.isOpen else { return true }
    verdict = reach.willAsk(
      peer(at: address.flatMap { PeerAddress($0) }), as: hop.url.origin.host, redirects: hop.redirects)
    return verdict == nil
  }

  /// Why no connection may be made to this address; nil if one may.
  func refusal(of address: PeerAddress?) -> ExchangeFailure? {
    guard !reach.isOpen else { return nil }
    return reach.refusal(of: peer(at: address), as: hop.url.origin.host, redirects: hop.redirects)
  }

  /// The peer of this hop's connection.
  var peer: ReachGuard.Peer { peer(at: easy.peer) }

  private func peer(at address: PeerAddress?) -> ReachGuard.Peer {
    guard isProxied else { return address?.internet.map(ReachGuard.Peer.address) ?? .unknown }
    // An address in the URL itself is the host's, also where the proxy connects to it.
    return PeerAddress(host: hop.url.origin.host)?.internet.map(ReachGuard.Peer.address) ?? .behindProxy
  }
}
