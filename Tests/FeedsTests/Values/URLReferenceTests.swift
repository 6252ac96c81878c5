import PodfluxCore
import Testing

@testable import Feeds

@Suite("References to URLs")
struct URLReferenceTests {
  /// RFC 3986 section 5.4.1 and 5.4.2, with a base of http.
  @Test(
    "References are resolved as in RFC 3986",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
      ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
      ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
      ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
      ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
      ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
      ("g.", "http://a/b/c/g."), ("g..", "http://a/b/c/g.."), ("./g/.", "http://a/b/c/g/"),
      ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("http://x/y z", "http://x/y%20z"),
    ])
  func resolving(reference: String, expected: String) throws {
    let base = try WebAddress("http://a/b/c/d;p?q")
    #expect(try URLReference.resolve(reference, base: base).description == expected)
  }

  @Test(
    "What publishers write is mended",
    arguments: [
      ("  https://a.example/x \n", "https://a.example/x"), ("https://a.exam\nple/x", "https://a.example/x"),
      ("https://a.example/é", "https://a.example/%C3%A9"), ("https://a.example/a\"b", "https://a.example/a%22b"),
      ("feed:https://a.example/x", "https://a.example/x"), ("feed://a.example/x", "http://a.example/x"),
      ("ITPC://a.example/x", "http://a.example/x"), ("HTTPS://A.example/X", "HTTPS://A.example/X"),
      ("https://a.example/?q=a b#c d", "https://a.example/?q=a%20b#c%20d"),
      ("http://münchen.example/a.mp3", "http://xn--mnchen-3ya.example/a.mp3"),
      ("https://u:p@BÜCHER.example:8080/ü?ä#ö", "https://u:p@xn--bcher-kva.example:8080/%C3%BC?%C3%A4#%C3%B6"),
      ("feed://例え.テスト", "http://xn--r8jz45g.xn--zckzah"), ("http://faß.example/", "http://xn--fa-hia.example/"),
      ("http://１２７。0.0.1/", "http://127.0.0.1/"), ("pcast:https://a.example/x", "https://a.example/x"),
    ])
  func mending(reference: String, expected: String) throws {
    #expect(try URLReference.resolve(reference, base: nil).description == expected)
  }

  @Test(
    "What is no web address stays none",
    arguments: [
      "", "x", "ftp://a.example/x", "javascript:alert(1)", "data:text/plain,x", "http://", "http:///x", "https:x",
      "///",
      "http://ex\u{FFFD}mple.org/", "http://é%41.example/", "file:///etc/passwd", "http://a b/",
    ])
  func refused(reference: String) {
    #expect(throws: WebAddress.Fault.self) { try URLReference.resolve(reference, base: nil) }
  }
}
