import Feeds
import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

/// To which addresses the requests of a refresh may lead.
extension RefreshAttemptTests {
  private static let second = "https://second.example/f.xml"

  private static func linked(to url: String, from place: AddressClass) -> Answer {
    let link = "<atom:link xmlns:atom=\"http://www.w3.org/2005/Atom\" rel=\"next\" href=\"\(url)\"/>"
    return Answer(body: rss(7...9, link), peer: place)
  }

  private static func moved(to url: String, from place: AddressClass) -> Answer {
    let move =
      "<itunes:new-feed-url xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">\(url)</itunes:new-feed-url>"
    return Answer(body: rss(7...9, move), peer: place)
  }

  @Test(
    "The feed's own address is a person's word, and what its documents name is as theirs was",
    arguments: AddressClass.allCases)
  func reach(_ place: AddressClass) throws {
    for first in [Self.linked(to: Self.second, from: place), Self.moved(to: Self.second, from: place)] {
      rows.traces = []
      let (_, requests) = try run(
        try feed(), [Self.address: first, Self.second: Answer(body: Self.rss(1...9), peer: place)])
      #expect(requests.map(\.url) == [Self.address, Self.second])
      #expect(requests.map(\.reach) == [.asNamed, place == .public ? .publicOnly : .asNamed])
    }
  }

  @Test("A feed that has moved by itself is asked for at public addresses only")
  func led() throws {
    let (_, requests) = try run(try feed { $0.refreshes.isLed = true }, [Self.address: Answer(body: Self.rss(1...2))])
    #expect(requests.map(\.reach) == [.publicOnly])
  }

  @Test("The setting counts for all requests of a refresh", arguments: AddressRule.allCases)
  func setting(_ rule: AddressRule) throws {
    var settings = Settings()
    settings.addresses = rule
    let (_, requests) = try run(
      try feed(), with: settings,
      [
        Self.address: Self.linked(to: Self.second, from: .public),
        Self.second: Answer(body: Self.rss(1...9), peer: .public),
      ])
    let reach: Reach = rule == .any ? .anywhere : .publicOnly
    #expect(requests.map(\.reach) == [reach, reach])
  }

  @Test("A feed stays where it is when the address to which it moves may not be reached")
  func refusedMove() throws {
    let failure = ExchangeFailure(.notPublic, message: "192.168.1.1 is no public address")
    let (news, requests) = try run(
      try feed(),
      [Self.address: Self.moved(to: Self.second, from: .public), Self.second: Answer(failure: failure)])
    #expect(requests.count == 2)
    #expect(!news.contains { if case .moved = $0 { true } else { false } })
    _ = try findings(news.last)
  }
}
