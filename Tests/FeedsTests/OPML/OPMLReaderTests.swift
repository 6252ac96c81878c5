import Feeds
import PodfluxCore
import Testing

@Suite("Reading OPML")
struct OPMLReaderTests {
  private func read(_ text: String) throws -> OPMLDocument { try OPMLReader.read(text.utf8) }

  private func body(_ outlines: String) throws -> OPMLDocument {
    try read(
      "<?xml version=\"1.0\"?><opml version=\"2.0\"><head><title>T</title></head><body>\(outlines)</body></opml>")
  }

  /// A document as lines of `group | title | address`.
  private func lines(_ document: OPMLDocument) -> [String] {
    document.feeds.map { "\($0.group ?? "-") | \($0.title ?? "-") | \($0.address)" }
  }

  @Test("What gPodder writes")
  func gPodder() throws {
    let document = try read(
      """
      <?xml version="1.0" encoding="utf-8"?>
      <opml version="2.0"><head><title>gPodder subscriptions</title><dateCreated>Mon, 01 Jan 2024 10:00:00 +0000</dateCreated>
      </head><body><outline title="Tom &amp; Jerry" text="About two animals" xmlUrl="https://a.example/feed" type="rss"/>
      <outline title="B" text="" xmlUrl="http://b.example/?x=1&amp;y=2" type="rss"/></body></opml>
      """)
    #expect(document.title == "gPodder subscriptions")
    #expect(lines(document) == ["- | Tom & Jerry | https://a.example/feed", "- | B | http://b.example/?x=1&y=2"])
    #expect(document.rejected.isEmpty && !document.isCut)
  }

  @Test("What AntennaPod writes")
  func antennaPod() throws {
    let document = try read(
      """
      <?xml version='1.0' encoding='UTF-8' standalone='no' ?>
      <opml version="2.0">
        <head>
          <title>AntennaPod Subscriptions</title>
          <dateCreated>01 Jan 24 10:00:00 +0100</dateCreated>
        </head>
        <body>
          <outline text="Größe" title="Größe" type="rss" xmlUrl="https://a.example/feed" htmlUrl="https://a.example/" />
          <outline text="B" title="B" type="atom" xmlUrl="https://b.example/feed" />
        </body>
      </opml>
      """)
    #expect(lines(document) == ["- | Größe | https://a.example/feed", "- | B | https://b.example/feed"])
  }

  @Test("What Overcast writes, with its playlists, its episodes, and the feeds that its person does not follow")
  func overcast() throws {
    let document = try read(
      """
      <?xml version="1.0" encoding="utf-8"?>
      <opml version="1.0">
      <head><title>Overcast Podcast Subscriptions</title></head>
      <body>
      <outline text="playlists">
        <outline type="podcast-playlist" title="All" smart="1" sorting="chronological" includePodcastIds="1,3"/>
      </outline>
      <outline text="feeds">
        <outline type="rss" overcastId="1" text="A" title="A" xmlUrl="https://a.example/feed" htmlUrl="https://a.example"
          overcastAddedDate="2024-01-01T10:00:00-00:00" subscribed="1" notifications="0">
          <outline type="podcast-episode" overcastId="2" pubDate="2024-01-01T10:00:00-00:00" title="E"
            url="https://a.example/e" overcastUrl="https://overcast.fm/+E" enclosureUrl="https://a.example/e.mp3" played="1"/>
        </outline>
        <outline type="rss" overcastId="3" text="B" title="B" xmlUrl="https://b.example/feed"/>
        <outline type="rss" overcastId="4" text="C" title="C" xmlUrl="https://c.example/feed" subscribed="0">
          <outline type="podcast-episode" overcastId="5" title="E" url="https://c.example/e"/>
        </outline>
      </outline>
      </body>
      </opml>
      """)
    #expect(lines(document) == ["- | A | https://a.example/feed", "- | B | https://b.example/feed"])
    #expect(document.rejectedCount == 0 && document.isWhole)
  }

  @Test("What Pocket Casts writes")
  func pocketCasts() throws {
    let document = try read(
      """
      <?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
      <opml version="1.0">
        <head>
          <title>Pocket Casts Feeds</title>
        </head>
        <body>
          <outline text="feeds">
            <outline type="rss" text="A" xmlUrl="https://a.example/feed" />
            <outline type="rss" text="B" xmlUrl="https://b.example/?x=1&amp;y=2" />
          </outline>
        </body>
      </opml>
      """)
    #expect(lines(document) == ["- | A | https://a.example/feed", "- | B | https://b.example/?x=1&y=2"])
  }

  @Test("What Apple's programs have written")
  func apple() throws {
    let document = try read(
      """
      <?xml version="1.0" encoding="utf-8"?>
      <opml version="1.0"><head><title>Podcast Subscriptions</title></head><body><outline text="Podcasts">
      <outline text="Tom &amp; J&eacute;rry" type="rss" xmlUrl="http://a.example/feed?x=1&y=2" /></outline></body></opml>
      """)
    #expect(lines(document) == ["Podcasts | Tom & Jérry | http://a.example/feed?x=1&y=2"])
  }

