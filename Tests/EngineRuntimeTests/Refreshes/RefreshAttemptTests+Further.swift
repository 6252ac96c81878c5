import Feeds
import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

/// Feeds that are divided into several documents (RFC 5005).
extension RefreshAttemptTests {
  private static func url(_ number: Int) -> String {
    number == 1 ? address : "https://feeds.example/f.xml?page=\(number)"
  }

  private static func page(
    _ episodes: some Sequence<Int>, next: String? = nil, relation: String = "next"
  ) -> Answer {
    let link = next.map {
      "<atom:link xmlns:atom=\"http://www.w3.org/2005/Atom\" rel=\"\(relation)\" href=\"\($0)\"/>"
    }
    return Answer(body: rss(episodes, link ?? ""))
  }

  /// Three documents of a feed, the second of which repeats an episode of the first one.
  private static func three(_ relation: String = "next") -> [String: Answer] {
    [
      url(1): page((7...9).reversed(), next: url(2), relation: relation),
      url(2): page((4...7).reversed(), next: url(3), relation: relation), url(3): page((1...3).reversed()),
    ]
  }

  private var guids: [String] { rows.traces.compactMap(\.guid) }

  private func readFeed() throws -> Feed {
    try feed {
      ($0.podcast, $0.refreshes.last, $0.episodes) = (PodcastContent(title: "Show"), now.wall, 3)
      $0.refreshes.readTo = rows.traces.map(\.id.number).max() ?? 0
    }
  }

  @Test(
    "The first refresh reads all documents of a feed, and tells each episode once", arguments: ["next", "prev-archive"])
  func allDocuments(relation: String) throws {
    let (news, requests) = try run(try feed(), Self.three(relation))
    #expect(requests.map(\.url) == (1...3).map(Self.url))
    #expect(guids == (1...9).reversed().map { "g\($0)" })
    let findings = try findings(news.last)
    #expect(findings.podcast?.title == "Show" && findings.validators.bodyHash != nil)
    // From then on the first document has all that is new.
    let again = try run(try readFeed(), Self.three(relation))
    #expect(again.requests.map(\.url) == [Self.address] && again.news.count == 1)
  }

  @Test("A refresh that finds nothing known in the first document reads on until it does")
  func gap() throws {
    try run(try readFeed(), [Self.url(1): Self.page(1...3)])
    let answers = [
      Self.url(1): Self.page(8...9, next: Self.url(2)), Self.url(2): Self.page(5...7, next: Self.url(3)),
      Self.url(3): Self.page((1...4).reversed(), next: Self.url(4)),
    ]
    let (_, requests) = try run(try readFeed(), answers)
    #expect(requests.map(\.url) == (1...3).map(Self.url))
    #expect(Set(guids) == Set((1...9).map { "g\($0)" }))
  }

  @Test(
    "One known episode amid new ones ends no gap: a pinned one, or one that is published again",
    arguments: ["next", "prev-archive"], [[2, 9, 8], [9, 8, 2], [9, 2, 8]])
  func pinned(relation: String, first: [Int]) throws {
    try run(try readFeed(), [Self.url(1): Self.page(1...3)])
    let answers = [
      Self.url(1): Self.page(first, next: Self.url(2), relation: relation),
      Self.url(2): Self.page((4...7).reversed(), next: Self.url(3), relation: relation),
      Self.url(3): Self.page((1...3).reversed(), next: Self.url(4), relation: relation),
    ]
    let (news, requests) = try run(try readFeed(), answers)
    #expect(requests.map(\.url) == (1...3).map(Self.url))
    #expect(Set(guids) == Set((1...9).map { "g\($0)" }))
    #expect(try !findings(news.last).hasGap)
    // With one new episode the end of the document tells enough.
    let next = [Self.url(1): Self.page([10, 9, 8, 7], next: Self.url(2), relation: relation)]
    #expect(try run(try readFeed(), next).requests.count == 1)
  }

