import Digests
import Feeds
import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

/// Where a feed is, and when its subscription moves.
extension RefreshAttemptTests {
  @Test("A page that names a feed leads there, once, and the subscription moves")
  func page() throws {
    let page = "<html><head><link rel=\"alternate\" type=\"application/rss+xml\" href=\"/real.xml\"></head></html>"
    let (news, requests) = try run(
      try feed(),
      [Self.address: Answer(body: page), "https://feeds.example/real.xml": Answer(body: Self.rss(1...2))])
    #expect(requests.map(\.url) == [Self.address, "https://feeds.example/real.xml"])
    #expect(news.contains(.moved(try WebAddress("https://feeds.example/real.xml"))))
    #expect(rows.traces.count == 2)
    let circle = try run(
      try feed(), [Self.address: Answer(body: page), "https://feeds.example/real.xml": Answer(body: page)])
    #expect(error(circle.news.last) == .notMedia)
  }

  @Test("Permanent redirects move the subscription, never to an address that it has left, nor to another podcast")
  func redirects() throws {
    let target = "https://new.example/f.xml"
    let answer = Answer(body: Self.rss(1...3), url: target, permanentURL: target)
    #expect(try run(try feed(), [Self.address: answer]).news.contains(.moved(try WebAddress(target))))
    let known = try feed { $0.podcast = PodcastContent(title: "Show") }
    #expect(try run(known, [Self.address: answer]).news.contains(.moved(try WebAddress(target))))
    let returning = try feed { $0.refreshes.formerAddresses = [try! WebAddress(target)] }
    #expect(try !run(returning, [Self.address: answer]).news.contains(.moved(try WebAddress(target))))
    let other = Answer(body: Self.rss(11...13, title: "Another"), url: target, permanentURL: target)
    let full = try feed {
      $0.podcast = PodcastContent(title: "Show")
      $0.episodes = 3
    }
    #expect(try !run(full, [Self.address: other]).news.contains(.moved(try WebAddress(target))))
  }

  @Test(
    "An address that leads to another podcast for good fails, and tells nothing by which a later refresh would believe it"
  )
  func hijacked() throws {
    let target = "https://other.example/f.xml"
    let known = try feed {
      $0.podcast = PodcastContent(title: "Show", guid: "p1")
      $0.episodes = 3
    }
    try run(known, [Self.address: Answer(body: Self.rss(1...3))])
    for body in [Self.rss(11...400, title: "Another"), Self.rss([Int](), title: "Another")] {
      let other = Answer(body: body, url: target, permanentURL: target)
      let (news, _) = try run(known, [Self.address: other])
      #expect(news.count == 1)
      #expect(error(news.last) == .notMedia)
      #expect(rows.traces.count == 3 && rows.traces.allSatisfy { !$0.isMissingFromFeed })
    }
    // For a while only, or with a known episode, it is the feed.
    let elsewhere = Answer(body: Self.rss(11...13), url: target)
    #expect(try run(known, [Self.address: elsewhere]).news.last.map { $0.isEnd } == true)
    let same = Answer(body: Self.rss(1...5), url: target, permanentURL: target)
    #expect(try run(known, [Self.address: same]).news.contains(.moved(try WebAddress(target))))
  }

  @Test("Another podcast's feed at the feed's own address, or where that leads for a while, fails and tells nothing")
  func otherPodcast() throws {
    let known = try feed {
      $0.podcast = PodcastContent(title: "Show", guid: "p1")
      $0.episodes = 3
      $0.refreshes.last = now.wall
    }
    try run(known, [Self.address: Answer(body: Self.rss(1...3))])
    func other(_ numbers: some Sequence<Int>) -> String {
      Self.rss(
        numbers, title: "Another",
        "<podcast:guid xmlns:podcast=\"https://podcastindex.org/namespace/1.0\">P2</podcast:guid>")
    }
    for body in [other(11...13), other(11...400), other([Int]())] {
      for url in [nil, "https://other.example/f.xml"] {
        let (news, _) = try run(known, [Self.address: Answer(body: body, url: url)])
        #expect(news.count == 1)
        guard case .failed(let error, _)? = news.last else {
          Issue.record("\(news)")
          continue
        }
        #expect(error == .otherPodcast)
        #expect(rows.traces.count == 3 && rows.traces.allSatisfy { !$0.isMissingFromFeed })
      }
    }
    // With a known episode it is the feed, whose publisher has given it another guid.
    let (news, _) = try run(known, [Self.address: Answer(body: other(3...5))])
    #expect(news.contains { if case .appeared(let contents) = $0 { contents.count == 2 } else { false } })
    // So it is after some days.
    let late = try feed {
      $0.podcast = known.podcast
      $0.refreshes.last = now.wall.advanced(byMilliseconds: -RefreshLimits.otherPodcastMilliseconds)
    }
    let believed = try run(late, [Self.address: Answer(body: other(11...13))])
    #expect(believed.news.contains { if case .appeared = $0 { true } else { false } })
  }

