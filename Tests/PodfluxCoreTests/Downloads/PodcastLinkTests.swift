import PodfluxCore
import Testing

@Suite("Links for podcast programs")
struct PodcastLinkTests {
  @Test(
    "have an address in them, any other text stays",
    arguments: [
      ("feed:https://a.example/f", "https://a.example/f"), ("feed://a.example/f", "http://a.example/f"),
      ("PCAST://a.example/f", "http://a.example/f"), ("itpc://a.example/f", "http://a.example/f"),
      ("podcast:http://a.example/f", "http://a.example/f"), ("https://a.example/f", "https://a.example/f"),
      ("ftp://a.example", "ftp://a.example"), ("feeds:x", "feeds:x"), ("", ""), (":", ":"), ("feed", "feed"),
      ("feed:ftp://a.example", "ftp://a.example"), ("podcasts://a", "podcasts://a"),
    ])
  func addresses(text: String, expected: String) {
    #expect(PodcastLink.address(in: text) == expected)
  }
}
