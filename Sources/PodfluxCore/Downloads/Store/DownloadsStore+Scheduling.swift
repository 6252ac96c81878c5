import Flux

/// The slots that a turn has to fill.
private struct FreeSlots {
  /// How many.
  private(set) var free: Int
  /// The sessions that are wanted and not open.
  private(set) var wanted: Set<Session.Key> = []
  private var liveByHost: [String: Int]
  private let maxPerHost: Int

  init(beside live: [DownloadID: LiveAttempt], _ settings: Settings) {
    let transferring = live.values.filter { !$0.isPublishing }
    free = min(
      settings.maxConcurrent - transferring.count,
      settings.maxConcurrent + DownloadsStore.publishingAtOnce - live.count)
    liveByHost = transferring.reduce(into: [:]) { $0[$1.host, default: 0] += 1 }
    maxPerHost = settings.maxPerHost
  }

  /// Whether one of a lane may start. Notes its session if that alone keeps it.
  mutating func mayTake(_ lane: QueueLane, behind obstacles: Obstacles) -> Bool {
    guard liveByHost[lane.host, default: 0] < maxPerHost, obstacles.obstacle(ignoringSession: lane) == nil else {
      return false
    }
    guard let session = lane.session, obstacles.parked.contains(session) else { return true }
    wanted.insert(session)
    return false
  }

  mutating func take(_ lane: QueueLane) {
    liveByHost[lane.host, default: 0] += 1
    free -= 1
  }
}

/// Which downloads run, which ones are woken, and how it begins and ends.
extension DownloadsStore {
  /// How many waiting downloads are woken in one turn; the rest follow in the next.
  static let wokenAtOnce = 256
  /// How many attempts may have their bytes and not their place yet, beside those that transfer. A slow disk holds up
  /// what would only wait behind it.
  package static let publishingAtOnce = 32

  // MARK: Admission

  mutating func admit(reading context: Context, in turn: inout StoreTurn<Self>) throws {
    guard obstacles.all == nil, context.lifecycle.mayDownload else { return }
    let settings = context.settings
    var slots = FreeSlots(beside: live, settings)
    defer { if !slots.wanted.isEmpty { turn.tell(.downloads(.session(.wanted(slots.wanted.sorted())))) } }
    while slots.free > 0, obstacles.all == nil {
      let next = try turn.tables.downloads.nextAdmissible { [obstacles] in slots.mayTake($0, behind: obstacles) }
      guard var download = next else { break }
      if let error = try overQuota(download, settings: settings, in: turn) {
        try waitForQuota(&download, after: error, in: &turn)
        continue
      }
      guard try start(&download, taking: &slots, reading: context, in: &turn) else { return }
    }
    guard slots.free > 0, obstacles.all == nil, obstacles.rules != nil, !room.promised.isEmpty else { return }
    var others = obstacles
    others.rules = nil
    for var download in try promisedInOrder(in: turn)
    where slots.free > 0 && slots.mayTake(download.lane, behind: others) {
      guard try overQuota(download, settings: settings, in: turn) == nil else {
        room.promised[download.id] = nil
        continue
      }
      guard try start(&download, taking: &slots, reading: context, in: &turn) else { return }
    }
  }

