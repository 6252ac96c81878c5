import EngineRuntime
import Flux
import Persistence
import PodfluxCore

/// A refresh in the simulated world: the product's own `RefreshAttempt`, with its queue and its exchange. Each step is
/// an event of the scheduler: between two of them everything else can happen.
final class SimulatedRefresh {
  /// A pending delivery of an exchange.
  private enum Delivery {
    case event(RefreshEvent)
    /// Nothing is known of the answer yet.
    case connecting(HTTPRequest)
  }

  let refresh: FeedRefresh
  /// Its process. The cycle ends with either.
  let process: SimulatedProcess
  unowned let world: World
  private var core: RefreshAttempt
  /// The events that were handed in and not handled.
  private var events: [RefreshEvent] = []
  private var isScheduled = false
  private var deliveries: [Delivery] = []
  /// The request that waits for a slot, and its host.
  private var waiting: (request: HTTPRequest, host: String)?
  /// The host for which it has a slot: it has an exchange there, or had one and has more to tell. nil for none.
  private(set) var exchangeHost: String?
  /// Only the network event of this number means something.
  private var networkNumber = 0
  private var pathNumber = 0
  /// Bytes that have come over the network since the last report.
  private var fetched: Int64 = 0
  /// The documents that the refresh was shown, in the order of their exchanges.
  private(set) var showings: [FeedAnswer.Showing] = []
  /// Of these the first document of each feed.
  var firstShowings: [FeedAnswer.Showing] { showings.filter { $0.part.number == 1 } }
  /// The address of which its last exchange has brought nothing, if it may at another time.
  private(set) var failedForNow: String?
  /// The address requested last.
  private var url = ""
  /// The document of the running exchange.
  private var showing: FeedAnswer.Showing?
  /// Where the last answer says that the feed is.
  private var ledTo: WebAddress?
  private var exchanges = 0
  /// Whether a document of it was read on the Internet.
  private var hasReadOutside = false
  /// When its exchanges have ended.
  private(set) var ends: [Timestamp] = []
  private var isOver = false
  /// The episodes that the feed had when it began.
  let known: Set<Int>
  /// Whether a refresh before it has read a part of the feed's documents.
  let hasPart: Bool

  init(_ refresh: FeedRefresh, in process: SimulatedProcess) {
    self.refresh = refresh
    self.process = process
    world = process.world
    let episodes = world.checker.feeds.episodes(of: refresh.feed.key)
    known = world.checker.feeds.truths(of: refresh.feed.key)
    hasPart = episodes.contains { $0.id.number > refresh.feed.refreshes.readTo }
    var believed = refresh
    if world.sabotage == .notesUnread { believed.feed.refreshes.validators.hasNotes = true }
    if world.sabotage == .gapForgotten { believed.feed.refreshes.readTo = .max }
    if world.sabotage == .otherPodcastBelieved { believed.feed.podcast = nil }
    core = RefreshAttempt(believed, rows: SimulatedEpisodeRows(world: process.world)) { _ in SimulatedDecoder() }
    if world.sabotage == .namesakeTaken { core.undecidedItems = 0 }
  }

  /// The number of exchanges so far; a change shows activity.
  var activity: Int { exchanges }

  // MARK: What the service asks

  func begin() { hand(in: .begin) }
  func proceed() { hand(in: .proceed) }

  /// The stop overtakes the waiting events, which in the product wait for milliseconds only.
  func stop() throws {
    for command in core.handle(.stop, at: world.clock) { try obey(command) }
  }

  private func hand(in event: RefreshEvent) {
    events.append(event)
    schedule()
  }

  private func schedule() {
    guard !isScheduled, !events.isEmpty else { return }
    isScheduled = true
    world.schedule(.refresh(self), after: world.feedDelay(oneIn: 4))
  }

  // MARK: Events and commands

  /// Handles the first waiting event.
  func work() throws {
    isScheduled = false
    guard !events.isEmpty else { return }
    let event = events.removeFirst()
    if case .exchangeEnded = event { ends.append(world.clock.wall) }
    for command in core.handle(event, at: world.clock) { try obey(command) }
    schedule()
  }

