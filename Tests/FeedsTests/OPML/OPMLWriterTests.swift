import Flux
import PodfluxCore
import Testing

@testable import Feeds

@Suite("Writing OPML")
struct OPMLWriterTests {
  private func feed(_ url: String, _ title: String? = nil, group: String? = nil, link: String? = nil) throws
    -> OPMLWriter.Feed
  {
    OPMLWriter.Feed(
      address: try WebAddress(url), title: title, link: try link.map { try WebAddress($0) }, group: group)
  }

  @Test("It is what other programs read")
  func shape() throws {
    let text = OPMLWriter(title: "Podflux \"&\" more").text(of: [
      try feed("https://a.example/feed?a=1&b=2", "Tom & \"Jerry\" <3", group: "News/World", link: "https://a.example/"),
      try feed("https://b.example/feed", group: "News"), try feed("https://c.example/feed", "C"),
    ])
    #expect(
      text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <opml version="2.0">
          <head>
            <title>Podflux &quot;&amp;&quot; more</title>
          </head>
          <body>
            <outline text="News" title="News">
              <outline text="World" title="World">
                <outline type="rss" text="Tom &amp; &quot;Jerry&quot; &lt;3" title="Tom &amp; &quot;Jerry&quot; &lt;3" \
        xmlUrl="https://a.example/feed?a=1&amp;b=2" htmlUrl="https://a.example/"/>
              </outline>
              <outline type="rss" text="https://b.example/feed" title="https://b.example/feed" xmlUrl="https://b.example/feed"/>
            </outline>
            <outline type="rss" text="C" title="C" xmlUrl="https://c.example/feed"/>
          </body>
        </opml>

        """)
  }

  @Test("An empty list is a document too")
  func empty() throws {
    let text = OPMLWriter(title: "").text(of: [])
    #expect(try OPMLReader.read(text.utf8).feeds.isEmpty)
  }

  @Test(
    "Secrets are left out unless they are asked for",
    arguments: [
      ("https://me:pw@a.example/feed", "https://a.example/feed"),
      ("https://www.patreon.com/rss/show?auth=abc&show=1", "https://www.patreon.com/rss/show?show=1"),
      ("https://a.example/f?Token=1&id=2&sig=3#x", "https://a.example/f?id=2#x"),
      ("https://a.example/f?key=1", "https://a.example/f"),
      ("https://a.example/f?keyword=1", "https://a.example/f?keyword=1"),
      ("https://a.example/f?a&token", "https://a.example/f?a"), ("https://a.example/u@b", "https://a.example/u@b"),
    ])
  func secrets(url: String, shown: String) throws {
    let feeds = [try feed(url, link: url)]
    let text = OPMLWriter(title: "T").text(of: feeds)
    #expect(text.contains("xmlUrl=\"\(OPMLWriter.escaped(shown))\" htmlUrl=\"\(OPMLWriter.escaped(shown))\""))
    #expect(text.contains("text=\"\(OPMLWriter.escaped(shown))\""))
    let whole = OPMLWriter(title: "T", includesSecrets: true).text(of: feeds)
    #expect(whole.contains("xmlUrl=\"\(OPMLWriter.escaped(url))\""))
  }

  @Test("No character makes a document that cannot be read")
  func characters() throws {
    let odd =
      (0...0x1FF).compactMap { Unicode.Scalar($0 as UInt32) } + ["\u{FFFE}", "\u{FFFF}", "\u{1F600}", "\u{10FFFF}"]
    let title = String(String.UnicodeScalarView(odd))
    let text = OPMLWriter(title: title).text(of: [try feed("https://a.example/", title, group: title)])
    let allowed = text.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF || scalar == "\n"
    }
    #expect(allowed)
    let document = try OPMLReader.read(text.utf8)
    let expected = PlainText.trimmed(
      Array(title.unicodeScalars.filter { $0.value < 0xFFFE || $0.value > 0xFFFF }.map(String.init).joined().utf8))
    #expect(document.title == expected && document.feeds.first?.title == expected)
    #expect(OPMLGroup.names(of: document.feeds.first?.group ?? "").count == 2)
  }

  @Test("Names of groups survive any signs")
  func groups() {
    for names in [["a/b", "c"], ["\\"], ["a\\", "/b"], ["/"], ["\\/", "//\\\\"], ["é/\u{301}", "x"]] {
      #expect(OPMLGroup.path(of: names).map(OPMLGroup.names) == names)
    }
    #expect(OPMLGroup.path(of: []) == nil && OPMLGroup.path(of: [""]) == nil)
    #expect(OPMLGroup.names(of: "/a//b/") == ["a", "b"])
    #expect(OPMLGroup.names(of: "C:\\x\\") == ["C:\\x\\"])
  }

  @Test("What is written is read again", arguments: [UInt64(1), 2, 3])
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let signs = Array("ab &<>\"'/\\é😀;#x".unicodeScalars)
    func name(using random: inout SeededGenerator) -> String {
      let scalars = (0..<Int.random(in: 1...6, using: &random)).compactMap { _ in signs.randomElement(using: &random) }
      return "n" + PlainText.trimmed(Array(String(String.UnicodeScalarView(scalars)).utf8))
    }
    for round in 0..<300 {
      let groups = (0..<6).map { _ in
        OPMLGroup.path(of: (0..<Int.random(in: 0...4, using: &random)).map { _ in name(using: &random) })
      }
      let feeds = try (0..<Int.random(in: 0...40, using: &random)).map { number in
        let isTitled = Bool.random(using: &random)
        return try feed(
          "https://a.example/\(number)?a=1&b=\(number)", isTitled ? name(using: &random) : nil,
          group: groups.randomElement(using: &random) ?? nil)
      }
      let writer = OPMLWriter(title: name(using: &random))
      let text = writer.text(of: feeds)
      let document = try OPMLReader.read(text.utf8)
      func key(_ group: String?, _ title: String?, _ address: WebAddress) -> String {
        "\(address.description) \(title ?? "-") \(group ?? "-")"
      }
      let expected = feeds.map { key($0.group, $0.title, $0.address) }.sorted()
      #expect(
        document.feeds.map { key($0.group, $0.title, $0.address) }.sorted() == expected, "seed \(seed), round \(round)")
      #expect(document.title == writer.title && document.rejected.isEmpty)
      // Once more it is the same text: groups have found their places.
      let again = document.feeds.map { OPMLWriter.Feed(address: $0.address, title: $0.title, group: $0.group) }
      #expect(writer.text(of: again) == text, "seed \(seed), round \(round)")
    }
  }

  @Test("A group of the deepest nesting is read again")
  func depth() throws {
    let names = (0..<100).map { "g\($0)" }
    let text = OPMLWriter(title: "T").text(of: [try feed("https://a.example/", group: OPMLGroup.path(of: names))])
    let document = try OPMLReader.read(text.utf8)
    #expect(
      document.feeds.map { OPMLGroup.names(of: $0.group ?? "") } == [Array(names.prefix(OPMLLimits.maximumDepth - 1))])
  }
}