  @Test("A group of all feeds that is called feeds is none, with others beside it it is one")
  func wrapper() throws {
    let inner = "<outline text='feeds'><outline xmlUrl='https://a.example/1'/></outline>"
    let nested = "<outline text='feeds'>\(inner)</outline>"
    #expect(try body(nested).feeds.map(\.group) == ["feeds"])
    #expect(try body(nested + "<outline xmlUrl='https://a.example/2'/>").feeds.map(\.group) == ["feeds/feeds", nil])
    let named = "<outline text='feeds' title='feeds'><outline xmlUrl='https://a.example/1'/></outline>"
    #expect(try body(named).feeds.map(\.group) == ["feeds"])
    let similar = "<outline text='feedstuff'><outline xmlUrl='https://a.example/1'/></outline>"
    #expect(try body(similar).feeds.map(\.group) == ["feedstuff"])
  }

  @Test(
    "An outline with a url is a feed where its type says so, and is named otherwise",
    arguments: [
      ("type='rss'", true), ("type='RSS' htmlUrl='https://a.example'", true), ("type='atom'", true),
      ("type='link' text='T'", true), ("type='link'", false),
      ("type='link' text='T' htmlUrl='https://a.example'", false),
      ("type='include' text='T'", false), ("text='T'", false),
    ])
  func otherURLs(attributes: String, isFeed: Bool) throws {
    let document = try body("<outline \(attributes) url='https://a.example/x'/>")
    #expect(document.feeds.map(\.address.description) == (isFeed ? ["https://a.example/x"] : []))
    #expect(document.rejected.map(\.url) == (isFeed ? [] : ["https://a.example/x"]))
  }

  @Test("A link to a list, a feed with a page alone, and what is in an outline that is named")
  func otherOutlines() throws {
    let document = try body(
      """
      <outline type="link" text="L" url="https://a.example/list.opml?x"/><outline type="rss" htmlUrl="https://a.example/"/>
      <outline type="include" text="I" url="https://a.example/i"><outline xmlUrl="https://a.example/1"/></outline>
      <outline text="P" htmlUrl="https://a.example/p"/><outline type="rss" xmlUrl="https://a.example/2" url="https://a.example/3"/>
      """)
    let named = ["https://a.example/list.opml", "https://a.example/", "https://a.example/i"]
    #expect(document.rejected.map(\.url) == named)
    #expect(lines(document) == ["I | - | https://a.example/1", "- | - | https://a.example/2"])
  }

