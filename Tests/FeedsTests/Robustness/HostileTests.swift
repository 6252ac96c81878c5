import PodfluxCore
import Testing

@testable import Feeds

/// Documents that are made to exhaust a parser. Each is read or refused within a bounded memory; what is in it that can
/// be read is.
@Suite("Hostile documents")
struct HostileTests {
  /// A document by its parts, so that no test holds tens of megabytes.
  struct Hostile: Sendable, CustomTestStringConvertible {
    var name: String
    var head = #"<?xml version="1.0"?><rss version="2.0"><channel><title>T</title>"#
    var part: String
    var times: Int
    var tail = "<item><title>Last</title><guid>last</guid></item></channel></rss>"
    /// The titles of its episodes, the first three; nil for a document that is no feed.
    var titles: [String]? = ["Last"]

    var testDescription: String { name }
  }

  private static let item = "<item><title>Last</title>"

  private static let documents: [Hostile] = [
    Hostile(
      name: "entities that multiply", head: "<!DOCTYPE rss [<!ENTITY a \"aaaaaaaaaa\">",
      part: "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">", times: 50_000,
      tail: "]><rss><channel><item><title>&b;</title></item></channel></rss>", titles: nil),
    Hostile(
      name: "references without end",
      head: "<!DOCTYPE rss [<!ENTITY a \"x\">]><rss><channel><item><title>Last</title><link>",
      part: "&a;", times: 1_000_000, tail: "</link></item></channel></rss>"),
    Hostile(
      name: "an external entity",
      head: "<!DOCTYPE rss [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><rss><channel><item><title>", part: "&a;",
      times: 1,
      tail: "</title></item></channel></rss>", titles: ["&a;"]),
    Hostile(
      name: "an external document type", head: "<!DOCTYPE rss SYSTEM \"http://127.0.0.1:1/x.dtd\"><rss><channel>",
      part: " ", times: 1),
    Hostile(name: "depth", part: "<a>", times: 1_000_000),
    Hostile(name: "depth with names", part: "<abcdefghij>", times: 500_000),
    Hostile(name: "depth within an episode", part: "<description>", times: 200_000),
    Hostile(name: "end tags that match nothing", part: "</b>", times: 1_000_000),
    Hostile(name: "start and end that do not match", part: "<a></b>", times: 500_000),
    Hostile(
      name: "a text", head: "<rss><channel><item><title>Last</title><description>", part: "x", times: 10_000_000,
      tail: "</description></item></channel></rss>"),
    Hostile(
      name: "a text of ampersands", head: "<rss><channel><item><title>Last</title><description>", part: "&",
      times: 4_000_000, tail: "</description></item></channel></rss>"),
    Hostile(
      name: "a text of angles", head: "<rss><channel><item><title>Last</title><description>", part: "<",
      times: 4_000_000, tail: "</description></item></channel></rss>"),
    Hostile(name: "a CDATA section that does not end", part: "<![CDATA[", times: 500_000, titles: []),
    Hostile(
      name: "brackets in a CDATA section", head: "<rss><channel><item><title>Last</title><description><![CDATA[",
      part: "]", times: 4_000_000, tail: "]]></description></item></channel></rss>"),
    Hostile(
      name: "a comment", head: "<rss><channel><!--", part: "-", times: 8_000_000,
      tail: "--><item><title>Last</title></item></channel></rss>"),
    Hostile(
      name: "an instruction", head: "<rss><channel><?x ", part: "?", times: 8_000_000,
      tail: "?><item><title>Last</title></item></channel></rss>"),
    Hostile(
      name: "a value of an attribute",
      head: item.replacing("<item>", with: "<rss><channel><item>") + "<enclosure url=\"",
      part: "x", times: 10_000_000, tail: "\"/></item></channel></rss>"),
    Hostile(
      name: "attributes", head: "<rss><channel><item><title>Last</title><enclosure", part: " a=\"1\"",
      times: 1_000_000, tail: "/></item></channel></rss>"),
    Hostile(
      name: "namespaces", head: "<rss><channel><item><title>Last</title><enclosure", part: " xmlns:a=\"urn:a\"",
      times: 200_000, tail: "/></item></channel></rss>"),
    Hostile(name: "namespaces of many elements", part: "<a xmlns:b=\"urn:b\">", times: 100_000),
    Hostile(
      name: "a name", head: "<rss><channel><", part: "x", times: 10_000_000,
      tail: "/><item><title>Last</title></item></channel></rss>"),
    Hostile(
      name: "an end tag's name", head: "<rss><channel></", part: "x", times: 8_000_000,
      tail: "><item><title>Last</title></item></channel></rss>"),
    Hostile(
      name: "a quote that stays open", head: "<rss><channel><a b=\"", part: "<item x=y>", times: 500_000, titles: []),
    Hostile(
      name: "a document type that stays open", head: "<!DOCTYPE rss [", part: "<!ELEMENT a (b)>", times: 100_000,
      titles: nil),
    Hostile(
      name: "persons", head: "<rss><channel><item><title>Last</title>", part: "<podcast:person>P</podcast:person>",
      times: 10_000, tail: "</item></channel></rss>"),
    Hostile(
      name: "categories of the podcast", part: "<category>c</category><podcast:person>p</podcast:person>",
      times: 50_000),
    Hostile(name: "problems", part: "<ttl>never</ttl>", times: 20_000),
    Hostile(name: "empty episodes", part: "<item/>", times: 50_000),
    Hostile(name: "a page without end", head: "<html><body>", part: "<p>no feed", times: 500_000, titles: nil),
    Hostile(name: "bytes without meaning", head: "", part: "\u{0}\u{1}\u{2}", times: 1_000_000, tail: "", titles: nil),
  ]

