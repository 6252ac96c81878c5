import Flux

/// Starts and stops refreshes of feeds.
extension PodcastsStore {
  mutating func startDueRefreshes(reading context: Context, in turn: inout StoreTurn<Self>) throws {
    if seenObstacles.change(to: context.obstacles, context.sessions) { hostsToSearch = nil }
    if let wakeAt, wakeAt <= turn.now { hostsToSearch = nil }
    guard hostsToSearch?.isEmpty != true else { return }
    while live.count < Limits.refreshes {
      let feeds = try due(reading: context, in: &turn)
      guard !feeds.isEmpty else {
        // From now on only the end of a refresh makes room, on its host.
        hostsToSearch = []
        break
      }
      for feed in feeds {
        if let session = feed.session, let error = context.sessions.loginError(of: session, to: feed.address.host) {
          try refuse(feed, because: error, in: turn)
        } else {
          start(feed, reading: context, in: &turn)
        }
      }
    }
    wakeAt = try turn.tables.feeds.nextMoment(after: turn.now)
  }

  /// The next feeds to refresh, up to one for which a host has its last room; none if there is none. Hosts without room
  /// are left out in the table: a thousand feeds may wait for one host.
  private func due(reading context: Context, in turn: inout StoreTurn<Self>) throws -> [Feed] {
    var room = Limits.refreshes - live.count
    var liveByHost = live.values.reduce(into: [String: Int]()) { $0[$1.request.host, default: 0] += 1 }
    let full = Set(liveByHost.filter { $0.value >= Limits.refreshesPerHost }.keys)
    let scope = hostsToSearch.map { HostScope.only($0.subtracting(full)) } ?? .allBut(full)
    guard scope != .only([]) else { return [] }
    var wanted: Set<Session.Key> = []
    let keys = Set(live.values.lazy.map(\.key))
    let feeds = try turn.tables.feeds.due(at: turn.now, on: scope, besides: keys) { [live] id, lane in
      // One that is live may be a former feed of that id.
      guard live[id] == nil, context.obstacle(for: lane.policy, on: lane.host) == nil else { return .passed }
      if let session = lane.session, context.isParked(session, for: lane.host) {
        wanted.insert(session)
        return .passed
      }
      room -= 1
      let onHost = liveByHost[lane.host, default: 0] + 1
      liveByHost[lane.host] = onHost
      return room == 0 || onHost == Limits.refreshesPerHost ? .takenAsLast : .taken
    }
    if !wanted.isEmpty { turn.tell(.podcasts(.session(.wanted(wanted.sorted())))) }
    return feeds
  }

  /// A feed's session could not log in. A client that opens it again makes the feed due.
  private func refuse(_ feed: Feed, because error: DownloadError, in turn: borrowing StoreTurn<Self>) throws {
    try fail(
      feed, because: error, next: turn.now.advanced(byMilliseconds: Limits.loginFailedMilliseconds), in: turn)
  }

  private mutating func start(_ feed: Feed, reading context: Context, in turn: inout StoreTurn<Self>) {
    let host = feed.address.host
    let policy = context.policy(of: feed.wishes.network)
    let grant = context.sessions.grant(feed.session, to: feed.address)
    let refresh = FeedRefresh(
      id: FeedRefresh.ID(feed: feed.id, generation: turn.sequence), feed: feed, settings: context.settings,
      route: context.route(for: policy, on: host), session: grant?.use, draw: turn.random.next())
    live[feed.id] = LiveRefresh(
      id: refresh.id, key: feed.key, began: turn.now, policy: feed.wishes.network,
      request: LiveRequest(to: host, with: grant, reading: context))
    turn.perform(.refreshFeed(refresh))
  }

  /// Refreshes that an obstacle has come up for, and those whose connections were made over another path, begin again
  /// when they may and when the present one has ended.
  mutating func stopWhatMayNotRun(reading context: Context, in turn: inout StoreTurn<Self>) {
    var ids: [FeedID] = []
    for (id, refresh) in live {
      let isBlocked = context.obstacle(for: refresh.policy, on: refresh.request.host) != nil
      if isBlocked || refresh.request.hasLostPath(reading: context) { ids.append(id) }
    }
    for id in ids.sorted() { stop(id, in: &turn) }
  }

  /// Stops each refresh: the engine ends.
  mutating func stopRefreshes(in turn: inout StoreTurn<Self>) {
    for id in live.keys.sorted() { stop(id, in: &turn) }
  }

  /// Tells a refresh to stop. It keeps its slot until it has ended, so that there are never two for a feed.
  mutating func stop(_ id: FeedID, in turn: inout StoreTurn<Self>) {
    guard let refresh = live[id], !refresh.isStopping else { return }
    live[id]?.isStopping = true
    turn.perform(.stopRefresh(refresh.id))
  }
}

extension RequestContext {
  /// A feed's policy, or else that of all feeds.
  func policy(of feed: NetworkPolicy) -> NetworkPolicy { feed == .inherit ? settings.network.feeds : feed }

  /// What stands in the way of a request for a feed. The schedule and a full disk are for downloads only.
  func obstacle(for policy: NetworkPolicy, on host: String) -> Obstacle? {
    guard obstacles.needsPath(host) else { return nil }
    return self.policy(of: policy) == .any ? obstacles.any : obstacles.unmetered
  }

  /// Whether requests of a session to a host wait until it is open. Those of one whose login has failed do not: they
  /// fail.
  func isParked(_ session: Session.Key, for host: String) -> Bool {
    obstacles.parked.contains(session) && sessions.inherited(session, by: host) != nil
      && sessions.loginError(of: session, to: host) == nil
  }

  func route(for policy: NetworkPolicy, on host: String) -> Route {
    guard obstacles.needsPath(host) else { return .loopback }
    return policy == .any ? .any : network.state.path.device.map(Route.only) ?? .any
  }

  /// The context of conditions.
  func moment(at now: Timestamp) -> ConditionMoment {
    ConditionMoment(now: now, today: network.state.localTime.day(at: now), obstacles: obstacles)
  }
}
