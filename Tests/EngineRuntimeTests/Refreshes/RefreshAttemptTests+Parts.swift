import Feeds
import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

/// Refreshes whose response is complete, and whose document is not.
extension RefreshAttemptTests {
  /// A document that ends in the middle of its last item.
  private static func part(_ numbers: some Sequence<Int>, title: String = "Show", _ more: String = "") -> String {
    let whole = rss(numbers, title: title, more)
    return String(whole.dropLast("pe=\"audio/mpeg\" length=\"9\"/></item></channel></rss>".count))
  }

  private func failure(_ news: RefreshReport.News?) throws -> (error: DownloadError, next: Timestamp) {
    guard case .failed(let error, let next)? = news else {
      Issue.record("\(String(describing: news))")
      throw Rows.Unreadable()
    }
    return (error, next)
  }

  @Test(
    "A document that ends early tells the episodes before its end and then fails; the next one is read whole",
    arguments: [1, 1000, 100_000])
  func firstPart(pieces: Int) throws {
    let fields = [("ETag", "\"v1\""), ("Last-Modified", "Mon, 01 Jun 2026 08:00:00 GMT")]
    let (news, _) = try run(
      try feed(), pieces: pieces, [Self.address: Answer(body: Self.part(1...300), fields: fields)])
    #expect(news.first == .described(PodcastContent(title: "Show")))
    #expect(rows.traces.map(\.guid) == (1...299).map { "g\($0)" })
    #expect(try failure(news.last).error == .feedEndsEarly)
    #expect(!news.contains { if case .refreshed = $0 { true } else { false } })
    // The row has no validators: nothing keeps the rest away, not even the same tag.
    let (rest, requests) = try run(
      try feed { $0.refreshes.failures = 1 }, [Self.address: Answer(body: Self.rss(1...310), fields: fields)])
    #expect(!requests[0].ownFields.contains { $0.name.hasPrefix("If-") })
    #expect(rows.traces.map(\.guid) == (1...310).map { "g\($0)" })
    #expect(try findings(rest.last).validators.entityTag == "\"v1\"")
  }

  @Test("The third part in a row of a feed that was never read whole counts as the whole, without validators")
  func thirdPart() throws {
    let answers = [Self.address: Answer(body: Self.part(1...4), fields: [("ETag", "\"v1\"")])]
    func feed(_ failures: Int, after error: DownloadError) throws -> Feed {
      try self.feed { ($0.refreshes.failures, $0.refreshes.error) = (failures, error) }
    }
    #expect(try failure(try run(try feed(1, after: .feedEndsEarly), answers).news.last).error == .feedEndsEarly)
    let lost = DownloadError(.connectionLost, "the connection broke")
    #expect(try failure(try run(try feed(2, after: lost), answers).news.last).error == .feedEndsEarly)
    let third = try findings(try run(try feed(2, after: .feedEndsEarly), answers).news.last)
    #expect(third.podcast?.title == "Show" && third.validators == FeedValidators())
  }

  @Test("No episode has left a feed of which only a part came; what is new in it, changed or back is told")
  func laterPart() throws {
    let known = try feed { $0.podcast = PodcastContent(title: "Show") }
    try run(known, [Self.address: Answer(body: Self.rss(1...6))])
    try run(known, [Self.address: Answer(body: Self.rss(2...6))])
    #expect(rows.traces.map(\.isMissingFromFeed) == [true, false, false, false, false, false])
    let part = Self.part([7, 1, 2, 3]).replacing("Episode 2<", with: "Episode two<")
    let (news, _) = try run(known, [Self.address: Answer(body: part)])
    #expect(try failure(news.last).error == .feedEndsEarly)
    #expect(rows.traces.allSatisfy { !$0.isMissingFromFeed })
    #expect(rows.traces.map(\.guid) == ["g1", "g2", "g3", "g4", "g5", "g6", "g7"])
    #expect(rows.traces[1].title == "Episode two")
    // Once more nothing is new, and it is a part nevertheless.
    #expect(try run(known, [Self.address: Answer(body: part)]).news.count == 1)
    for end in ["", "</chan", "</channel"] {
      let (again, _) = try run(
        known, [Self.address: Answer(body: Self.rss(1...3).replacing("</channel></rss>", with: end))])
      #expect(try failure(again.last).error == .feedEndsEarly, "\(end)")
    }
    let rootMissing = Self.rss(1...3).replacing("</rss>", with: "")
    _ = try findings(try run(known, [Self.address: Answer(body: rootMissing)]).news.last)
    #expect(rows.traces.map(\.isMissingFromFeed) == [false, false, false, true, true, true, true])
  }