  @Test("A gap that could not be read is read at the next refresh, although the first document is known by then")
  func failingGap() throws {
    try run(try readFeed(), [Self.url(1): Self.page(1...3)])
    // Failures that it had before say nothing of a further document.
    var feed = try readFeed()
    feed.refreshes.failures = RefreshLimits.partialReads
    var answers = [
      Self.url(1): Self.page(8...9, next: Self.url(2)), Self.url(2): Answer(status: 503),
      Self.url(3): Self.page((1...4).reversed(), next: Self.url(4)),
    ]
    #expect(error(try run(feed, answers).news.last) == .httpStatus)
    #expect(guids.contains("g9") && !guids.contains("g7"))
    answers[Self.url(2)] = Self.page(5...7, next: Self.url(3))
    let (news, requests) = try run(feed, answers)
    #expect(requests.map(\.url) == (1...3).map(Self.url))
    #expect(Set(guids) == Set((1...9).map { "g\($0)" }))
    #expect(try findings(news.last).hasBody)
  }

  @Test("User and password of the feed's URL go to the further documents of its origin, and to no others")
  func user() throws {
    let own = "https://me:pass@feeds.example/f.xml"
    let further = ["https://feeds.example/f.xml?page=2", "https://other.example/f.xml?page=3"]
    let answers = [
      own: Self.page(7...9, next: further[0]),
      "https://me:pass@feeds.example/f.xml?page=2": Self.page(4...6, next: further[1]), further[1]: Self.page(1...3),
    ]
    let feed = try feed { $0.address = try! WebAddress(own) }
    let requests = try run(feed, answers).requests
    #expect(requests.map(\.url) == [own, "https://me:pass@feeds.example/f.xml?page=2", further[1]])
  }

  @Test("Documents that lead to each other, or nowhere, are read once, and only so many")
  func loop() throws {
    var answers = Self.three()
    answers[Self.url(3)] = Self.page(1...3, next: Self.url(2))
    #expect(try run(try feed(), answers).requests.count == 3)
    answers[Self.url(3)] = Self.page(1...3, next: Self.address)
    #expect(try run(try feed(), answers).requests.count == 3)
    for number in 1...300 { answers[Self.url(number)] = Self.page(1...2, next: Self.url(number + 1)) }
    let same = try run(try feed(), answers).requests.count
    #expect(same == 1 + RefreshLimits.repeatingDocuments, "each number has the same document")
    for number in 1...300 { answers[Self.url(number)] = Self.page(number...number, next: Self.url(number + 1)) }
    let (news, requests) = try run(try feed(), answers)
    #expect(requests.count == 1 + RefreshLimits.furtherDocuments)
    #expect(throws: Never.self) { try findings(news.last) }
  }

  @Test("The first refresh fails with a further document that may come later, and the next one begins anew")
  func failure() throws {
    var answers = Self.three()
    answers[Self.url(2)] = Answer(status: 503)
    let (news, _) = try run(try feed(), answers)
    guard case .failed(let error, _)? = news.last else { throw Rows.Unreadable() }
    #expect(error.code == .httpStatus && error.message.contains(Self.url(2)), "\(error.message)")
    #expect(guids == ["g9", "g8", "g7"])
    try run(try feed { $0.refreshes.failures = 1 }, Self.three())
    #expect(guids == (1...9).reversed().map { "g\($0)" })
  }

  @Test("Where a further document is not there, or fails for the third time, the feed is read with a gap")
  func lasting() throws {
    var answers = Self.three()
    answers[Self.url(3)] = Answer(status: 404)
    var findings = try findings(try run(try feed(), answers).news.last)
    // It is to be read again.
    #expect(findings.hasGap && findings.validators.bodyHash == nil)
    #expect(guids == (4...9).reversed().map { "g\($0)" })
    answers[Self.url(3)] = Answer(status: 503)
    let third = try feed { ($0.refreshes.failures, $0.episodes) = (RefreshLimits.partialReads - 1, 6) }
    findings = try self.findings(try run(third, answers).news.last)
    #expect(findings.hasGap)
    // The gap holds up no later refresh, and is closed once all of the feed can be read.
    let later = try feed { ($0.refreshes.last, $0.episodes) = (now.wall, 6) }
    findings = try self.findings(try run(later, answers).news.last)
    #expect(findings.hasGap)
    findings = try self.findings(try run(later, Self.three()).news.last)
    #expect(!findings.hasGap && findings.validators.bodyHash != nil && guids.count == 9)
  }