  /// Starts a download that the quota leaves room for. Returns false if it has to wait for the lengths of others: the
  /// end of one of those, or its first checkpoint, looks again.
  private mutating func start(
    _ download: inout Download, taking slots: inout FreeSlots, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws -> Bool {
    let (settings, network) = (context.settings, context.network)
    guard try !awaitsLengths(download, settings: settings, in: turn) else { return false }
    slots.take(download.lane)
    let doubtsLength = doubtsLength(of: download, at: turn.now)
    let expected = try expectedBytes(of: download, settings: settings, in: turn)
    var attempt = Attempt(
      id: AttemptID(download: download.id, generation: turn.sequence), address: download.source,
      ownAddress: download.address, description: download.description, origin: download.origin,
      resume: download.progress.resume, settings: settings,
      route: obstacles.route(of: download, over: network.state.path))
    let (episode, feed) = try subject(of: download, settings: settings, in: turn)
    attempt.reach = settings.reach(of: namer(of: download, as: feed))
    attempt.naming = try naming(of: download, as: episode, of: feed, settings: settings, in: turn)
    if settings.tags { addTags(to: &attempt, of: download, as: episode, of: feed, reading: context) }
    let grant = context.sessions.grant(download.session, to: attempt.address)
    attempt.session = grant?.use
    if doubtsLength || settings.storageQuotaBytes > 0 && download.progress.total == nil {
      attempt.doubt = .init(quotaLeft: try quotaLeft(toBegin: download.id, settings, in: turn))
    }
    live[download.id] = LiveAttempt(
      attempt, policy: download.networks.effective, path: network.state.path, pathNumber: network.pathNumber,
      needsPath: obstacles.needsPath(attempt.address.host),
      expected: doubtsLength ? expected.map { min($0, TransferMachine.leastRoom) } : expected,
      isClaimed: download.progress.total == nil, session: grant)
    room.promised[download.id] = nil
    download.dates.started = download.dates.started ?? turn.now
    try transition(&download, to: .running(.connecting), in: turn)
    turn.perform(.start(attempt))
    turn.announce(.started(attempt.id))
    return true
  }

  /// The episode that a download is of, and its feed, if its attempt has to know them.
  private func subject(
    of download: Download, settings: Settings, in turn: borrowing StoreTurn<Self>
  ) throws -> (Episode?, Feed?) {
    let isFeeds = download.namer != .person || download.round.source > 0
    guard isFeeds || download.description.path == nil || settings.tags,
      let episode = try turn.tables.episodes.find(having: download.id)
    else { return (nil, nil) }
    return (episode, try turn.tables.feeds.find(episode.feed))
  }

  /// Who has named the address that is asked: of a feed, as it is known now, or was when it was last. Mirrors of an
  /// episode's download are its feed's, also where a person has named its own address.
  private func namer(of download: Download, as feed: Feed?) -> AddressNamer {
    guard download.namer != .person || download.round.source > 0, let place = feed?.refreshes.readFrom else {
      return download.namer
    }
    guard place == .unknown, case .feed = download.namer else { return .feed(place) }
    return download.namer
  }

  /// How the download's file is to be named, if its client names no path.
  private func naming(
    of download: Download, as episode: Episode?, of feed: Feed?, settings: Settings, in turn: borrowing StoreTurn<Self>
  ) throws -> DownloadNaming {
    guard download.description.path == nil else { return DownloadNaming() }
    guard let episode else { return DownloadNaming(settings.filenameTemplate) }
    let (own, episodes) = (feed?.wishes.filenameTemplate, turn.tables.episodes)
    return try DownloadNaming(own ?? settings.filenameTemplate, of: episode) { try episodes.index(of: episode) }
  }

  /// What the file's tags are to say, if anything is known of it, and where what they show is to be fetched.
  private func addTags(
    to attempt: inout Attempt, of download: Download, as episode: Episode?, of feed: Feed?, reading context: Context
  ) {
    guard let episode else {
      attempt.tags = EpisodeTags(of: download.description)
      return
    }
    attempt.tags = EpisodeTags(episode, of: feed, timeZone: context.settings.nameTimeZone)
    attempt.tagSources = TagSources(episode, of: feed) { address in
      let host = address.host
      guard obstacles.artworkObstacle(on: host) == nil, obstacles.cooldowns[host] == nil else { return nil }
      let session = context.sessions.inherited(feed?.session, by: host)
      // A file does not wait for a login that only its picture needs.
      if let session, obstacles.parked.contains(session) || context.sessions.error(of: session) != nil { return nil }
      return TagSources.Source(
        address, route: obstacles.artworkRoute(to: host, over: context.network.state.path),
        reach: context.settings.reach(of: .feed(feed?.refreshes.readFrom ?? .public)),
        session: context.sessions.grant(session, to: address)?.use)
    }
  }

  /// Stops a running download's attempt and lets another one follow, once it may.
  mutating func sendBack(_ download: inout Download, in turn: inout StoreTurn<Self>) throws {
    stopAttempt(of: download.id, in: &turn)
    download.isHeld = true
    try transition(&download, to: .queued, in: turn)
  }

  /// Tells a live attempt to stop. It stays live until it has ended, so that there are never two for a download.
  mutating func stopAttempt(of id: DownloadID, in turn: inout StoreTurn<Self>) {
    guard let attempt = live[id], !attempt.isStopping else { return }
    live[id]?.isStopping = true
    turn.perform(.stop(AttemptID(download: id, generation: attempt.generation)))
  }

  // MARK: Waking

  mutating func wakeWaiting(settings: Settings, in turn: inout StoreTurn<Self>) throws {
    try forgetFarMoments(settings: settings, in: turn)
    try hosts.endCooldowns(in: turn)
    for var download in try turn.tables.downloads.dueRetries(at: turn.now, limit: Self.wokenAtOnce) {
      if try keepsWaiting(&download, settings: settings, in: &turn) { continue }
      try transition(&download, to: .queued, in: turn)
      exempt(
        download, doubtingLength: doubtsLength(of: download, at: turn.now),
        within: try quotaLeft(toBegin: download.id, settings, in: turn))
    }
  }

  /// Has everything wait no longer that waits for a moment so far away that only a clock which was wrong can have set
  /// it.
  mutating func forgetFarMoments(settings: Settings, in turn: borrowing StoreTurn<Self>) throws {
    let longest = max(RetryAfter.maxMilliseconds, Int64(settings.retryMaxSeconds) * 1000)
    guard let latest = turn.now.latestEnd(ofWaitsUpTo: longest) else { return }
    try hosts.endCooldowns(after: latest, in: turn)
    try turn.tables.downloads.bringForward(retriesAfter: latest, to: turn.now)
  }

  /// When the first of those that wait is to be looked at again.
  func firstMoment(in turn: borrowing StoreTurn<Self>) throws -> Timestamp? {
    let retry = counts[.waiting, default: 0] == 0 ? nil : try turn.tables.downloads.earliestRetry()
    let now = lacksWaitingList ? turn.now : nil
    return [now, retry, hosts.cooldowns.values.min(), obstaclesChangeAt, refusesAt].compactMap { $0 }.min()
  }

  // MARK: Start and end

  /// Puts the tables in order after a start: no attempt is alive, so no row says running.
  mutating func recover(_ recovery: Recovery, settings: Settings, in turn: inout StoreTurn<Self>) throws {
    precondition(live.isEmpty, "a library is put in order before its first attempt")
    let published = Set(recovery.published)
    for var download in try turn.tables.downloads.running() {
      if case .running(.publishing(let file)) = download.state, published.contains(download.id) {
        try complete(&download, as: file, settings: settings, in: &turn)
      } else {
        try transition(&download, to: .queued, in: turn)
      }
    }
    try turn.tables.deletions.makeAllReady()
    deletions.oweMore()
    checks.owed.oweMore()
    try forgetFarMoments(settings: settings, in: turn)
    room.isStale = true
    try turn.tables.downloads.releaseAll()
  }

  /// Stops each attempt: the engine ends.
  mutating func stopAttempts(in turn: inout StoreTurn<Self>) {
    for id in live.keys.sorted() {
      stopAttempt(of: id, in: &turn)
    }
  }
}
