import PodfluxCore
import Testing

@testable import Transfers

@Suite("A socket's address")
struct PeerAddressTests {
  @Test(
    "of this machine is loopback, in all its forms",
    arguments: ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::ffff:127.9.9.9"])
  func loopback(_ text: String) throws {
    #expect(try #require(PeerAddress(text)).isLoopback)
  }

  @Test(
    "of another machine is not",
    arguments: [
      "126.255.255.255", "128.0.0.1", "0.0.0.0", "10.127.0.1", "::", "::2", "1::1", "::ffff:10.0.0.1", "::127.0.0.1",
      "fe80::1", "::7f00:1",
    ])
  func elsewhere(_ text: String) throws {
    #expect(try !#require(PeerAddress(text)).isLoopback)
  }

  @Test("is none where the text is a name", arguments: ["", "localhost", "127.1", "::1%lo", "[::1]"])
  func none(_ text: String) {
    #expect(PeerAddress(text) == nil)
  }

  @Test("on this machine is reached by every route, and any other one as the route says")
  func demands() {
    let routes: [Route] = [.any, .only(device: "wlan0"), .loopback]
    for local in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
      #expect(routes.map { $0.demand(for: PeerAddress(local)) } == [.leave, .leave, .leave])
    }
    for other in [PeerAddress("192.0.2.1"), PeerAddress("2001:db8::1"), nil] {
      #expect(routes.map { $0.demand(for: other) } == [.leave, .bind(device: "wlan0"), .refuse])
    }
  }
}
