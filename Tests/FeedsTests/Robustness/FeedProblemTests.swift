import Feeds
import Testing

@Suite("Problems of feeds")
struct FeedProblemTests {
  @Test("A problem names element, attribute and episode")
  func naming() throws {
    let reading = try Reading(
      channel: """
        <ttl>often</ttl><item><title>One</title><enclosure type="audio/mpeg"/></item>
        <item><title>Two</title><enclosure url="https://a.example/2.mp3" length="many"/></item><item/>
        """)
    #expect(
      reading.problems == [
        FeedProblem(element: "ttl", fault: .invalid("often")),
        FeedProblem(element: "enclosure", attribute: "url", fault: .missing, episode: 1),
        FeedProblem(element: "enclosure", attribute: "length", fault: .invalid("many"), episode: 2),
        FeedProblem(element: "item", fault: .unidentifiable, episode: 3),
      ])
    #expect(reading.episodes.map(\.title) == ["One", "Two"])
    #expect(reading.episodes.last?.enclosures.count == 1)
  }

  @Test("A quoted value is short")
  func quoting() throws {
    let reading = try Reading(item: "<itunes:season>\(String(repeating: "n", count: 500))</itunes:season>")
    guard case .invalid(let value) = try #require(reading.problems.first).fault else {
      return #expect(Bool(false), "\(reading.problems)")
    }
    #expect(value == String(repeating: "n", count: FeedLimits.maximumQuotedCharacters))
  }

  @Test("The first problems are kept, and all are counted")
  func bounds() throws {
    let reading = try Reading(channel: String(repeating: "<ttl>x</ttl>", count: 1000))
    #expect(reading.report?.problems.count == 1000)
    #expect(reading.problems.count == FeedLimits.maximumProblems)
  }

  @Test("One bad field costs nothing but itself")
  func isolation() throws {
    let reading = try Reading(
      item: """
        <guid>g</guid><pubDate>soon</pubDate><itunes:duration>long</itunes:duration><itunes:episode>x</itunes:episode>
        <itunes:season>2</itunes:season><enclosure url="https://a.example/1.mp3" length="?"/>
        """)
    let episode = try #require(reading.episodes.first)
    #expect(episode.guid == "g" && episode.season?.number == 2 && episode.enclosures.count == 1)
    #expect(episode.published == nil && episode.seconds == nil && episode.number == nil)
    #expect(reading.report?.problems.count == 4)
  }
}
