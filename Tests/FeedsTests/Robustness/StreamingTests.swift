import PodfluxCore
import Testing

@testable import Feeds

@Suite("Reading as the bytes arrive")
struct StreamingTests {
  @Test("An episode is handed out with its last byte")
  func promptness() throws {
    var parser = FeedParser(address: nil)
    var titles: [String?] = []
    parser.parse("<rss><channel><title>T</title><item><title>One</title></item".utf8) { titles.append($0.title) }
    #expect(titles.isEmpty && parser.podcast.title == "T" && !parser.isOver)
    parser.parse(">".utf8) { titles.append($0.title) }
    #expect(titles == ["One"])
    parser.parse("<item><title>Two</title></item></channel></rss>".utf8) { titles.append($0.title) }
    #expect(titles == ["One", "Two"] && parser.isOver)
    parser.parse("<item><title>Three</title></item>".utf8) { titles.append($0.title) }
    let outcome = parser.finish { titles.append($0.title) }
    #expect(titles == ["One", "Two"])
    guard case .feed(let report) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(report.episodes == 2 && report.isWhole && report.dialect == .rss && report.problems.count == 0)
  }

  @Test(
    "A document is whole with its root's end tag, in RSS with the channel's, and without it nowhere",
    arguments: [
      "<rss><channel><item><title>One</title></item></channel></rss>",
      "<channel><item><title>One</title></item></channel>",
      "<rdf:RDF><channel><title>T</title></channel><item><title>One</title></item></rdf:RDF>",
      "<feed><entry><title>One</title></entry></feed>",
    ])
  func wholeness(document: String) throws {
    let isWholeFrom = document.hasPrefix("<rss") ? document.utf8.count - "</rss>".utf8.count : document.utf8.count
    for length in "<channel>".utf8.count...document.utf8.count {
      let report = try Reading(String(document.prefix(length))).report
      #expect(report.map { $0.isWhole == (length >= isWholeFrom) } ?? true, "\(document.prefix(length))")
    }
    #expect(try Reading(document + "<b>Fatal error").report?.isWhole == true)
    let part = String(document.dropLast("</rss>".utf8.count)) + "<b>Fatal error"
    #expect(try Reading(part).report?.isWhole == document.hasPrefix("<rss"))
  }

  @Test("A copy of a parser reads on by itself")
  func copies() throws {
    var parser = FeedParser(address: nil)
    var episodes = 0
    parser.parse("<rss><channel><item><title>One</ti".utf8) { _ in episodes += 1 }
    var copy = parser
    copy.parse("tle></item>".utf8) { _ in episodes += 1 }
    #expect(episodes == 1)
    parser.parse("tle></item>".utf8) { _ in episodes += 1 }
    #expect(episodes == 2)
  }

  @Test("Any sequence of bytes is taken, contiguous or not")
  func sequences() throws {
    let text = "<rss><channel><item><title>One</title></item></channel></rss>"
    var parser = FeedParser(address: nil)
    var titles: [String?] = []
    parser.parse(text.utf8.lazy.map { $0 }) { titles.append($0.title) }
    #expect(titles == ["One"] && parser.isOver)
  }

  /// One feed of 40 MB with 20,000 episodes, as the issue names it, made piece by piece.
  @Test("A feed of 40 MB is read with the memory of an episode")
  func longFeed() throws {
    let episodes = 20_000
    let words = String(repeating: "In this episode we speak of caf\u{E9}s &amp; more. ", count: 20)
    var parser = FeedParser(address: try WebAddress(Reading.address))
    var (count, bytes, largest, wrong) = (0, 0, 0, 0)
    func take(_ episode: FeedEpisode) {
      count += 1
      if episode.ordinal != count || episode.guid != "guid-\(count)" || episode.enclosures.count != 1
        || episode.description?.utf8.count != words.utf8.count - 20 * 4 + 7
      {
        wrong += 1
      }
    }
    func feed(_ text: String) {
      bytes += text.utf8.count
      parser.parse(text.utf8, take)
      largest = max(largest, parser.retainedBytes)
    }
    let clock = ContinuousClock()
    let start = clock.now
    feed("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Long</title>")
    for number in 1...episodes {
      feed(
        """
        <item><title>Episode \(number)</title><guid isPermaLink="false">guid-\(number)</guid>
        <pubDate>Tue, 03 Feb 2015 10:00:00 +0100</pubDate><link>https://show.example/\(number)</link>
        <enclosure url="https://cdn.example/\(number).mp3?a=1&amp;b=2" length="\(number)" type="audio/mpeg"/>
        <description><![CDATA[<p>\(words.replacing("&amp;", with: "&"))</p>]]></description>
        <content:encoded>&lt;p&gt;\(words)&lt;/p&gt;</content:encoded></item>

        """)
    }
    feed("</channel></rss>")
    let outcome = parser.finish(take)
    print("A feed of \(bytes) bytes: \(clock.now - start) with its making, at most \(largest) bytes kept")
    guard case .feed(let report) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(bytes > 39_000_000 && count == episodes && report.episodes == episodes && wrong == 0)
    #expect(report.isWhole && report.problems.count == 0)
    #expect(largest < 16 * 1024)
  }
}
