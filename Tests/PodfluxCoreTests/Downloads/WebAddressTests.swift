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
