import Flux

/// Handles the reports of refreshes.
extension PodcastsStore {
  mutating func handle(_ report: RefreshReport, reading context: Context, in turn: inout StoreTurn<Self>) throws {
    let id = report.refresh.feed
    guard let refresh = live[id], refresh.id == report.refresh else { return }
    let key = refresh.key
    if report.news.isSuccess, let grant = refresh.request.session {
      turn.tell(.podcasts(.session(.accepted(grant, .feed(key)))))
    }
    if refresh.request.isOverCellular, report.fetched > 0 { turn.tell(.podcasts(.fetchedOverCellular(report.fetched))) }
    if report.news.isEnd {
      live[id] = nil
      // A feed that was disowned may wait on another host by now.
      if refresh.isDisowned { hostsToSearch = nil } else { hostsToSearch?.insert(refresh.request.host) }
    }
    guard !refresh.isDisowned, var feed = try turn.tables.feeds.find(key) else { return }
    // It may have moved to another host, and be due there: the clock may have been set meanwhile.
    if report.news.isEnd { hostsToSearch?.insert(feed.address.host) }
    // A page that is no feed has named nothing, and does not say where the feed is.
    if !report.news.isFailure, report.readFrom != .unknown, report.readFrom != feed.refreshes.readFrom {
      // Before what it names is known: a rule may want that in this turn.
      feed.refreshes.readFrom = report.readFrom
      try turn.tables.feeds.updateRefreshes(of: feed)
    }
    switch report.news {
    case .described(let podcast):
      feed.podcast = podcast
      try turn.tables.feeds.update(feed)
    case .appeared(let contents):
      try turn.tables.episodes.insert(
        contents, of: key, added: refresh.began, isBackdated: try lateness(of: contents, in: feed, in: turn))
      if feed.hasDownloadRule { turn.tell(.podcasts(.hasNews(key))) }
      feed.episodes += Int64(contents.count)
      feed.leaveBody()
      try turn.tables.feeds.updateRefreshes(of: feed)
      turn.perform(.proceedRefresh(refresh.id))
    case .changed(let changes):
      var noted: [DownloadID] = []
      for change in changes {
        guard let download = try turn.tables.episodes.update(change, of: key)?.download else { continue }
        try offerAddress(of: change.id, in: feed, to: download, in: &turn)
        if change.content.notes != nil { noted.append(download) }
      }
      if !noted.isEmpty { turn.tell(.podcasts(.noted(noted))) }
      if feed.hasDownloadRule { turn.tell(.podcasts(.hasNews(key))) }
      if feed.leaveBody() { try turn.tables.feeds.updateRefreshes(of: feed) }
      turn.perform(.proceedRefresh(refresh.id))
    case .listed(let missing, let returned):
      try turn.tables.episodes.setMissing(true, missing, of: key)
      try turn.tables.episodes.setMissing(false, returned, of: key)
      if feed.hasDownloadRule, !returned.isEmpty { turn.tell(.podcasts(.hasNews(key))) }
      if feed.leaveBody() { try turn.tables.feeds.updateRefreshes(of: feed) }
      turn.perform(.proceedRefresh(refresh.id))
    case .moved(let address): try move(&feed, to: address, readFrom: report.readFrom, in: turn)
    case .refreshed(var findings):
      findings.next = possible(findings.next, under: context.settings, in: turn)
      try finish(&feed, with: findings, in: turn)
      if feed.hasDownloadRule { turn.tell(.podcasts(.wasReadWhole(key))) }
    case .failed(var error, let next):
      if let grant = refresh.request.session,
        let verdict = context.sessions.verdict(on: error, of: .feed(key), sentWith: grant)
      {
        turn.tell(.podcasts(.session(.refused(grant, .feed(key), verdict))))
        // It stays due, and is refreshed once its session is open.
        guard case .refuse(let reason) = verdict.decision else { return hostsToSearch = nil }
        error = error.explained(by: reason)
      }
      try fail(feed, because: error, next: possible(next, under: context.settings, in: turn), in: turn)
    case .stopped: break
    }
  }

