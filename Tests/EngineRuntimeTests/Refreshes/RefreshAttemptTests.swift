import Digests
import Feeds
import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

/// A refresh without threads, whose shell and server a test plays.
@Suite("A refresh")
struct RefreshAttemptTests {
  // MARK: Scene

  /// The known episodes of a feed, as rows would have them.
  final class Rows: EpisodeReader {
    var traces: [EpisodeTraces] = []
    /// The other subscriptions.
    var subscriptions: [WebAddress: FeedID] = [:]
    var isUnreadable = false
    private(set) var reads = 0

    struct Unreadable: Error {}

    func episodeTraces(of feed: Feed.Key, withNotes: Bool) throws -> [EpisodeTraces] {
      reads += 1
      if isUnreadable { throw Unreadable() }
      return traces
    }

    func feed(at address: WebAddress) throws -> FeedID? {
      if isUnreadable { throw Unreadable() }
      return subscriptions[address]
    }

    /// What the store does with a report.
    func apply(_ news: RefreshReport.News) {
      switch news {
      case .appeared(let contents):
        for content in contents { traces.append(Self.traces(of: content, number: Int64(traces.count + 1))) }
      case .changed(let changes):
        for change in changes {
          let former = self.traces[Int(change.id.number) - 1]
          var traces = Self.traces(of: change.content, number: change.id.number)
          traces.formerNames = change.formerNames
          if change.content.notes == nil { traces.notesHash = former.notesHash }
          self.traces[Int(change.id.number) - 1] = traces
        }
      case .listed(let missing, let returned):
        for id in missing { traces[Int(id.number) - 1].isMissingFromFeed = true }
        for id in returned { traces[Int(id.number) - 1].isMissingFromFeed = false }
      case .described, .moved, .refreshed, .failed, .stopped: break
      }
    }

    private static func traces(of content: EpisodeContent, number: Int64) -> EpisodeTraces {
      EpisodeTraces(
        id: EpisodeID(number: number), guid: content.guid, enclosure: content.enclosure?.address, title: content.title,
        published: content.published?.moment, seconds: content.seconds, bytes: content.enclosure?.length,
        formerNames: .init(), fingerprint: content.fingerprint,
        notesHash: content.notes.flatMap { $0.isEmpty ? nil : $0.hash }, isMissingFromFeed: false)
    }
  }

  /// What a server answers.
  struct Answer {
    var status = 200
    var body = ""
    var fields: [(String, String)] = []
    var url: String?
    var permanentURL: String?
    var failure: ExchangeFailure?
    var peer = AddressClass.unknown
  }

  let rows = Rows()
  let now = ClockReading(wall: Timestamp(milliseconds: 1_800_000_000_000), monotonicMilliseconds: 5)

  func feed(_ change: (inout Feed) -> Void = { _ in }) throws -> Feed {
    var feed = Feed(
      key: 1, id: try #require(FeedID("f")), address: try WebAddress("https://feeds.example/f.xml"), wishes: .init(),
      refreshes: .init(next: now.wall), added: now.wall)
    change(&feed)
    return feed
  }

  private func attempt(
    _ feed: Feed, _ settings: Settings = Settings(), secret: AddressSecret? = nil, isPreview: Bool = false
  ) -> RefreshAttempt<Rows> {
    RefreshAttempt(
      FeedRefresh(
        id: .init(feed: feed.id, generation: 3), feed: feed, settings: settings, route: .any, draw: 1 << 60),
      rows: rows, followsDocument: !isPreview, secret: secret,
      makeDecoder: { _ in preconditionFailure("nothing is coded") })
  }