  @Test("It is read with little memory", arguments: documents)
  func hostile(document: Hostile) throws {
    var parser = FeedParser(address: try WebAddress(Reading.address))
    var (titles, episodes, largest): ([String], [FeedEpisode], Int) = ([], [], 0)
    func feed(_ text: String) {
      parser.parse(text.utf8) { if titles.count < 3 { episodes.append($0); titles.append($0.title ?? "") } }
      largest = max(largest, parser.retainedBytes)
    }
    let clock = ContinuousClock()
    let start = clock.now
    feed(document.head)
    // In pieces of about 64 KiB.
    let pieceTimes = max(1, 65_536 / document.part.utf8.count)
    let piece = String(repeating: document.part, count: min(pieceTimes, document.times))
    for _ in 0..<(document.times / pieceTimes) where !parser.isOver { feed(piece) }
    feed(String(repeating: document.part, count: document.times % pieceTimes))
    feed(document.tail)
    let outcome = parser.finish {
      episodes.append($0); titles.append($0.title ?? "")
    }
    print("\(document.name): \(document.part.utf8.count * document.times) bytes, \(clock.now - start), \(largest) kept")

    #expect(largest <= FeedLimits.maximumTagBytes + 2 * FeedLimits.maximumDescriptionBytes)
    guard let expected = document.titles else {
      if case .feed = outcome { #expect(titles == ["&b;"]) }
      return
    }
    guard case .feed(let report) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(titles == expected)
    #expect(report.problems.first.count <= FeedLimits.maximumProblems)
    #expect(report.podcast.persons.count <= FeedLimits.maximumRepetitions)
    for episode in episodes {
      #expect((episode.description?.utf8.count ?? 0) <= FeedLimits.maximumDescriptionBytes)
      #expect(episode.persons.count <= FeedLimits.maximumRepetitions)
    }
  }

  @Test("A text that is too long is cut at a character, and a problem")
  func cutting() throws {
    let text = String(repeating: "é", count: FeedLimits.maximumTextBytes / 2 + 1)
    for shift in ["", "x"] {
      let reading = try Reading(item: "<guid>\(shift)\(text)</guid>")
      let guid = try #require(reading.episodes.first?.guid)
      #expect(guid.utf8.count >= FeedLimits.maximumTextBytes - 1 && guid.hasSuffix("é"))
      #expect(reading.problems == [FeedProblem(element: "guid", fault: .tooLong, episode: 1)])
    }
  }

  @Test("An attribute that is too long costs the attribute")
  func longAttribute() throws {
    let long = String(repeating: "x", count: FeedLimits.maximumAttributeBytes + 1)
    let reading = try Reading(item: #"<enclosure url="https://cdn.example/1.mp3" type="\#(long)"/>"#)
    #expect(reading.episodes.first?.enclosures.map(\.address.description) == ["https://cdn.example/1.mp3"])
    #expect(reading.problems == [FeedProblem(element: "enclosure", attribute: "type", fault: .tooLong, episode: 1)])
  }

  @Test("A document without a root is searched up to a limit")
  func noRoot() throws {
    var parser = FeedParser(address: nil)
    let piece = String(repeating: "<p>words</p>", count: 1000)
    for _ in 0...(FeedLimits.maximumBytesBeforeRoot / piece.utf8.count) { parser.parse(piece.utf8) { _ in } }
    #expect(parser.isOver)
    #expect(parser.finish { _ in } == .unknown)
  }
}
