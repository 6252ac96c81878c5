import EngineRuntime
import PodfluxCore
import Testing

@testable import PodfluxSimulation

/// Servers of feeds, where a seed once took the model's mistake for the product's.
@Suite("The simulated servers of feeds")
struct SimulatedFeedsTests {
  /// Seed 103, with feeds and rules: the versions of two podcasts were equal, and so were the dates of their feeds. The
  /// server said that nothing had changed, and a refresh counted as one that had read the other podcast's feed.
  @Test("A server that sends another podcast's feed by mistake does not say that its own has not changed")
  func mistakenDates() throws {
    var place = FeedPlace(try WebAddress("http://a.example/feed.xml"), of: 0, isHonest: true)
    place.validators = .dates
    let date = try #require(place.validate([1], version: 3, for: request()).fields.first)
    #expect(date.name == "Last-Modified")
    #expect(place.validate([1], version: 3, for: request(since: date.value)).is304)
    #expect(!place.validate([1], version: 4, for: request(since: date.value)).is304)
    place.content = .mistaken(podcast: 1)
    #expect(!place.validate([2], version: 3, for: request(since: date.value)).is304)
  }

  private func request(since date: String? = nil) -> HTTPRequest {
    HTTPRequest(
      url: "http://a.example/feed.xml", ownFields: date.map { [("If-Modified-Since", $0)] } ?? [], userAgent: "test",
      connectTimeoutMilliseconds: 1, firstByteTimeoutMilliseconds: 1, stallTimeoutMilliseconds: 1)
  }
}