  private func obey(_ command: RefreshCommand) throws {
    switch command {
    case .startExchange(let request, let host):
      try world.checker.willAsk(request, for: refresh, at: world.clock.wall)
      waiting = (request, host)
      if exchangeHost != host { exchangeHost = nil }
      try process.wantsExchange(self, on: host)
    case .cancelExchange:
      guard waiting == nil else {
        waiting = nil
        try process.leaveSlot(refresh.id)
        return hand(in: .exchangeEnded(.failure(.cancelled)))
      }
      guard !deliveries.isEmpty else { return }
      deliveries = [.event(.exchangeEnded(.failure(.cancelled)))]
      scheduleNetwork()
    case .report(let report): try tell(report)
    case .end(let report):
      isOver = true
      try end(report)
    }
  }

  /// The host with which an exchange waits for a slot; nil if none does.
  var awaitedHost: String? { waiting?.host }

  /// There is a slot for the exchange that waits.
  func beginExchange() throws {
    guard let (request, host) = waiting else { return }
    waiting = nil
    exchangeHost = host
    try world.checker.willBeginExchange(of: self)
    exchanges += 1
    pathNumber = world.pathNumber
    deliveries = [.connecting(request)]
    scheduleNetwork()
  }

  // MARK: Reports

  private func tell(_ report: RefreshReport) throws {
    try world.checker.willReport(report, of: self)
    // The commit of a page fails, and what follows is told as if it were there.
    if world.sabotage == .refreshPageLost, report.news.waits, world.commitFailureOdds != nil {
      return hand(in: .proceed)
    }
    process.post(.refresh(counted(report)))
    if world.sabotage == .refreshPageTwice, report.news.waits { process.post(.refresh(report)) }
  }

  private func end(_ report: RefreshReport) throws {
    var report = report
    if case .refreshed = report.news, let address = falseMove {
      try tell(RefreshReport(refresh: refresh.id, news: .moved(address)))
    }
    if case .failed(let error, let next) = report.news, error == .feedEndsEarly, let validators = validatorsOfPart {
      let least = world.clock.wall.advanced(byMilliseconds: Int64(refresh.settings.feedRefreshMinutes) * 60_000)
      report.news = .refreshed(.init(podcast: nil, validators: validators, next: max(next, least)))
    }
    try world.checker.willReport(report, of: self)
    try process.ended(self, counted(report))
  }

  /// Where a sabotage moves the feed.
  private var falseMove: WebAddress? {
    let hasHeaders = !refresh.feed.wishes.headers.isEmpty
    switch world.sabotage {
    case .anyMoveBelieved: return hasHeaders ? nil : ledTo
    case .headersFollowMove: return hasHeaders ? ledTo : nil
    default: return nil
    }
  }

  /// What a sabotage keeps of the validators of a document that was cut off, as if it were whole; nil if there is none.
  private var validatorsOfPart: FeedValidators? {
    switch world.sabotage {
    case .cutValidatorsKept:
      FeedValidators(
        entityTag: showings.last?.tag, bodyHash: "the beginning's", fullBodyAt: world.clock.wall)
    case .cutRefreshSucceeds: FeedValidators()
    default: nil
    }
  }

  private func counted(_ report: RefreshReport) -> RefreshReport {
    defer { fetched = 0 }
    var report = report
    report.fetched = fetched
    return report
  }

  // MARK: The network

  private func scheduleNetwork() {
    networkNumber += 1
    world.schedule(.feedExchange(self, number: networkNumber), after: world.feedDelay(oneIn: 1))
  }

  /// Receives the next delivery of the simulated network.
  func receiveNext(number: Int) throws {
    guard !isOver, number == networkNumber, !deliveries.isEmpty else { return }
    switch deliveries.removeFirst() {
    case .connecting(let request):
      guard isReachable else { return fail(ExchangeFailure(.connectFailed, message: "there is no way to the host")) }
      (url, failedForNow) = (request.url, nil)
      let host = (try? WebAddress(request.url))?.host ?? refresh.feed.address.host
      var visit = SimulatedVisit(request, under: refresh.settings.addresses, by: word(of: request), in: world)
      if let failure = visit.enter(host) { return fail(failure) }
      guard try world.lets(request, in: process, at: host) else {
        deliver(FeedAnswer(head: ResponseHead(status: 401, effectiveURL: request.url, fields: [])))
        break
      }
      var answer = world.feedAnswer(to: request) { visit.enter($0, redirects: $1) }
      answer.head.peer = visit.last
      if answer.failure == nil, answer.head.hasFeed { note(visit.last) }
      world.noteAnswer(answer.head.status, to: request, in: process)
      deliver(answer)
    case .event(let event):
      if !isConnected {
        switch event {
        case .head, .body: return fail(ExchangeFailure(.connectionLost, message: "the path is gone"))
        default: break
        }
      }
      if case .body(let bytes) = event {
        if needsPath { fetched += Int64(bytes.count) }
        try world.checker.willTake(bytes.count, over: world.path, self)
      }
      if case .exchangeEnded(let result) = event {
        let isRead = if case .success = result { showing != nil } else { false }
        if isRead, let showing { showings.append(showing) }
      }
      hand(in: event)
      if case .head(let head) = event, case .stop = head.refreshDemand { return fail(.refused) }
    }
    if !deliveries.isEmpty { scheduleNetwork() }
  }

