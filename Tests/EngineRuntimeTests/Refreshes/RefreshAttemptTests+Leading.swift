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

  @Test("A permanent redirect that ends in a 304 moves nothing; the next whole body does")
  func redirectedUnchanged() throws {
    let (first, _) = try run(try feed(), [Self.address: Answer(body: Self.rss(1...3), fields: [("ETag", "\"v1\"")])])
    let read = try findings(first.last).validators
    var known = try feed {
      $0.refreshes.validators = read
      $0.episodes = 3
      $0.refreshes.last = now.wall
    }
    let (news, _) = try run(known, [Self.address: Answer(status: 304, permanentURL: Self.target)])
    #expect(try findings(news.last).validators == read)
    #expect(!news.contains { if case .moved = $0 { true } else { false } }, "nothing proves that the feed is there")
    known.refreshes.validators.fullBodyAt = now.wall.advanced(byMilliseconds: -ConditionalPolicy.trustMilliseconds - 1)
    let (moved, requests) = try run(
      known, [Self.address: Answer(body: Self.rss(1...3), url: Self.target, permanentURL: Self.target)])
    #expect(!requests.contains { $0.ownFields.contains { $0.name.hasPrefix("If-") } })
    #expect(moved.contains { if case .moved(let address) = $0 { address.description == Self.target } else { false } })
  }

  private func error(in news: RefreshReport.News?) -> DownloadError? {
    guard case .failed(let error, _)? = news else { return nil }
    return error
  }
}
