import Flux
import PodfluxCore
import Testing

@testable import Feeds

/// Lists that are made to exhaust a reader.
@Suite("Hostile OPML")
struct OPMLHostileTests {
  struct Hostile: Sendable, CustomTestStringConvertible {
    var name: String
    var head = "<opml><body>"
    var part: String
    var times: Int
    var tail = "<outline xmlUrl='https://last.example/'/></body></opml>"
    /// Whether the outline behind it is read.
    var hasLast = true

    var testDescription: String { name }
  }

  private static let documents = [
    Hostile(name: "depth", part: "<outline text='g'>", times: 90_000),
    Hostile(name: "depth of others", part: "<a>", times: 1_000_000),
    Hostile(name: "ends", part: "</outline>", times: 1_000_000),
    Hostile(name: "too many outlines", part: "<outline/>", times: 300_000, hasLast: false),
    Hostile(
      name: "a name", head: "<opml><body><outline text='", part: "x", times: 10_000_000,
      tail: "' xmlUrl='https://last.example/'/>", hasLast: false),
    Hostile(name: "names of groups", part: "<outline text='\(String(repeating: "/", count: 15_000))'>", times: 2000),
    Hostile(
      name: "attributes", head: "<opml><body><outline", part: " a='1'", times: 1_000_000,
      tail: "/><outline xmlUrl='https://last.example/'/>"),
    Hostile(
      name: "entities", head: "<!DOCTYPE opml [<!ENTITY a \"aaaaaaaaaa\">", part: "<!ENTITY b \"&a;&a;&a;&a;\">",
      times: 30_000,
      tail: "]><opml><outline text='&b;' xmlUrl='https://last.example/'/></opml>"),
    Hostile(
      name: "a title", head: "<opml><head><title>", part: "&amp;", times: 2_000_000,
      tail: "</title><outline xmlUrl='https://last.example/'/>"),
    Hostile(
      name: "titles", head: "<opml><head>", part: "<title>x", times: 500_000,
      tail: "<outline xmlUrl='https://last.example/'/>"),
    Hostile(
      name: "rejected addresses", part: "<outline xmlUrl='ftp://\(String(repeating: "a", count: 1000))'/>",
      times: 20_000),
    Hostile(
      name: "a comment", head: "<opml><!--", part: "-", times: 8_000_000,
      tail: "--><outline xmlUrl='https://last.example/'/>"),
  ]

  @Test("It is read with little memory", arguments: documents)
  func hostile(document: Hostile) throws {
    var reader = OPMLReader()
    var largest = 0
    let start = ContinuousClock.now
    reader.parse(document.head.utf8)
    let pieceTimes = max(1, min(65_536 / document.part.utf8.count, document.times))
    let piece = String(repeating: document.part, count: pieceTimes)
    for _ in 0..<(document.times / pieceTimes) where !reader.isOver {
      reader.parse(piece.utf8)
      largest = max(largest, reader.retainedBytes)
    }
    reader.parse(document.tail.utf8)
    let result = try reader.finish()
    print(
      "\(document.name): \(document.part.utf8.count * document.times) bytes, \(ContinuousClock.now - start), \(largest) kept"
    )
    #expect(largest <= 2 * FeedLimits.maximumTagBytes)
    #expect((result.feeds.last?.address.host == "last.example") == document.hasLast)
    #expect(result.rejected.count <= OPMLLimits.maximumRejections)
    #expect(result.rejected.allSatisfy { $0.url.count <= OPMLLimits.maximumRejectedCharacters })
    #expect((result.feeds.last?.group ?? "").utf8.count <= OPMLLimits.maximumGroupBytes)
  }

  @Test("A list with more text than is kept is cut")
  func text() throws {
    let long = String(repeating: "x", count: 8000)
    var reader = OPMLReader()
    reader.parse("<opml>".utf8)
    for number in 0..<10_000 { reader.parse("<outline xmlUrl='https://a.example/\(number)/\(long)'/>".utf8) }
    let result = try reader.finish()
    #expect(result.isCut)
    #expect(result.feeds.count == OPMLLimits.maximumTextBytes / (long.utf8.count + 23))
  }

  @Test("What has no root is given up")
  func rootless() throws {
    var reader = OPMLReader()
    let blanks = String(repeating: " ", count: 65_536)
    for _ in 0..<17 { reader.parse(blanks.utf8) }
    #expect(reader.isOver)
    #expect(throws: OPMLError.empty) { try reader.finish() }
  }

  @Test("10,000 outlines take a moment")
  func size() throws {
    let outlines = (0..<10_000).map {
      "<outline type=\"rss\" text=\"Podcast \($0)\" xmlUrl=\"https://a.example/\($0)/feed.xml\"/>\n"
    }
    let bytes = Array(("<opml version=\"2.0\"><body>" + outlines.joined() + "</body></opml>").utf8)
    let start = ContinuousClock.now
    #expect(try OPMLReader.read(bytes).feeds.count == 10_000)
    print("10,000 outlines, \(bytes.count) bytes: \(ContinuousClock.now - start)")
  }

  @Test(
    "Mutations are read, whole and in pieces alike, and written so that they are read again", arguments: [UInt64(1), 2])
  func mutations(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sample = Array(
      """
      <?xml version="1.0"?><opml version="2.0"><head><title>A &amp; B</title></head><body><outline text="Gr&#xFC;n/x">
      <outline text='One' xmlUrl="https://a.example/1?a=1&amp;token=2"/></outline><outline xmlUrl="ftp://me:pw@b.example/"/>
      <!-- c --><outline title="Two" type="rss" xmlUrl="feed://c.example/2" htmlUrl="https://c.example/"></outline></body></opml>
      """.utf8)
    let tokens = [
      "<", ">", "&", "\"", "'", "</outline>", "<outline ", "xmlUrl=", "<![CDATA[", "]]>", "<!--", "\u{0}", "é", "\\/",
    ]
    for round in 0..<2000 {
      var bytes = sample
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let length = min(Int.random(in: 0...40, using: &random), bytes.count - place)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<place + length)
        case 2: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
        default: bytes.insert(contentsOf: (tokens.randomElement(using: &random) ?? "").utf8, at: place)
        }
      }
      let whole = Result { try OPMLReader.read(bytes) }
      let size = Int.random(in: 1...40, using: &random)
      let parts = Result {
        var reader = OPMLReader()
        for start in stride(from: 0, to: bytes.count, by: size) { reader.parse(bytes[start...].prefix(size)) }
        return try reader.finish()
      }
      #expect((try? whole.get()) == (try? parts.get()), "seed \(seed), round \(round), pieces of \(size)")
      guard case .success(let document) = whole else { continue }
      let feeds = document.feeds.map { OPMLWriter.Feed(address: $0.address, title: $0.title, group: $0.group) }
      let again = try OPMLReader.read(OPMLWriter(title: "T", includesSecrets: true).text(of: feeds).utf8)
      #expect(
        again.feeds.map(\.address.description).sorted() == document.feeds.map(\.address.description).sorted(),
        "seed \(seed), round \(round)")
      #expect(again.rejected.isEmpty, "seed \(seed), round \(round)")
    }
  }
}