  @Test("A feed that is never whole is refreshed as often as its rhythm says, one that was cut for once soon")
  func nextRefresh() throws {
    let settings = Settings()
    let minute: Int64 = 60_000
    func wait(afterFailures failures: Int, _ settings: Settings) throws -> Int64 {
      let known = try feed {
        $0.podcast = PodcastContent(title: "Show")
        $0.refreshes.failures = failures
      }
      let (news, _) = try run(known, with: settings, [Self.address: Answer(body: Self.part(1...20))])
      return try failure(news.last).next.milliseconds - now.wall.milliseconds
    }
    let longest = Int64(settings.feedRefreshMaxMinutes) * minute
    #expect(try (8 * minute...10 * minute).contains(wait(afterFailures: 0, settings)))
    #expect(try wait(afterFailures: 1, settings) > 10 * minute)
    var hourly = settings
    hourly.feedRefreshMaxMinutes = 60
    hourly.feedRefreshMinutes = 60
    #expect(try wait(afterFailures: 30, hourly) == 60 * minute)
    #expect(try wait(afterFailures: 30, settings) <= longest)
    var restless = settings
    restless.feedRefreshMinutes = 1
    restless.feedRefreshMaxMinutes = 1
    #expect(try wait(afterFailures: 30, restless) >= 8 * minute, "no sooner than after the first failure")
  }

  @Test("A part of a document moves no subscription, but leads to where the whole feed is")
  func movesOfParts() throws {
    let target = "https://new.example/f.xml"
    let known = try feed {
      $0.podcast = PodcastContent(title: "Show")
      $0.episodes = 3
    }
    try run(known, [Self.address: Answer(body: Self.rss(1...3))])
    let redirected = Answer(body: Self.part(1...3), url: target, permanentURL: target)
    let (stays, _) = try run(known, [Self.address: redirected])
    #expect(!stays.contains(.moved(try WebAddress(target))))
    #expect(try failure(stays.last).error == .feedEndsEarly)
    let beginning = Answer(body: "<rss><channel><title>Show</title><item>", url: target, permanentURL: target)
    let (nothing, _) = try run(known, [Self.address: beginning])
    #expect(try nothing.count == 1 && failure(nothing.last).error == .feedEndsEarly)
    let more =
      "<itunes:new-feed-url xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">\(target)</itunes:new-feed-url>"
    let leading = Answer(body: Self.part(1...3, more))
    let (moves, _) = try run(known, [Self.address: leading, target: Answer(body: Self.rss(1...4))])
    #expect(moves.contains(.moved(try WebAddress(target))))
    _ = try findings(moves.last)
    #expect(rows.traces.map(\.guid) == ["g1", "g2", "g3", "g4"])
    // There it is a part too, or another podcast's: the feed stays, and has failed.
    for other in [Self.part(1...4), Self.rss(21...23, title: "Another")] {
      let (news, _) = try run(known, [Self.address: leading, target: Answer(body: other)])
      #expect(!news.contains(.moved(try WebAddress(target))))
      #expect(try failure(news.last).error == .feedEndsEarly)
      #expect(rows.traces.count == 4)
    }
    // The whole feed is here, and only a part of it there.
    let whole = Answer(body: Self.rss(1...4, more))
    let (news, _) = try run(known, [Self.address: whole, target: Answer(body: Self.part(1...4))])
    #expect(!news.contains(.moved(try WebAddress(target))))
    _ = try findings(news.last)
  }
}