  /// When a feed is due. A clock that was years ahead may have been set right since a refresh has named the moment:
  /// then it is due now, as all are that waited for such a moment when the engine notices.
  private func possible(_ next: Timestamp, under settings: Settings, in turn: borrowing StoreTurn<Self>) -> Timestamp {
    guard let latest = Self.latestMoment(under: settings, at: turn.now), next > latest else { return next }
    return turn.now
  }

  /// Follows the publisher. Where another subscription has that address, both stay as they are.
  ///
  /// - Parameter place: Where the document was read that says so.
  private func move(
    _ feed: inout Feed, to address: WebAddress, readFrom place: AddressClass, in turn: borrowing StoreTurn<Self>
  ) throws {
    let address = address.normalized
    guard address != feed.address else { return }
    if let other = try turn.tables.feeds.find(at: address), other != feed.id { return }
    feed.leaveAddress(for: address)
    if place == .public { feed.refreshes.isLed = true }
    try turn.tables.feeds.update(feed)
  }

  private func finish(
    _ feed: inout Feed, with findings: RefreshReport.Findings, in turn: borrowing StoreTurn<Self>
  ) throws {
    feed.refreshes.validators = findings.validators
    feed.refreshes.rhythm = findings.rhythm ?? feed.refreshes.rhythm
    (feed.refreshes.last, feed.refreshes.next) = (turn.now, findings.next)
    (feed.refreshes.failures, feed.refreshes.error) = (0, nil)
    (feed.refreshes.hasEnded, feed.refreshes.isAsked) = (false, false)
    if findings.hasBody, !findings.hasGap { feed.refreshes.readTo = try turn.tables.rules.lastEpisode() }
    guard let podcast = findings.podcast else { return try turn.tables.feeds.updateRefreshes(of: feed) }
    feed.podcast = podcast
    try turn.tables.feeds.update(feed)
  }

  func fail(
    _ failing: Feed, because error: DownloadError, next: Timestamp, in turn: borrowing StoreTurn<Self>
  ) throws {
    var (feed, error) = (failing, error.stored)
    feed.refreshes.failures = min(feed.refreshes.failures + 1, Feed.Refreshes.failureLimit)
    (feed.refreshes.error, feed.refreshes.next) = (error, next)
    feed.refreshes.hasEnded = error.code == .gone
    feed.refreshes.isAsked = false
    try turn.tables.feeds.updateRefreshes(of: feed)
  }
}

extension RefreshReport.News {
  /// Whether the refresh has ended without the feed. What it had of the feed was told before.
  fileprivate var isFailure: Bool {
    switch self {
    case .failed, .stopped: true
    case .described, .appeared, .changed, .listed, .moved, .refreshed: false
    }
  }

  /// Whether the server has let the refresh have the feed.
  fileprivate var isSuccess: Bool {
    switch self {
    case .described, .appeared, .changed, .listed, .moved, .refreshed: true
    case .failed(let error, _): error == .feedEndsEarly
    case .stopped: false
    }
  }
}

extension Feed {
  fileprivate var hasDownloadRule: Bool { wishes.rules.autoDownload != nil }

  /// Its episodes are no more those of the last body: if the rest of the present one never comes, no word of the server
  /// that nothing has changed since is of use. Returns whether that is new.
  @discardableResult
  fileprivate mutating func leaveBody() -> Bool {
    let left = FeedValidators(isDistrusted: refreshes.validators.isDistrusted)
    guard refreshes.validators != left else { return false }
    refreshes.validators = left
    return true
  }

  /// Takes another address, and keeps in mind that it was at this one.
  mutating func leaveAddress(for next: WebAddress) {
    refreshes.formerAddresses.removeAll { $0 == address || $0 == next }
    refreshes.formerAddresses.append(address)
    refreshes.formerAddresses = refreshes.formerAddresses.suffix(Refreshes.formerAddressLimit)
    refreshes.validators = FeedValidators()
    address = next
  }
}