  @Test("A further document that ends early fails the refresh")
  func cutShort() throws {
    var answers = Self.three()
    answers[Self.url(2)] = Answer(body: String(Self.rss(4...6).dropLast(30)))
    #expect(error(try run(try feed(), answers).news.last) == .lengthMismatch)
  }

  @Test(
    "A further document that is a page leads nowhere, and one that was not asked for conditionally cannot be unchanged")
  func noDocument() throws {
    let blog = "https://feeds.example/blog"
    let link = "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"\(blog)\">"
    var answers = Self.three()
    answers[blog] = Self.page(20...30)
    for answer in [Answer(body: "<html><head>\(link)</head><body></body></html>"), Answer(status: 304)] {
      answers[Self.url(2)] = answer
      let (news, requests) = try run(try feed(), answers)
      #expect(requests.map(\.url) == [Self.url(1), Self.url(2)])
      if answer.status == 304 {
        #expect(try findings(news.last).podcast?.title == "Show")
      } else {
        #expect(error(news.last) == .notMedia)
      }
    }
    #expect(guids == ["g9", "g8", "g7"])
  }

  @Test("Failures before anything was read do not count against a further document")
  func unrelatedFailures() throws {
    var answers = Self.three()
    answers[Self.url(2)] = Answer(status: 503)
    let unread = try feed { $0.refreshes.failures = RefreshLimits.partialReads }
    #expect(error(try run(unread, answers).news.last) == .httpStatus)
  }

  @Test("The headers of a feed go to no other origin for a further document, and one with a login has none elsewhere")
  func origins() throws {
    let elsewhere = "https://other.example/2"
    let answers = [Self.url(1): Self.page(7...9, next: elsewhere), elsewhere: Self.page(1...1)]
    let own = try feed { $0.wishes.headers = [Header(name: "X-Key", value: "s3cret")] }
    let requests = try run(own, answers).requests
    #expect(requests.map { $0.headers.map(\.name) } == [["X-Key"], []])
    let all = try run(own, Self.three()).requests
    #expect(all.count == 3 && all.allSatisfy { $0.headers.map(\.name) == ["X-Key"] })
    let secret = AddressSecret(SecretParameter(name: "key", value: "s3cret"), at: ["feeds.example"])
    #expect(try run(try feed(), secret: secret, answers).requests.count == 1)
  }

  @Test(
    "A feed that leads to another address is read whole at both, and stays whole if it is not there",
    arguments: [true, false])
  func leading(isThere: Bool) throws {
    let elsewhere = "https://elsewhere.example/new.xml"
    var answers = Self.three()
    let first = Self.rss(
      (7...9).reversed(),
      """
      <atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="next" href="\(Self.url(2))"/>\
      <itunes:new-feed-url xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">\(elsewhere)</itunes:new-feed-url>
      """)
    answers[Self.url(1)] = Answer(body: first)
    answers[elsewhere] = isThere ? Self.page((8...10).reversed()) : Answer(status: 404)
    let (news, requests) = try run(try feed(), answers)
    #expect(requests.map(\.url) == (1...3).map(Self.url) + [elsewhere])
    #expect(Set(guids) == Set((1...(isThere ? 10 : 9)).map { "g\($0)" }))
    #expect(news.contains(.moved(try WebAddress(elsewhere))) == isThere)
  }

  @Test("A preview reads further documents too, and shows what it has when one fails")
  func preview() throws {
    var answers = Self.three()
    answers[Self.url(3)] = Answer(status: 503)
    let (news, _) = try run(try feed(), isPreview: true, answers)
    #expect(throws: Never.self) { try findings(news.last) }
    #expect(guids.count == 6)
  }
}
