import PodfluxCore
import Testing

@Suite("What is shown of a URL")
struct RedactionTests {
  @Test(
    "has no user, password or known token",
    arguments: [
      ("https://a.example/f", "https://a.example/f"),
      ("https://me:pw@a.example/f", "https://a.example/f"),
      ("https://me@a.example:8080/f@x?y=@", "https://a.example:8080/f@x?y=@"),
      ("https://a.example/f?auth=abc&show=1", "https://a.example/f?show=1"),
      ("https://a.example/f?Token=1&id=2&sig=3#x", "https://a.example/f?id=2#x"),
      ("https://a.example/f?key=1", "https://a.example/f"),
      ("https://a.example/f?keyword=1", "https://a.example/f?keyword=1"),
      ("https://a.example/f?rss_token=1&X-Plex-Token=2&client_secret=3&n=4", "https://a.example/f?n=4"),
      ("https://a.example/f?a&token", "https://a.example/f?a"),
      ("https://a.example/f?a=1;token=2;b=3", "https://a.example/f?a=1&b=3"),
      ("https://a.example/f?%61uth=1&b=2", "https://a.example/f?b=2"),
      ("https://a.example/f?au%th=1", "https://a.example/f?au%th=1"),
      ("https://a.example/f#?token=1", "https://a.example/f#"),
      ("https://a.example/f#state=1&access_token=2", "https://a.example/f"),
      ("https://a.example/f?hdnts=1#t=10", "https://a.example/f#t=10"),
      ("https://a.example/f?", "https://a.example/f?"),
      ("https://me:pw@a.example?token=1&token=2", "https://a.example"),
      // A mark with a combining accent is one Character, not equal to the mark.
      ("https://\u{301}me:pw@a.example/f", "https://a.example/f"),
      ("https://me:pw@a.example/\u{301}f?\u{301}a=1&token=2", "https://a.example/\u{301}f?\u{301}a=1"),
    ])
  func redacted(url: String, shown: String) throws {
    let address = try WebAddress(url)
    #expect(address.redacted == shown)
    #expect(try WebAddress(address.redacted).redacted == shown, "a second time nothing changes")
    #expect(SecretParts.removed(from: url) == shown)
  }

  @Test("names the host as before")
  func host() throws {
    for url in ["https://me:pw@a.example:81/f?token=1", "https://a.example?auth=2"] {
      let address = try WebAddress(url)
      #expect(try WebAddress(address.redacted).host == address.host)
    }
    #expect(try WebAddress("https://me@a.example/").hasUser)
    #expect(try !WebAddress("https://a.example/@").hasUser)
  }

  @Test("Text that is no URL stays as it is")
  func noURL() {
    #expect(SecretParts.removed(from: "urn:uuid:1?token=2") == "urn:uuid:1?token=2")
  }
}