  /// Whose word a request follows: elsewhere than at the feed's own address it is that of what was read before.
  private func word(of request: HTTPRequest) -> SimulatedVisit.Word {
    request.url != refresh.feed.address.description && hasReadOutside ? .foreign : .trusted
  }

  private func note(_ place: AddressClass) {
    if place == .public { hasReadOutside = true } else { world.checker.feeds.readInside.insert(refresh.feed.key) }
  }

  private func fail(_ failure: ExchangeFailure) {
    deliveries = []
    // What the refresh itself refuses its head tells of.
    if failure.reason != .refusedByDelegate, DownloadError(failure).isTransient { failedForNow = url }
    hand(in: .exchangeEnded(.failure(failure)))
  }

  private func deliver(_ answer: FeedAnswer) {
    showing = answer.showing
    ledTo = answer.ledTo
    if let failure = answer.failure { return fail(failure) }
    if answer.head.status >= 500 { failedForNow = url }
    var body = answer.body
    if world.sabotage == .cutDocumentBelieved, answer.showing?.isWhole == false, answer.showing?.hasBody == true {
      body =
        body.dropLast(body.reversed().prefix { $0 != UInt8(ascii: "\n") }.count)
        + Array("</channel></rss>".utf8)
    }
    if world.sabotage == .furtherForgotten {
      body = Array(String(decoding: body, as: UTF8.self).replacing("rel=\"next\"", with: "rel=\"last\"").utf8)
    }
    deliveries = [.event(.head(answer.head))]
    for piece in world.feedPieces(of: body) { deliveries.append(.event(.body(piece))) }
    let summary = ExchangeSummary(bytesReceived: Int64(body.count), contentLength: nil, isDelimited: true)
    let result: Result<ExchangeSummary, ExchangeFailure> =
      answer.isCut
      ? .failure(ExchangeFailure(.connectionLost, message: "the connection broke")) : .success(summary)
    deliveries.append(.event(.exchangeEnded(result)))
  }

  /// Whether reaching its server needs a path.
  var needsPath: Bool { !WebAddress.isLoopback(refresh.feed.address.host) }

  private var isReachable: Bool { !needsPath || world.path.leads(along: refresh.route) }

  private var isConnected: Bool { !needsPath || pathNumber == world.pathNumber }
}

extension RefreshReport.News {
  /// Whether the refresh waits until it is committed.
  var waits: Bool {
    switch self {
    case .appeared, .changed, .listed: true
    case .described, .moved, .refreshed, .failed, .stopped: false
    }
  }
}

/// The known episodes that a refresh reads.
struct SimulatedEpisodeRows: EpisodeReader {
  unowned let world: World

  func episodeTraces(of feed: Feed.Key, withNotes: Bool) throws -> [EpisodeTraces] {
    let traces = try world.database.read { try $0.episodeTraces(of: feed, withNotes: withNotes) }
    switch world.sabotage {
    case .episodesForgotten: return traces.filter { !$0.isMissingFromFeed }
    case .formerNamesForgotten, .fingerprintsForgotten, .guidAloneBelieved: return traces.map(spoiled)
    default: return traces
    }
  }

  func feed(at address: WebAddress) throws -> FeedID? {
    try world.database.read { try $0.feed(at: address) }
  }

  private func spoiled(_ traces: EpisodeTraces) -> EpisodeTraces {
    var traces = traces
    switch world.sabotage {
    case .formerNamesForgotten: traces.formerNames = .init()
    case .fingerprintsForgotten: traces.fingerprint = 0
    case .guidAloneBelieved where traces.guid != nil && traces.isMissingFromFeed:
      (traces.title, traces.published, traces.enclosure, traces.seconds) = (nil, nil, nil, nil)
    default: break
    }
    return traces
  }
}
