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

  func attempt(
    _ feed: Feed, _ settings: Settings = Settings(), secret: AddressSecret? = nil, isPreview: Bool = false
  ) -> RefreshAttempt {
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

  func events(_ answer: Answer, _ request: HTTPRequest, _ pieces: Int) -> [RefreshEvent] {
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
}