  /// Runs a refresh to its end. The answers are given by URL; each report is committed before it proceeds.
  @discardableResult
  func run(
    _ feed: Feed, with settings: Settings = Settings(), pieces: Int = 1000, secret: AddressSecret? = nil,
    isPreview: Bool = false, _ answers: [String: Answer], asBrowser: [String: Answer] = [:]
  ) throws -> (news: [RefreshReport.News], requests: [HTTPRequest]) {
    var attempt = attempt(feed, settings, secret: secret, isPreview: isPreview)
    var events: [RefreshEvent] = [.begin]
    var (news, requests): ([RefreshReport.News], [HTTPRequest]) = ([], [])
    while !events.isEmpty {
      for command in attempt.handle(events.removeFirst(), at: now) {
        switch command {
        case .startExchange(let request, let host):
          #expect(try WebAddress(request.url).host == host)
          requests.append(request)
          let own = request.userAgent.hasPrefix("Mozilla") ? asBrowser[request.url] : nil
          let answer = try #require(own ?? answers[request.url], "nothing at \(request.url)")
          events += self.events(answer, request, pieces)
        case .cancelExchange: events = []
        case .report(let report):
          news.append(report.news)
          rows.apply(report.news)
          switch report.news {
          case .described, .moved: break
          default: events.append(.proceed)
          }
        case .end(let report): news.append(report.news)
        }
      }
    }
    #expect(attempt.hasEnded)
    return (news, requests)
  }

  private func events(_ answer: Answer, _ request: HTTPRequest, _ pieces: Int) -> [RefreshEvent] {
    if let failure = answer.failure { return [.exchangeEnded(.failure(failure))] }
    var head = ResponseHead(
      status: answer.status, effectiveURL: answer.url ?? request.url,
      redirects: answer.url == nil && answer.permanentURL == nil ? 0 : 1, permanentURL: answer.permanentURL,
      fields: answer.fields.map { HTTPField(name: $0.0, value: $0.1) })
    head.peer = answer.peer
    guard case .proceed = head.refreshDemand else {
      return [.head(head), .exchangeEnded(.failure(ExchangeFailure(.refusedByDelegate, message: "no longer wanted")))]
    }
    let body = Array(answer.body.utf8)
    let parts = stride(from: 0, to: body.count, by: pieces).map {
      RefreshEvent.body(Array(body[$0..<min($0 + pieces, body.count)]))
    }
    let summary = ExchangeSummary(bytesReceived: Int64(body.count), contentLength: nil, isDelimited: true)
    return [.head(head)] + parts + [.exchangeEnded(.success(summary))]
  }

  static func rss(_ numbers: some Sequence<Int>, title: String = "Show", _ more: String = "") -> String {
    let items = numbers.map {
      """
      <item><guid>g\($0)</guid><title>Episode \($0)</title><pubDate>Mon, 01 Jun 2026 10:00:\($0 % 60 < 10 ? "0" : "")\($0 % 60) +0200</pubDate>
      <enclosure url="https://media.example/\($0).mp3" type="audio/mpeg" length="9"/></item>
      """
    }.joined()
    return "<rss version=\"2.0\"><channel><title>\(title)</title>\(more)\(items)</channel></rss>"
  }

  static let address = "https://feeds.example/f.xml"

  func findings(_ news: RefreshReport.News?) throws -> RefreshReport.Findings {
    guard case .refreshed(let findings)? = news else {
      Issue.record("\(String(describing: news))")
      throw Rows.Unreadable()
    }
    return findings
  }

  func error(_ news: RefreshReport.News?) -> DownloadError.Code? {
    if case .failed(let error, _)? = news { error.code } else { nil }
  }

  // MARK: Reading

  @Test("tells of new episodes in pages, and last what the podcast is and what its validators are")
  func first() throws {
    let answer = Answer(
      body: Self.rss(1...600), fields: [("ETag", "\"v1\""), ("Last-Modified", "Mon, 01 Jun 2026 08:00:00 GMT")])
    let (news, requests) = try run(try feed(), [Self.address: answer])
    let pages = news.map { if case .appeared(let episodes) = $0 { episodes.count } else { 0 } }
    #expect(pages == [0, 256, 256, 88, 0])
    // A download of the first episodes bears the podcast's title.
    #expect(news.first == .described(PodcastContent(title: "Show")))
    #expect(rows.traces.map(\.guid) == (1...600).map { "g\($0)" })
    let findings = try findings(news.last)
    #expect(findings.podcast?.title == "Show")
    #expect(findings.validators.entityTag == "\"v1\"" && findings.validators.bodyHash != nil)
    #expect(findings.next > now.wall)
    #expect(requests.map { $0.ownFields.map(\.name) } == [["Accept", "Accept-Encoding"]])
  }