  @Test("Groups nest, and a slash in a name is no group")
  func groups() throws {
    let document = try body(
      """
      <outline text="News/Talk"><outline text="Back\\slash"><outline xmlUrl="https://a.example/1"/></outline>
      <outline xmlUrl="https://a.example/2"/></outline><outline text=""><outline xmlUrl="https://a.example/3"/></outline>
      <outline title="Only a title"><outline text="Feed" xmlUrl="https://a.example/4"><outline xmlUrl="https://a.example/5"/>
      </outline></outline><outline xmlUrl="https://a.example/6"/>
      """)
    #expect(
      document.feeds.map(\.group) == [
        #"News\/Talk/Back\\slash"#, #"News\/Talk"#, nil, "Only a title", "Only a title", nil,
      ])
  }

  @Test("Wrong cases, no type, other attributes and old schemes")
  func cases() throws {
    let document = try read(
      """
      <OPML><BODY><Outline TEXT='A' XMLURL='https://a.example/1'></Outline><outline xmlurl="feed://a.example/2"/>
      <outline type="link" xmlUrl="itpc://a.example/3"/><outline type=rss xmlUrl=https://a.example/4 />
      <outline xmlUrl=" https://a.example/5 "/></BODY></OPML>
      """)
    let expected = [
      "https://a.example/1", "http://a.example/2", "http://a.example/3", "https://a.example/4", "https://a.example/5",
    ]
    #expect(document.feeds.map(\.address.description) == expected)
  }

  @Test("Of several outlines for one feed the first counts")
  func duplicates() throws {
    let document = try body(
      """
      <outline text="One" xmlUrl="https://a.example/feed"/><outline text="G"><outline text="Two" xmlUrl="https://a.example/feed"/>
      <outline text="Three" xmlUrl="http://A.example/feed"/></outline><outline text="Four" xmlUrl="https://a.example/feed?x"/>
      """)
    #expect(lines(document) == ["- | One | https://a.example/feed", "- | Four | https://a.example/feed?x"])
  }

  @Test("A title is plain text, and no address")
  func titles() throws {
    let document = try body(
      """
      <outline text="  many\n blanks " xmlUrl="https://a.example/1"/><outline text="List&lt;b&gt;" xmlUrl="https://a.example/2"/>
      <outline text="https://a.example/3" xmlUrl="https://a.example/3"/><outline title="" text="T" xmlUrl="https://a.example/4"/>
      """)
    #expect(document.feeds.map(\.title) == ["many blanks", "List<b>", nil, "T"])
  }

  @Test(
    "A URL that no feed can have is rejected, without its secrets",
    arguments: [
      ("ftp://user:pass@a.example/feed?token=1", "ftp://a.example/feed", true),
      ("javascript:alert(1)", "javascript:alert(1)", true),
      ("https://me:pw@/feed?x", "https:///feed", false), ("me:pw@a.example", "a.example", true),
      ("a.example/feed.xml", "a.example/feed.xml", false),
      ("https://a@b@gr\u{FFFD}n.example/f#x", "https://gr\u{FFFD}n.example/f", false),
      ("file:///etc/passwd", "file:///etc/passwd", true), ("///", "///", false),
    ])
  func rejections(url: String, shown: String, isUnsupported: Bool) throws {
    let document = try body("<outline xmlUrl=\"\(url)\"/><outline xmlUrl=\"https://a.example/feed\"/>")
    #expect(document.rejected == [OPMLDocument.Rejection(url: shown, isUnsupportedScheme: isUnsupported)])
    #expect(document.feeds.count == 1 && document.rejectedCount == 1)
  }

  @Test("Broken documents give what is in them")
  func broken() throws {
    #expect(
      try body("<outline xmlUrl=\"https://a.example/?a=1&b=2&c\"/>").feeds.first?.address.description.hasSuffix("b=2&c")
        == true)
    #expect(
      try read("<opml><body><outline xmlUrl=\"https://a.example/1\"/><outline xmlUrl=\"https://a.exam").feeds.count == 1
    )
    #expect(try read("<outline text=\"A\"><outline xmlUrl=\"https://a.example/1\"/>").feeds.map(\.group) == ["A"])
    #expect(try body("</outline></outline><outline xmlUrl=\"https://a.example/1\"/>").feeds.count == 1)
    #expect(try body("<outline text=\"A\"><outline xmlUrl=\"https://a.example/1\">").feeds.count == 1)
    #expect(try body("<outline text=\"A < B\" xmlUrl=\"https://a.example/1\"/>").feeds.map(\.title) == ["A < B"])
    #expect(try read("\u{FEFF}\n\n<opml><body></body></opml>").feeds.isEmpty)
    #expect(
      try OPMLReader.read(
        "<?xml encoding='iso-8859-1'?><opml><outline text='".utf8 + [0xE9]
          + "' xmlUrl='https://a.example/'/></opml>".utf8
      ).feeds.map(\.title) == ["é"])
  }

  @Test("Unclosed outlines keep each feed, and the group of the deepest")
  func unclosed() throws {
    let document = try body((0..<10_000).map { "<outline text='g' xmlUrl='https://a.example/\($0)'>" }.joined())
    #expect(document.feeds.count == 10_000 && document.feeds.allSatisfy { $0.group == nil })
    let groups = try body(
      (0..<1000).map { "<outline text='g\($0)'><outline xmlUrl='https://a.example/\($0)'/>" }.joined())
    #expect(groups.feeds.count == 1000)
    #expect(groups.feeds.map { OPMLGroup.names(of: $0.group ?? "").count }.max() == OPMLLimits.maximumDepth)
    let named = try body(
      "<outline text='\(String(repeating: "é/", count: 5000))'><outline xmlUrl='https://a.example/'/></outline>")
    #expect((named.feeds.first?.group?.utf8.count ?? .max) <= OPMLLimits.maximumTitleBytes * 2)
  }

  @Test(
    "What is no OPML is told apart",
    arguments: [
      ("", OPMLError.empty), (" \n", .empty), ("<?xml version='1.0'?><!-- -->", .empty),
      ("<rss version='2.0'><channel><outline/></channel></rss>", .feed), ("<feed xmlns='x'/>", .feed),
      ("<rdf:RDF/>", .feed), ("<!DOCTYPE html><html><body>", .page), ("<x/>", .unknown),
      ("https://a.example/feed", .empty),
      ("PK\u{3}\u{4}", .empty),
    ])
  func others(text: String, error: OPMLError) {
    #expect(throws: error) { try read(text) }
  }

  @Test("The result does not depend on the pieces")
  func pieces() throws {
    let bytes = Array(
      """
      <?xml version="1.0"?><!DOCTYPE opml [<!ENTITY a "b">]><opml><head><title>A &amp; B</title></head><body>
      <outline text="Gr&#xFC;n"><outline text='x > y' xmlUrl="https://a.example/1"/></outline><!-- <outline xmlUrl="https://a.example/2"/> -->
      <outline xmlUrl="ftp://a.example"/><![CDATA[<outline xmlUrl="https://a.example/3"/>]]></body></opml>
      """.utf8)
    let whole = try OPMLReader.read(bytes)
    #expect(lines(whole) == ["Grün | x > y | https://a.example/1"] && whole.title == "A & B")
    for size in 1...40 {
      var reader = OPMLReader()
      for start in stride(from: 0, to: bytes.count, by: size) {
        reader.parse(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(try reader.finish() == whole, "pieces of \(size)")
    }
  }
}
