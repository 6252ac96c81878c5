import PodfluxCore
import Testing

@Suite("A web address")
struct WebAddressTests {
  @Test(
    "has one spelling by which subscriptions are told apart",
    arguments: [
      ("HTTPS://A.Example:443/F?x=/#y", "https://a.example/F?x=/"),
      ("http://me:pw@A.example:80", "http://me:pw@a.example"),
      ("http://a.example:8080/@?a@b#", "http://a.example:8080/@?a@b"),
      // A mark with a combining accent is one Character, not equal to the mark: the path was lost, or the query.
      ("http://A.example/\u{301}abc/feed.xml", "http://a.example/\u{301}abc/feed.xml"),
      ("http://a.example?\u{301}id=1/x", "http://a.example?\u{301}id=1/x"),
      ("http://a.example/f#\u{301}x", "http://a.example/f"),
      ("http://\u{301}me@A.example/f", "http://\u{301}me@a.example/f"),
    ])
  func normalized(url: String, spelling: String) throws {
    let normalized = try WebAddress(url).normalized
    #expect(normalized.description.utf8.elementsEqual(spelling.utf8))
    #expect(normalized.normalized == normalized)
  }

  @Test(
    "has a host with its port, as it is written",
    arguments: [
      ("http://a.example:8080/f", "a.example:8080"), ("http://a.example:8080", "a.example:8080"),
      ("https://a.example:1?q", "a.example:1"), ("http://a.example:65535#f", "a.example:65535"),
      ("http://a.example:/f", "a.example"), ("http://a.example:080/f", "a.example:080"),
      ("http://127.0.0.1:18999/1.xml", "127.0.0.1:18999"), ("http://a.example:80@b.example:81/f", "b.example:81"),
    ])
  func hostAndPort(url: String, host: String) throws { #expect(try WebAddress(url).host == host) }

  @Test(
    "has no port that is none",
    arguments: ["a.example:0", "a.example:65536", "a.example:123456", "a.example:8x", "a.example:8.", "a.example:+8"])
  func badPort(host: String) {
    #expect(throws: WebAddress.Fault.badPort) { try WebAddress("http://\(host)/f") }
  }

  @Test(
    "is this machine's by its name or its number",
    arguments: [
      ("localhost", true), ("localhost:80", true), ("127.0.0.1", true), ("127.255.0.9:8080", true), ("[::1]", true),
      ("[::1]:80", true), ("localhost.example", false), ("127.0.0.1.example", false), ("127.1", false),
      ("127.0.0.256", false), ("127.+0.0.1", false), ("127.0.0.09", false), ("127.0.0.", false), ("1127.0.0.1", false),
      ("127.0.0", false), ("127.0.0.1.1", false), ("127.0..1", false), ("127.0.0.1.", false), ("127.00.0.1", false),
      ("127", false), ("1270.0.0.1", false), ("127.0.0.99999999999999999999", false), ("128.0.0.1", false),
      ("[::1%25eth0]", false), ("[::11]", false), ("[::]", false), ("a.example", false), ("", false), ("l", false),
      ("1", false), ("[", false),
    ])
  func loopback(host: String, isLoopback: Bool) { #expect(WebAddress.isLoopback(host) == isLoopback) }

  @Test("gets the user of another one of its origin")
  func user() throws {
    let other = try WebAddress("http://\u{301}me:pw@a.example/f")
    let older = try WebAddress("http://a.example/p?2").withUser(of: other)
    #expect(older.description.utf8.elementsEqual("http://\u{301}me:pw@a.example/p?2".utf8))
    for url in ["http://b.example/", "http://you@a.example/", "https://a.example/"] {
      #expect(try WebAddress(url).withUser(of: other).description == url)
    }
  }
}