  @Test("Where feeds have no podcast:guid, another title and no known episode tell of another podcast")
  func otherTitle() throws {
    let known = try feed {
      $0.podcast = PodcastContent(title: "Show")
      $0.episodes = 3
      $0.refreshes.last = now.wall
    }
    try run(known, [Self.address: Answer(body: Self.rss(1...3, title: "Show"))])
    let (other, _) = try run(known, [Self.address: Answer(body: Self.rss(11...400, title: "Another"))])
    #expect(other.count == 1 && error(other.last) == .notMedia)
    for body in [Self.rss(3...5, title: "Another"), Self.rss(11...13, title: "SHOW")] {
      let (news, _) = try run(known, [Self.address: Answer(body: body)])
      #expect(news.contains { if case .appeared = $0 { true } else { false } })
    }
  }

  @Test("itunes:new-feed-url moves the subscription if the feed is there, and only then")
  func newFeedURL() throws {
    let target = "https://new.example/f.xml"
    let more =
      "<itunes:new-feed-url xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">\(target)</itunes:new-feed-url>"
    let known = try feed { $0.podcast = PodcastContent(title: "Show") }
    let old = Answer(body: Self.rss(1...3, more))
    let (news, requests) = try run(known, [Self.address: old, target: Answer(body: Self.rss(2...5))])
    #expect(news.contains(.moved(try WebAddress(target))))
    #expect(requests.map(\.url) == [Self.address, target])
    #expect(rows.traces.count == 5)
    for other in [
      Answer(body: Self.rss(21...400, title: "Another")), Answer(status: 404), Answer(body: "<html></html>"),
      Answer(status: 503), Answer(failure: ExchangeFailure(.unknownHost, message: "unknown")),
    ] {
      let (news, _) = try run(known, [Self.address: old, target: other])
      #expect(!news.contains(.moved(try WebAddress(target))))
      // It is to be read again, although it has not changed.
      #expect(try findings(news.last).validators.isToBeReadAgain)
      #expect(rows.traces.count == 5)
    }
  }

  @Test("A feed with headers of its client moves on its own origin only, where no other gets them")
  func headersStay() throws {
    let known = try feed {
      $0.podcast = PodcastContent(title: "Show")
      $0.wishes.headers = [Header(name: "X-Token", value: "s")]
    }
    for (target, moves) in [("https://new.example/f.xml", false), ("https://feeds.example/new.xml", true)] {
      let redirected = Answer(body: Self.rss(1...3), url: target, permanentURL: target)
      let news = try run(known, [Self.address: redirected]).news
      #expect(news.contains(.moved(try WebAddress(target))) == moves)
      _ = try findings(news.last)
    }
    let (_, requests) = try run(
      known,
      [
        Self.address: Answer(
          body: Self.rss(
            1...3,
            "<itunes:new-feed-url xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">https://new.example/f.xml</itunes:new-feed-url>"
          ))
      ])
    #expect(requests.map(\.url) == [Self.address])
  }

  @Test("An episode that comes back under the tag of the body without it costs the server its trust")
  func returnUnderOneTag() throws {
    let known = try feed { $0.podcast = PodcastContent(title: "Show") }
    func answer(_ numbers: ClosedRange<Int>) -> Answer { Answer(body: Self.rss(numbers), fields: [("ETag", "\"v\"")]) }
    try run(known, [Self.address: answer(1...3)])
    let without = try findings(try run(known, [Self.address: answer(1...2)]).news.last)
    let later = try feed {
      $0.podcast = PodcastContent(title: "Show")
      $0.refreshes.validators = without.validators
    }
    #expect(try findings(try run(later, [Self.address: answer(1...3)]).news.last).validators.isDistrusted)
  }

