import EngineRuntime
import Flux
import PodfluxCore

/// Checks of refreshes: of what they do, and of what comes of them.
extension InvariantChecker {
  /// The store starts a refresh.
  func willRefresh(_ refresh: FeedRefresh, in process: SimulatedProcess) throws {
    let running = process.refreshes.values.map(\.refresh)
    guard !running.contains(where: { $0.id.feed == refresh.id.feed }) else {
      throw Violation(.oneRefresh, "\(refresh.id.feed) is being refreshed and is refreshed once more")
    }
    let onHost = running.filter { $0.feed.address.host == refresh.feed.address.host }.count
    guard running.count < PodcastsStore.Limits.refreshes, onHost < PodcastsStore.Limits.refreshesPerHost else {
      throw Violation(.oneRefresh, "\(running.count + 1) refreshes, \(onHost + 1) of them on one host")
    }
    guard let feed = feeds.feeds[refresh.feed.key], process.dispatcher.state.podcasts.live[feed.id]?.id == refresh.id
    else { throw Violation(.afterCommit, "\(refresh.id.feed) is refreshed, and no committed row says so") }
    guard let due = feed.due, due <= process.world.clock.wall else {
      throw Violation(.rhythm, "\(feed.id) is refreshed, and is due \(feed.due.map { "\($0)" } ?? "never")")
    }
    let path = process.dispatcher.state.network.state.path
    let needsPath = process.dispatcher.state.downloads.needsPath(feed.address.host)
    guard !needsPath || mayRefresh(feed, over: path, in: process) else {
      throw Violation(.obstacles, "\(feed.id) is refreshed over \(path.device ?? "nothing")")
    }
    if path.interface == .cellular { feeds.cellular.insert(refresh.id) }
  }

  private func mayRefresh(_ feed: Feed, over path: NetworkPath, in process: SimulatedProcess) -> Bool {
    let classes = process.dispatcher.state.settings.settings.network
    let policy = feed.wishes.network == .inherit ? classes.feeds : feed.wishes.network
    return path.status == .online && (policy == .any || path.isUnmetered)
  }

  /// The exchanges of refreshes stay within their slots, in all and with each host.
  func willBeginExchange(of shell: SimulatedRefresh) throws {
    let hosts = shell.process.refreshes.values.compactMap(\.exchangeHost)
    let onHost = hosts.filter { $0 == shell.exchangeHost }.count
    guard hosts.count <= SimulatedProcess.simulatedExchanges, onHost <= SimulatedProcess.simulatedExchangesPerHost
    else { throw Violation(.oneRefresh, "\(hosts.count) exchanges for feeds, \(onHost) of them with one host") }
  }

  /// A refresh makes a request, which it sends as soon as there is a slot.
  func willAsk(_ request: HTTPRequest, for refresh: FeedRefresh, at now: Timestamp) throws {
    if !request.headers.isEmpty {
      let origin = feeds.keyedOrigins[refresh.feed.key]
      guard let address = try? WebAddress(request.url), origin.map(address.hasOrigin) ?? true else {
        throw Violation(
          .headers, "\(refresh.id.feed) sends \(request.headers.map(\.name)) to \(request.url), for \(origin as Any)")
      }
    }
    guard request.condition("If-None-Match") != nil || request.condition("If-Modified-Since") != nil else { return }
    let validators = refresh.feed.refreshes.validators
    guard !validators.isDistrusted, let since = validators.fullBodyAt, now <= since.advanced(byDays: 7) else {
      throw Violation(.validators, "\(refresh.id.feed) is asked for with validators that are not to be believed")
    }
    guard request.url == refresh.feed.address.description else {
      throw Violation(.validators, "\(request.url) is asked for with the validators of \(refresh.feed.address)")
    }
  }

  /// Bytes of a feed have come.
  func willTake(_ count: Int, over path: NetworkPath, _ refresh: SimulatedRefresh) throws {
    guard refresh.needsPath, let feed = feeds.feeds[refresh.refresh.feed.key] else { return }
    let known = refresh.process.dispatcher.state.network.state
    guard !mayRefresh(feed, over: path, in: refresh.process), known.source != .reported, known.path == path else {
      return
    }
    throw Violation(.path, "\(count) bytes of \(feed.id) come over \(path.device ?? "?"), which the engine knows")
  }

