import Feeds
import PodfluxCore
import Testing

@testable import EngineRuntime

/// Pages and redirects that lead to a feed elsewhere.
extension RefreshAttemptTests {
  private static let target = "https://elsewhere.example/f.xml"
  private static let page = """
    <html><head><link rel="alternate" type="application/rss+xml" href="\(target)"></head></html>
    """

  @Test("A page that names a feed with another subscription is no second way to its episodes, and says whose it is")
  func pageOfSubscribed() throws {
    rows.subscriptions = [try WebAddress(Self.target): try #require(FeedID("other"))]
    let (news, requests) = try run(
      try feed(), [Self.address: Answer(body: Self.page), Self.target: Answer(body: Self.rss(1...3))])
    #expect(requests.map(\.url) == [Self.address])
    #expect(news.count == 1)
    let failure = try #require(error(in: news.last))
    #expect(failure.code == .notMedia)
    #expect(failure.message.contains("subscribed already, as other"))
    // Its own former address is none of another feed.
    rows.subscriptions = [try WebAddress(Self.target): try #require(FeedID("f"))]
    let (followed, _) = try run(
      try feed(), [Self.address: Answer(body: Self.page), Self.target: Answer(body: Self.rss(1...3))])
    #expect(followed.contains { if case .appeared = $0 { true } else { false } })
  }

  @Test("Feeds that cannot be read fail a page's refresh, which does not lead there unasked")
  func pageUnread() throws {
    rows.isUnreadable = true
    let (news, requests) = try run(try feed(), [Self.address: Answer(body: Self.page)])
    #expect(requests.map(\.url) == [Self.address])
    #expect(error(in: news.last)?.code == .io)
  }

  @Test("A permanent redirect that ends in a 304 moves the feed once its whole has been read, when a client asks")
  func redirectedUnchanged() throws {
    let (first, _) = try run(try feed(), [Self.address: Answer(body: Self.rss(1...3), fields: [("ETag", "\"v1\"")])])
    let read = try findings(first.last).validators
    let known = try feed {
      $0.refreshes.validators = read
      $0.episodes = 3
      $0.refreshes.last = now.wall
    }
    let unchanged = Answer(status: 304, permanentURL: Self.target)
    let (news, _) = try run(known, [Self.address: unchanged])
    let validators = try findings(news.last).validators
    #expect(!news.contains { if case .moved = $0 { true } else { false } }, "nothing proves that the feed is there")
    #expect(validators.isToBeReadAgain)
    #expect(ConditionalPolicy.condition(for: validators, at: now.wall, isAsked: false)?.entityTag == "\"v1\"")
    var asked = known
    asked.refreshes.validators = validators
    asked.refreshes.isAsked = true
    let (moved, requests) = try run(
      asked, [Self.address: Answer(body: Self.rss(1...3), url: Self.target, permanentURL: Self.target)])
    #expect(!requests.contains { $0.ownFields.contains { $0.name.hasPrefix("If-") } })
    #expect(moved.contains { if case .moved(let address) = $0 { address.description == Self.target } else { false } })
    // Without a redirect a 304 keeps all.
    let (stayed, _) = try run(known, [Self.address: Answer(status: 304)])
    #expect(try findings(stayed.last).validators == known.refreshes.validators)
  }

  private func error(in news: RefreshReport.News?) -> DownloadError? {
    guard case .failed(let error, _)? = news else { return nil }
    return error
  }
}
