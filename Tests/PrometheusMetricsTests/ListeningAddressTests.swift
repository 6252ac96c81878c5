import Testing

@testable import PrometheusMetrics

@Suite("Addresses to listen on")
struct ListeningAddressTests {
  @Test(
    "An address has a host and a port; without a host it is loopback's",
    arguments: [
      ("127.0.0.1:9464", "127.0.0.1:9464"), (":9464", "127.0.0.1:9464"), ("localhost:1", "127.0.0.1:1"),
      ("[::1]:9464", "[::1]:9464"), ("0.0.0.0:0", "0.0.0.0:0"), ("[0:0::2]:65535", "[::2]:65535"),
    ])
  func valid(text: String, expected: String) {
    #expect(ListeningAddress(text)?.description == expected)
  }

  @Test(
    "Names, missing ports and numbers out of range are none",
    arguments: [
      "", ":", "9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "::1:9464",
      "[::1]9464", "[::1:9464", "example.org:80", "1.2.3:80", "[127.0.0.1]:80", "127.0.0.1:09464x", "127.0.0.1:１",
    ])
  func invalid(text: String) {
    #expect(ListeningAddress(text) == nil)
  }
}