  /// No refresh reports after its end, and none sets the next one too early or too late.
  func willReport(_ report: RefreshReport, of refresh: SimulatedRefresh) throws {
    guard !feeds.ended.contains(report.refresh) else {
      throw Violation(.oneEnd, "refresh \(report.refresh.generation) of \(report.refresh.feed) reports after its end")
    }
    if report.news.isEnd { feeds.ended.insert(report.refresh) }
    let (now, settings) = (refresh.world.clock.wall, refresh.refresh.settings)
    let wait: (least: Int64, next: Timestamp)
    switch report.news {
    case .refreshed(let findings): wait = (Int64(settings.feedRefreshMinutes) * 60_000, findings.next)
    case .failed(_, let next): wait = (Self.leastRetryMilliseconds, next)
    case .described, .appeared, .changed, .listed, .moved, .stopped: return
    }
    // It is decided when an exchange ends; then everything is told.
    let waits = (refresh.ends + [now]).map { wait.next.milliseconds - $0.milliseconds }
    guard !waits.contains(where: { $0 >= wait.least && $0 <= Self.longestWaitMilliseconds }) else { return }
    throw Violation(.rhythm, "\(report.refresh.feed) is to be refreshed \(waits) ms after \(report.news)")
  }

  /// Ten minutes, less an eighth.
  private static let leastRetryMilliseconds: Int64 = 525_000
  static let longestWaitMilliseconds: Int64 = 7 * 86_400_000

  /// Every refresh that the store counts as running must be alive, or its last report on the way.
  func checkRefreshSlots(of process: SimulatedProcess) throws {
    for (feed, live) in process.dispatcher.state.podcasts.live.sorted(by: { $0.key < $1.key }) {
      guard process.refreshes[live.id] == nil, !process.refreshEnds.contains(live.id) else { continue }
      throw Violation(.slots, "refresh \(live.id.generation) of \(feed) holds a slot and is gone")
    }
    let hosts = process.refreshes.values.compactMap(\.exchangeHost)
    guard hosts.count < SimulatedProcess.simulatedExchanges else { return }
    for refresh in process.refreshes.values {
      guard let host = refresh.awaitedHost,
        hosts.count(where: { $0 == host }) < SimulatedProcess.simulatedExchangesPerHost
      else { continue }
      throw Violation(.slots, "a refresh of \(refresh.refresh.id.feed) waits, and nothing is in its way")
    }
  }

  // MARK: What comes of them

  /// A report is committed.
  func check(_ report: RefreshReport, _ batch: Batch, _ world: World) throws {
    guard let refresh = feeds.live[report.refresh] else { return }
    if feeds.cellular.contains(report.refresh), report.fetched > 0, let process = world.process {
      usage = usage.turned(to: batch.clock.wall, in: process.dispatcher.state.network.state.localTime)
      usage.bytes += report.fetched
    }
    if report.news.isEnd { feeds.forget(report.refresh) }
    let key = refresh.refresh.feed.key
    switch report.news {
    case .listed(let missing, _): try checkMissing(missing, refresh.showings)
    case .refreshed(let findings):
      defer { if findings.hasBody, !findings.hasGap { feeds.noteRead(key) } }
      try checkReadWhole(refresh.refresh.feed, refresh.showings)
      guard let feed = feeds.feeds[key], feed.refreshes.last == batch.clock.wall,
        feed.refreshes.validators == findings.validators || world.sabotage == .distrustForgotten
      else { return }
      try checkPodcast(of: feed, refresh, at: batch.clock.wall)
      try checkWhole(feed, refresh.showings)
      try checkFurther(of: feed, refresh, findings)
      try checkNotes(of: feed, refresh.showings, in: world)
      try checkDistrust(of: feed, refresh.refresh.feed, refresh.showings)
    case .described, .appeared, .changed, .moved, .failed, .stopped: break
    }
  }

  private func checkMissing(_ missing: [EpisodeID], _ showings: [FeedAnswer.Showing]) throws {
    for id in missing {
      guard let episode = feeds.episodes[id], let truth = SimulatedItem.truth(of: episode.content) else { continue }
      let isSeen = showings.contains {
        $0.isWhole && !$0.part.isOneOfSeveral && !$0.items.contains { $0.truth == truth }
      }
      // An episode whose identity was not recognized may have a second row.
      let hasTwin = feeds.episodes(of: episode.feed, being: truth).count > 1
      guard isSeen || hasTwin else {
        throw Violation(.wholeOnly, "\(id) counts as gone, and the whole feed was not seen without it")
      }
    }
  }

  private func checkReadWhole(_ feed: Feed, _ showings: [FeedAnswer.Showing]) throws {
    let failures = feed.refreshes.failures + 1
    let isTakenAsWhole = feed.refreshes.last == nil && failures >= RefreshLimits.partialReads
    guard !showings.isEmpty, !isTakenAsWhole, showings.allSatisfy({ $0.hasBody && !$0.isWhole }) else { return }
    throw Violation(.wholeRead, "\(feed.id) counts as read to its end, and only a part of a document has come")
  }