  @Test("A document read for the first time leads to no other podcast: its own episodes are known by then")
  func firstMove() throws {
    let target = "https://new.example/f.xml"
    let leading = Self.rss(
      1...3,
      "<itunes:new-feed-url xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">\(target)</itunes:new-feed-url>"
    )
    let other = Answer(body: Self.rss(11...13, title: "Another"))
    let (news, _) = try run(try feed(), [Self.address: Answer(body: leading), target: other])
    #expect(!news.contains(.moved(try WebAddress(target))))
    #expect(rows.traces.map(\.guid) == ["g1", "g2", "g3"])
    #expect(try findings(news.last).podcast?.title == "Show")
  }

  @Test("A page leads a subscription with headers or a password to no other origin, and the error names the feed")
  func headers() throws {
    let page =
      "<html><head><link rel=\"alternate\" type=\"application/rss+xml\" href=\"https://other.example/real.xml\"></head></html>"
    let wishes = try feed { $0.wishes.headers = [Header(name: "X-Token", value: "s")] }
    let (news, requests) = try run(wishes, [Self.address: Answer(body: page)])
    #expect(requests.map { $0.headers.map(\.name) } == [["X-Token"]])
    guard case .failed(let error, _)? = news.last else {
      Issue.record("\(news)")
      return
    }
    #expect(error.code == .notMedia && error.message.contains("https://other.example/real.xml"))
    let near = "<html><head><link rel=\"alternate\" type=\"application/rss+xml\" href=\"/real.xml\"></head></html>"
    let (_, two) = try run(
      wishes, [Self.address: Answer(body: near), "https://feeds.example/real.xml": Answer(body: Self.rss(1...2))])
    #expect(two.map { $0.headers.map(\.name) } == [["X-Token"], ["X-Token"]])
  }

  @Test("The secret of its session is in no address that it tells, and the subscription moves without it")
  func secretAddresses() throws {
    let secret = AddressSecret(SecretParameter(name: "auth", value: "x+y"), at: ["feeds.example"])
    let item = """
      <item><guid>https://feeds.example/1?auth=x%20y</guid><title>One</title><link>https://feeds.example/1?auth=x+y</link>
      <enclosure url="https://feeds.example/1.mp3?n=1&amp;auth=x%2By" type="audio/mpeg" length="9"/>
      <podcast:transcript url="https://feeds.example/1.vtt?auth=x+y" type="text/vtt"/>
      <podcast:chapters url="https://other.example/1.json?auth=x+y" type="application/json+chapters"/></item>
      """
    let document = """
      <rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0" \
      xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Show</title>
      <link>https://feeds.example/?auth=x+y</link><itunes:image href="https://feeds.example/i.png?auth=other"/>
      <itunes:new-feed-url>https://feeds.example/new.xml?auth=x+y</itunes:new-feed-url>\(item)</channel></rss>
      """
    let (news, requests) = try run(
      feed(), secret: secret,
      [Self.address: Answer(body: document), "https://feeds.example/new.xml": Answer(body: document)])
    #expect(requests.map(\.url) == [Self.address, "https://feeds.example/new.xml"])
    #expect(news.contains(.moved(try WebAddress("https://feeds.example/new.xml"))))
    let told = news.compactMap { if case .appeared(let episodes) = $0 { episodes } else { nil } }.joined()
    let episode = try #require(told.first)
    #expect(episode.guid == "https://feeds.example/1" && episode.link?.description == "https://feeds.example/1")
    #expect(episode.enclosure?.address.description == "https://feeds.example/1.mp3?n=1")
    #expect(episode.transcript?.description == "https://feeds.example/1.vtt")
    #expect(episode.chapters?.description == "https://other.example/1.json?auth=x+y", "that host's own")
    let podcast = try #require(news.compactMap { if case .described(let podcast) = $0 { podcast } else { nil } }.first)
    #expect(podcast.link == "https://feeds.example/" && podcast.image == "https://feeds.example/i.png?auth=other")
  }
}