  @Test("gives the same however the body is divided", arguments: [1, 7, 1000, 100_000])
  func pieces(count: Int) throws {
    try run(try feed(), pieces: count, [Self.address: Answer(body: Self.rss(1...70))])
    #expect(rows.traces.map(\.guid) == (1...70).map { "g\($0)" })
  }

  /// A provider's proxy changes pages on their way, and says so with 203.
  @Test("reads what a proxy has handed on")
  func handedOn() throws {
    let (news, _) = try run(try feed(), [Self.address: Answer(status: 203, body: Self.rss(1...3))])
    #expect(try findings(news.last).podcast?.title == "Show")
    #expect(rows.traces.map(\.guid) == ["g1", "g2", "g3"])
  }

  @Test("A second one of the same body parses nothing and tells nothing; a 304 neither")
  func unchanged() throws {
    let answer = Answer(body: Self.rss(1...3), fields: [("ETag", "\"v1\"")])
    let first = try findings(try run(try feed(), [Self.address: answer]).news.last)
    let known = try feed {
      $0.podcast = first.podcast
      $0.refreshes.validators = first.validators
      $0.refreshes.last = now.wall
    }
    let reads = rows.reads
    let (news, requests) = try run(known, [Self.address: answer])
    #expect(news.count == 1 && rows.reads == reads)
    #expect(try findings(news.last).podcast == nil)
    #expect(requests[0].ownFields.contains { $0.name == "If-None-Match" && $0.value == "\"v1\"" })
    let (again, _) = try run(known, [Self.address: Answer(status: 304)])
    #expect(try findings(again.last).validators == first.validators)
    #expect(rows.reads == reads)
  }

  @Test("A server that calls unchanged what was not asked for so has not given the feed")
  func unaskedUnchanged() throws {
    #expect(error(try run(try feed(), [Self.address: Answer(status: 304)]).news.last) == .httpStatus)
    let distrusted = try feed {
      ($0.refreshes.last, $0.refreshes.validators) = (now.wall, .init(entityTag: "\"1\"", isDistrusted: true))
    }
    #expect(error(try run(distrusted, [Self.address: Answer(status: 304)]).news.last) == .httpStatus)
  }

  @Test("asks for the whole again when only 304 has come for a week, or the server is distrusted")
  func distrust() throws {
    let validators = FeedValidators(
      entityTag: "\"v1\"", bodyHash: "x",
      fullBodyAt: now.wall.advanced(byMilliseconds: -ConditionalPolicy.trustMilliseconds - 1))
    for changed in [
      validators, FeedValidators(entityTag: "\"v1\"", bodyHash: "x", fullBodyAt: now.wall, isDistrusted: true),
      FeedValidators(entityTag: "\"v1\"", bodyHash: "x"),
    ] {
      let known = try feed { $0.refreshes.validators = changed }
      let (_, requests) = try run(known, [Self.address: Answer(body: Self.rss(1...2))])
      #expect(!requests[0].ownFields.contains { $0.name == "If-None-Match" })
    }
  }