  /// The rows say what the refresh has read, if it has read the whole.
  private func checkWhole(_ feed: Feed, _ showings: [FeedAnswer.Showing]) throws {
    guard !showings.isEmpty, showings.allSatisfy(\.isWhole) else { return }
    let faults = showings.map { fault(of: feed, comparedWith: $0.part) }
    guard faults.allSatisfy({ $0 != nil }), let fault = faults.last ?? nil else { return }
    throw Violation(.nothingLost, fault)
  }

  /// A feed keeps its podcast for some days, if what its server sends has none of the episodes that are known.
  private func checkPodcast(of feed: Feed, _ refresh: SimulatedRefresh, at now: Timestamp) throws {
    let former = refresh.refresh.feed
    guard let guid = former.podcast?.guid, let other = feed.podcast?.guid, guid != other,
      former.address == feed.address, !refresh.known.isEmpty, let last = former.refreshes.last,
      now < last.advanced(byMilliseconds: RefreshLimits.otherPodcastMilliseconds),
      !refresh.showings.contains(where: { $0.items.contains { refresh.known.contains($0.truth) } })
    else { return }
    throw Violation(.nothingLost, "\(feed.id) was the podcast \(guid), and becomes \(other) at once")
  }

  /// A refresh reads the documents of a feed until one has only episodes that the feed had when it was last read
  /// without a gap; the first refresh reads all of them. Each of their episodes is known then. Else a gap is noted.
  private func checkFurther(
    of feed: Feed, _ refresh: SimulatedRefresh, _ findings: RefreshReport.Findings
  ) throws {
    let known = feeds.truths(of: feed.key)
    let former = feeds.read[feed.key] ?? []
    guard refresh.refresh.session == nil, var last = refresh.showings.first, last.hasBody else { return }
    var documents = [last]
    for showing in refresh.showings.dropFirst() where showing.url == last.next {
      last = showing
      documents.append(showing)
    }
    guard documents.allSatisfy(\.isWhole) else { return }
    let hasGap = last.next != nil && !last.items.allSatisfy { former.contains($0.truth) }
    if hasGap, findings.hasGap {
      // What is refused stays refused, and after some failures what was read is told. An old gap holds nothing up.
      let before = refresh.refresh.feed.refreshes
      let isOld = before.last != nil && before.failures == 0
      let isLast = refresh.hasPart && (isOld || before.failures + 1 >= RefreshLimits.partialReads)
      guard !isLast, let url = refresh.failedForNow, url == last.next else { return }
      throw Violation(.nothingLost, "\(feed.id) counts as read, and its document \(url) is to be read soon")
    }
    guard !hasGap else {
      throw Violation(
        .nothingLost, "\(feed.id) was read, and its document \(last.part.number + 1) behind a gap was not")
    }
    let unknown = documents.flatMap(\.items).map(\.truth).filter { !known.contains($0) }
    guard unknown.isEmpty else {
      throw Violation(.nothingLost, "\(feed.id) was read first, and \(unknown) of its documents are not known")
    }
  }

  /// What differs between a feed's rows and the episodes of a document; nil if nothing does.
  func fault(of feed: Feed, comparedWith part: FeedAnswer.Part) -> String? {
    let items = part.items
    for item in items {
      let known = feeds.episodes(of: feed.key, being: item.truth)
      guard !known.contains(where: { !$0.isMissingFromFeed && item.isSaid(by: $0.content) }) else { continue }
      return "\(feed.id) has \(item.markup), and its rows: \(known)"
    }
    let present = feeds.episodes(of: feed.key).filter { !$0.isMissingFromFeed }
    guard present.count == items.count || part.isOneOfSeveral else {
      let truths = present.compactMap { SimulatedItem.truth(of: $0.content) }
      return "\(feed.id) has \(items.map(\.truth)), and its rows count \(truths) as there"
    }
    return nil
  }

  /// A server that has sent another feed under the tag of the former one is not asked for word of changes again.
  private func checkDistrust(of feed: Feed, _ former: Feed, _ showings: [FeedAnswer.Showing]) throws {
    // What has left one document of several may be in another one.
    guard showings.count == 1, let showing = showings.first, showing.isWhole, showing.hasBody,
      !showing.part.isOneOfSeveral
    else { return }
    let last = feeds.shown[feed.key]
    feeds.shown[feed.key] = (showing, feed.refreshes.validators)
    guard let last, last.1 == former.refreshes.validators, last.1.bodyHash != nil, let tag = showing.tag,
      last.0.tag == tag,
      Set(last.0.items.map(\.markup)) != Set(showing.items.map(\.markup)), former.address == feed.address,
      !feed.refreshes.validators.isDistrusted
    else { return }
    throw Violation(.validators, "\(feed.id) has changed under the tag \(tag), which is still believed")
  }
}
