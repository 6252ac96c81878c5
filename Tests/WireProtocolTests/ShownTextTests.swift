import Testing

@testable import WireProtocol

@Suite("Texts of feeds as they are shown")
struct ShownTextTests {
  @Test(
    "The URLs in a text lose their users and tokens, and nothing else changes",
    arguments: [
      ("Hear it at http://a.example/f?auth=T0KEN-1, or not?", "Hear it at http://a.example/f or not?"),
      ("(HTTPS://me:pw@a.example/f?page=2&token=T#x)", "(HTTPS://a.example/f?page=2#x)"),
      (
        "<a href=\"https://a.example/f?key=T\">here</a> me@a.example?",
        "<a href=\"https://a.example/f\">here</a> me@a.example?"
      ),
      ("at https://\u{301}me:pw@a.example/f?token=T", "at https://a.example/f"),
      ("No address: 5 < 6 ? a@b", "No address: 5 < 6 ? a@b"), ("https://a.example/plain", "https://a.example/plain"),
    ])
  func texts(text: String, shown: String) {
    #expect(text.shownText == shown)
  }
}