  @Test("tells what changed, left and came back, and nothing twice")
  func differences() throws {
    let known = try feed { $0.podcast = PodcastContent(title: "Show") }
    try run(known, [Self.address: Answer(body: Self.rss(1...5))])
    let changed = Self.rss([1, 2, 4, 6]).replacing("Episode 2<", with: "Episode two<")
    let (news, _) = try run(known, [Self.address: Answer(body: changed)])
    #expect(
      rows.traces.map(\.title) == ["Episode 1", "Episode two", "Episode 3", "Episode 4", "Episode 5", "Episode 6"])
    #expect(rows.traces.map(\.isMissingFromFeed) == [false, false, true, false, true, false])
    #expect(news.count == 4)
    #expect(try run(known, [Self.address: Answer(body: changed)]).news.count == 1)
    let (back, _) = try run(known, [Self.address: Answer(body: Self.rss(1...6))])
    #expect(rows.traces.allSatisfy { !$0.isMissingFromFeed })
    #expect(back.count == 3)
    #expect(rows.traces.count == 6)
  }

  @Test("keeps episode, and its former names, when guid or URL change")
  func identity() throws {
    let known = try feed { $0.podcast = PodcastContent(title: "Show") }
    try run(known, [Self.address: Answer(body: Self.rss(1...3))])
    let moved = Self.rss(1...3).replacing("g2<", with: "new-guid<").replacing(
      "media.example/3.mp3", with: "cdn.example/x/3.mp3")
    try run(known, [Self.address: Answer(body: moved)])
    #expect(rows.traces.count == 3)
    #expect(rows.traces[1].formerNames.guids == ["g2"])
    #expect(rows.traces[2].formerNames.enclosures.map(\.description) == ["https://media.example/3.mp3"])
    #expect(try run(known, [Self.address: Answer(body: moved)]).news.count == 1)
  }

  @Test("A feed that is one page of several loses no episode")
  func onePage() throws {
    let known = try feed { $0.podcast = PodcastContent(title: "Show") }
    try run(known, [Self.address: Answer(body: Self.rss(1...5))])
    let page = Self.rss(
      1...2, "<atom:link xmlns:atom=\"http://www.w3.org/2005/Atom\" rel=\"next\" href=\"https://feeds.example/p2\"/>")
    let read = try feed {
      ($0.podcast, $0.refreshes.last, $0.refreshes.readTo) = (PodcastContent(title: "Show"), now.wall, 5)
    }
    try run(read, [Self.address: Answer(body: page)])
    #expect(rows.traces.allSatisfy { !$0.isMissingFromFeed })
  }

  // MARK: Failures

  @Test(
    "fails in the words of downloads",
    arguments: [
      (404, DownloadError.Code.notFound), (410, .gone), (401, .unauthorized), (403, .forbidden), (503, .httpStatus),
    ])
  func statuses(status: Int, code: DownloadError.Code) throws {
    let (news, _) = try run(try feed(), [Self.address: Answer(status: status, fields: [("Retry-After", "7200")])])
    #expect(error(news.last) == code)
  }

  @Test("A feed is gone where its own address says so, or one to which that leads for good; not elsewhere")
  func gone() throws {
    let target = "https://elsewhere.example/f.xml"
    func code(_ answer: Answer) throws -> DownloadError.Code? {
      try error(run(try feed(), [Self.address: answer]).news.last)
    }
    #expect(try code(Answer(status: 410, url: target, permanentURL: target)) == .gone)
    #expect(try code(Answer(status: 410, url: target)) == .httpStatus)
    // A page that names a feed which is gone may name another one the next time.
    let page = "<html><head><link rel=\"alternate\" type=\"application/rss+xml\" href=\"\(target)\"></head></html>"
    let (news, requests) = try run(try feed(), [Self.address: Answer(body: page), target: Answer(status: 410)])
    #expect(requests.map(\.url) == [Self.address, target])
    #expect(error(news.last) == .httpStatus)
  }

  @Test("A server that refuses the engine's agent is asked once by a browser's, and in full", arguments: [403, 429])
  func browser(status: Int) throws {
    let known = try feed {
      $0.refreshes.validators = FeedValidators(entityTag: "\"v1\"", bodyHash: "x", fullBodyAt: now.wall)
    }
    let refusal = Answer(status: status, fields: [("Retry-After", "7200")])
    let (news, requests) = try run(known, [Self.address: refusal])
    #expect(requests.map { $0.userAgent.hasPrefix("Mozilla/5.0 ") } == [false, true])
    #expect(requests.allSatisfy { $0.ownFields.contains { $0.name == "If-None-Match" } })
    #expect(error(news.last) == (status == 403 ? .forbidden : .httpStatus))
    let (read, _) = try run(known, [Self.address: refusal], asBrowser: [Self.address: Answer(body: Self.rss(1...2))])
    #expect(try findings(read.last).podcast?.title == "Show")
    // An agent that a client has chosen stays.
    let own = try feed { $0.wishes.userAgent = "Own/1" }
    #expect(try run(own, [Self.address: refusal]).requests.map(\.userAgent) == ["Own/1"])
  }

  @Test("The rhythm is the last body's, however often nothing new has come since")
  func rhythm() throws {
    let answer = Answer(body: Self.rss(1...3), fields: [("ETag", "\"v1\"")])
    let first = try findings(try run(try feed(), [Self.address: answer]).news.last)
    #expect(first.rhythm != nil)
    let known = try feed {
      $0.podcast = first.podcast
      $0.refreshes.validators = first.validators
      $0.refreshes.rhythm = FeedRhythm(intervalSeconds: 5 * 3600)
      // A client has asked for the refresh one minute after the last one.
      ($0.refreshes.last, $0.refreshes.next) = (now.wall.advanced(byMilliseconds: -60_000), now.wall)
    }
    for again in [answer, Answer(status: 304)] {
      let findings = try findings(try run(known, [Self.address: again]).news.last)
      #expect(findings.rhythm == nil)
      let hours = Double(findings.next.milliseconds - now.wall.milliseconds) / 3_600_000
      #expect((4.37...5.63).contains(hours))
    }
  }

  @Test("fails on a page, on what is no feed, on nothing, on a lost connection, and on rows that cannot be read")
  func failures() throws {
    let read = try feed { $0.podcast = PodcastContent(title: "Show") }
    for body in ["<html><body>Hello</body></html>", "just words", ""] {
      let (news, _) = try run(read, [Self.address: Answer(body: body)])
      #expect(error(news.last) == .notMedia, "\(body)")
    }
    let lost = Answer(failure: ExchangeFailure(.connectionLost, message: "lost"))
    #expect(error(try run(read, [Self.address: lost]).news.last) == .connectionLost)
    rows.isUnreadable = true
    #expect(error(try run(read, [Self.address: Answer(body: Self.rss(1...2))]).news.last) == .io)
  }

  @Test("ends when it is told to, and tells nothing after it")
  func stop() throws {
    var attempt = attempt(try feed())
    _ = attempt.handle(.begin, at: now)
    _ = attempt.handle(.head(ResponseHead(status: 200, effectiveURL: Self.address, fields: [])), at: now)
    _ = attempt.handle(.body(Array(Self.rss(1...200).utf8)), at: now)
    let commands = attempt.handle(.stop, at: now)
    guard case .cancelExchange? = commands.first, commands.count == 1 else {
      Issue.record("\(commands)")
      return
    }
    let end = attempt.handle(.exchangeEnded(.failure(.cancelled)), at: now)
    guard case .end(let report)? = end.first, end.count == 1 else {
      Issue.record("\(end)")
      return
    }
    #expect(report.news == .stopped)
    #expect(attempt.handle(.proceed, at: now).isEmpty)
  }

  @Test("A stop that comes while the end of the body waits for a report's commit ends the refresh")
  func stopBeforeTheEndIsTaken() throws {
    var attempt = attempt(try feed())
    _ = attempt.handle(.begin, at: now)
    _ = attempt.handle(.head(ResponseHead(status: 200, effectiveURL: Self.address, fields: [])), at: now)
    // Longer than what is held.
    let filling = "<!--" + String(repeating: " ", count: RefreshLimits.heldBytes) + "-->"
    let commands = attempt.handle(.body(Array((Self.rss(1...300) + filling).utf8)), at: now)
    #expect(commands.contains { if case .report(let report) = $0 { report.news.isEnd == false } else { false } })
    let summary = ExchangeSummary(bytesReceived: 1, contentLength: nil, isDelimited: true)
    #expect(attempt.handle(.exchangeEnded(.success(summary)), at: now).isEmpty)
    let ends = attempt.handle(.stop, at: now)
    #expect(ends.contains { if case .end(let report) = $0 { report.news == .stopped } else { false } })
    #expect(attempt.hasEnded)
  }

  @Test("asks for nothing if it is told to stop before it has begun, and ends when it begins")
  func stopBeforeBeginning() throws {
    var attempt = attempt(try feed())
    #expect(attempt.handle(.stop, at: now).isEmpty)
    let commands = attempt.handle(.begin, at: now)
    guard case .end(let report)? = commands.first, commands.count == 1 else {
      Issue.record("\(commands)")
      return
    }
    #expect(report.news == .stopped)
  }

  // MARK: Addresses

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
