import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("An exchange's reach")
struct ReachGuardTests {
  private let outside: ReachGuard.Peer
  private let inside: ReachGuard.Peer

  init() throws {
    outside = .address(try #require(IPAddress([1, 1, 1, 1])))
    inside = .address(try #require(IPAddress([192, 168, 1, 1])))
  }

  /// What becomes of an exchange that is led to these, one after the other.
  private func reasons(_ reach: Reach, _ peers: [ReachGuard.Peer]) -> [ExchangeFailure.Reason?] {
    var guardian = ReachGuard(reach)
    return peers.enumerated().map { guardian.willAsk($1, as: "host.example", redirects: $0)?.reason }
  }

  @Test("ends where it may not go on, and only an address in the URL itself is refused for good")
  func table() {
    #expect(reasons(.anywhere, [outside, inside, .behindProxy, .unknown, inside]) == [nil, nil, nil, nil, nil])
    #expect(reasons(.publicOnly, [inside]) == [.ledNotPublic])
    #expect(reasons(.publicOnly, [.unknown]) == [.ledNotPublic])
    for host in ["192.168.1.1", "192.168.1.1.example"] {
      let failure = ReachGuard(.publicOnly).refusal(of: inside, as: host, redirects: 0)
      #expect(failure?.reason == (host == "192.168.1.1" ? .notPublic : .ledNotPublic))
    }
    #expect(reasons(.publicOnly, [outside, .behindProxy, inside]) == [nil, nil, .ledNotPublic])
    #expect(reasons(.asNamed, [inside, inside, outside, inside]) == [nil, nil, nil, .ledNotPublic])
    #expect(reasons(.asNamed, [.behindProxy, inside]) == [nil, .ledNotPublic])
    #expect(reasons(.asNamed, [outside, .unknown]) == [nil, .ledNotPublic])
  }

  @Test("is told in words that name host and address, and what a person can do")
  func words() {
    var guardian = ReachGuard(.publicOnly)
    let direct = guardian.willAsk(inside, as: "nas.example", redirects: 0)
    let advice = "which is no public address; podflux settings addresses=any allows it"
    #expect(direct?.message == "the address leads to nas.example at 192.168.1.1, \(advice)")
    let led = guardian.willAsk(inside, as: "192.168.1.1", redirects: 1)
    #expect(led?.message == "a redirect leads to 192.168.1.1, \(advice)")
  }

  @Test("ends for good where an address was named itself; a name and a redirect may lead elsewhere later")
  func errors() {
    let direct = DownloadError(ExchangeFailure(.notPublic, message: "no"))
    #expect(direct.code == .connectFailed && direct.outlook == .lasting && !direct.isTransient)
    let led = DownloadError(ExchangeFailure(.ledNotPublic, message: "no"))
    #expect(led.code == .connectFailed && led.isTransient && led.outlook == nil)
    #expect(DownloadError(ExchangeFailure(.connectFailed, message: "no")).isTransient)
  }
}
