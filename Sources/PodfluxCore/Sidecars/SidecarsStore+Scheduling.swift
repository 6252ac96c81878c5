import Flux

/// Starts and stops fetches of sidecars. They are of the class `artwork` of the networks' policies; the schedule is for
/// downloads only.
extension SidecarsStore {
  /// Returns whether the table was asked.
  mutating func startDueFetches(reading context: Context, in turn: inout StoreTurn<Self>) throws -> Bool {
    if seenObstacles.change(to: context.obstacles, context.sessions) { mayFetch = true }
    guard mayFetch, live.count < SidecarLimits.fetches else { return false }
    mayFetch = false
    var parked: Set<Session.Key> = []
    defer { if !parked.isEmpty { turn.tell(.sidecars(.session(.wanted(parked.sorted())))) } }
    // What has to wait for its session stands in the way of nothing else.
    let waiting = context.obstacles.parked
    let needs = [.nothing, .network(sparing: waiting)] + (waiting.isEmpty ? [] : [SidecarNeed.sessions(waiting)])
    for need in needs {
      let due = try turn.tables.sidecars.due(at: turn.now, need, limit: SidecarLimits.rowsAtOnce)
      for sidecar in due where live[sidecar.key] == nil {
        guard live.count < SidecarLimits.fetches else { return true }
        // Whether a file has its name is looked up without a request.
        if !sidecar.isPublishing, let host = sidecar.address?.host {
          guard context.obstacles.artworkObstacle(on: host) == nil,
            live.values.count(where: { $0.request?.host == host }) < SidecarLimits.fetchesPerHost
          else { continue }
          if let session = context.sessions.inherited(sidecar.session, by: host) {
            if context.sessions.error(of: session) != nil {
              try wait(sidecar, in: &turn)
              continue
            }
            guard !context.obstacles.parked.contains(session) else {
              parked.insert(session)
              continue
            }
          }
        }
        try start(sidecar, reading: context, in: &turn)
      }
    }
    return true
  }

  /// Has what waits for a moment wait no longer that is so far away that only a clock which was wrong can have set it.
  func forgetFarMoments(in turn: borrowing StoreTurn<Self>) throws {
    let longest = max(SidecarLimits.backoff.longestMilliseconds, RetryAfter.maxMilliseconds)
    guard let latest = turn.now.latestEnd(ofWaitsUpTo: longest) else { return }
    try turn.tables.sidecars.bringForward(dueAfter: latest, to: turn.now)
  }

  private mutating func start(_ sidecar: Sidecar, reading context: Context, in turn: inout StoreTurn<Self>) throws {
    var sidecar = sidecar
    let episode = try sidecar.owner.flatMap { try turn.tables.episodes.find(having: $0) }
    let feed = try episode.flatMap { try turn.tables.feeds.find($0.feed) }
    guard let source = try source(of: &sidecar, as: episode, of: feed, settings: context.settings, in: turn) else {
      tellLeft(sidecar, in: &turn)
      return try turn.tables.sidecars.delete(sidecar.key)
    }
    let address: WebAddress? = if case .address(let address) = source { address } else { nil }
    let host = address?.host
    let id = SidecarFetch.ID(sidecar: sidecar.key, generation: turn.sequence)
    if !sidecar.isPublishing { try turn.tables.sidecars.update(sidecar) }
    let grant = address.flatMap { context.sessions.grant(sidecar.session, to: $0) }
    let fetch = SidecarFetch(
      id: id, kind: sidecar.kind, source: source, stem: sidecar.stem, settings: context.settings,
      route: host.map { context.obstacles.artworkRoute(to: $0, over: context.network.state.path) } ?? .loopback,
      reach: context.settings.reach(of: .feed(placeOfFeed(of: sidecar, as: feed))), session: grant?.use)
    live[sidecar.key] = LiveFetch(id: id, request: host.map { LiveRequest(to: $0, with: grant, reading: context) })
    turn.perform(.sidecar(.fetch(fetch)))
  }

  /// Where the feed was read that names the sidecar: as it is known now or, of a feed that is gone, as it was.
  private func placeOfFeed(of sidecar: Sidecar, as feed: Feed?) -> AddressClass {
    guard let place = feed?.refreshes.readFrom, place != .unknown else { return sidecar.feedReadFrom }
    return place
  }

  /// What is to be fetched, the stem being that of the file as it is named now; nil if it is not wanted any more.
  private func source(
    of sidecar: inout Sidecar, as episode: Episode?, of feed: Feed?, settings: Settings,
    in turn: borrowing StoreTurn<Self>
  ) throws -> SidecarFetch.Source? {
    if case .publishing(let file, _, _) = sidecar.state { return .earlier(file) }
    guard settings.sidecars.contains(sidecar.kind) else { return nil }
    if sidecar.kind == .cover { return sidecar.address.map(SidecarFetch.Source.address) }
    guard let owner = sidecar.owner, let download = try turn.tables.downloads.find(owner),
      case .completed(let file) = download.state
    else { return nil }
    sidecar.stem = Sidecar.stem(of: sidecar.kind, beside: file.path, language: feed?.podcast?.language)
    switch sidecar.kind {
    case .cover, .picture, .chapters, .transcript: return sidecar.address.map(SidecarFetch.Source.address)
    case .notes:
      // The feed may have none any more.
      guard let episode, let notes = try turn.tables.episodes.notes(of: episode.id) else { return nil }
      return .text(SidecarNotes(notes, title: episode.content.title ?? download.description.title).text)
    case .info: return .text(SidecarInfo(of: download, file, episode: episode, feed: feed).text)
    }
  }

  /// Fetches that an obstacle has come up for, and those whose connections were made over another path, begin again
  /// when they may and when the present one has ended.
  mutating func stopWhatMayNotRun(reading context: Context, in turn: inout StoreTurn<Self>) {
    guard !live.isEmpty else { return }
    for key in live.keys.sorted() {
      guard let request = live[key]?.request else { continue }
      let isBlocked = context.obstacles.artworkObstacle(on: request.host) != nil
      if isBlocked || request.hasLostPath(reading: context) { stop(key, in: &turn) }
    }
  }
}
