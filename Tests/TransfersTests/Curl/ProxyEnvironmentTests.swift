import Testing

@testable import Transfers

@Suite("The environment's proxies")
struct ProxyEnvironmentTests {
  private func proxy(_ url: String, _ variables: [String: String]) throws -> String? {
    ProxyEnvironment(variables).proxy(for: try #require(CurlURL(url)).origin)
  }

  @Test("are for their scheme, or for all, and empty ones for none")
  func schemes() throws {
    #expect(try proxy("http://h.example/", [:]) == nil)
    #expect(try proxy("http://h.example/", ["http_proxy": "p:1", "all_proxy": "q:2"]) == "p:1")
    #expect(try proxy("https://h.example/", ["http_proxy": "p:1", "all_proxy": "q:2"]) == "q:2")
    #expect(try proxy("https://h.example/", ["HTTPS_PROXY": "p:1", "ALL_PROXY": "q:2"]) == "p:1")
    #expect(try proxy("https://h.example/", ["https_proxy": "", "HTTPS_PROXY": "p:1"]) == "p:1")
    #expect(try proxy("http://h.example/", ["HTTP_PROXY": "p:1", "https_proxy": "q:2"]) == nil)
    #expect(ProxyEnvironment(["no_proxy": "h.example", "http_proxy": "", "PATH": "/"]).isEmpty)
    #expect(!ProxyEnvironment(["all_proxy": "p:1"]).isEmpty)
  }

  /// As libcurl's own tests have it (tests/unit/unit1614.c).
  @Test(
    "spare hosts by name, by the end of a name, and by block",
    arguments: [
      ("www.example.com", "localhost,.example.com,.example.de", true),
      ("www.example.com.", "localhost,.example.com", true),
      ("example.com", "localhost,.example.com,.example.de", true), ("example.com.", "localhost,.example.com", true),
      ("www.example.com", "localhost,.example.com.,.example.de", true),
      ("www.Example.com", "localhost .EXAMPLE.com", true),
      ("nonexample.com", "localhost,.example.com", false), ("example.com", "www.example.com", false),
      ("anything.example", "*", true), ("anything.example", "*,other", false), ("h.example", "", false),
      ("192.168.1.1", "192.168.1.1", true), ("192.168.1.1", "foo, bar, 192.168.0.0/16", true),
      ("192.168.1.1", "192.168.0.0/24", false), ("192.168.0.1", "192.168.0.0/32,10.0.0.0/8", false),
      ("10.9.8.7", "10.0.0.0/8", true), ("192.168.1.1", "168.1.1", false), ("192.168.1.1", "192.168.1.1/99", false),
      ("[::1]", "foo, bar, ::1", true), ("[::1]", "::1/64", true), ("[fe80::1]", "fe80::/10", true),
      ("[bbaa::1]", "bbbb::/64", false), ("[::1]", "127.0.0.1", false),
    ])
  func spared(_ host: String, _ list: String, _ isSpared: Bool) throws {
    for name in ["no_proxy", "NO_PROXY"] {
      #expect(try (proxy("http://\(host)/", ["http_proxy": "p:1", name: list]) == nil) == isSpared)
    }
  }
}
