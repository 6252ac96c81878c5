import Flux

/// Stops the attempts that an obstacle keeps from running; each turn looks.
extension DownloadsStore {
  mutating func seeObstacles(reading context: Context, in turn: inout StoreTurn<Self>) throws {
    let (settings, store) = (context.settings, context.network)
    let network = store.state
    let now = turn.now
    let verdict = schedule.verdict(of: settings.schedule, in: network.localTime, at: now)
    try lookForRoom(settings: settings, in: &turn)
    obstacles = network.obstacles(
      settings: settings, schedule: verdict, lack: room.lack, cooldowns: hosts.cooling(at: now),
      departing: hosts.departing, parked: context.sessions.unusable(at: now), now: now)
    try stopWhatMayNotRun(store, in: &turn)
    leaveParts(store, in: &turn)
  }

  /// When an obstacle next comes or goes by itself, such as a budget or the schedule; nil if none does, or if no
  /// download is queued or runs.
  var obstaclesChangeAt: Timestamp? {
    guard counts[.queued, default: 0] > 0 || !live.isEmpty else { return nil }
    let budget: Timestamp? = if case .budget(let budget) = obstacles.any { budget.until } else { nil }
    return [budget, schedule.changesAt].compactMap(\.self).min()
  }

  /// Attempts that an obstacle has come up for, and those whose connections were made over another path: their rows are
  /// queued at once, and go on when they may and when the attempt has ended. No attempt is counted.
  private mutating func stopWhatMayNotRun(_ network: NetworkStore, in turn: inout StoreTurn<Self>) throws {
    let stopped = live.filter { !$0.value.isStopping && !$0.value.isPublishing && mustStop($0.value, network) }
    for id in stopped.keys.sorted() {
      stopAttempt(of: id, in: &turn)
      guard var download = try turn.tables.downloads.find(id), case .running = download.state else { continue }
      try sendBack(&download, in: &turn)
      if let obstacle = obstacles.obstacle(for: download) { turn.announce(.blocked(id, obstacle)) }
    }
  }

  /// Attempts go on without the pictures and chapters that may come no more: a path has turned out to be metered, or a
  /// client has changed the class `artwork`. Those that are bound to the device of another path never come.
  private mutating func leaveParts(_ network: NetworkStore, in turn: inout StoreTurn<Self>) {
    let gathering = live.filter { !$0.value.partHosts.isEmpty && !$0.value.isStopping && !$0.value.isPublishing }
    for (id, attempt) in gathering.sorted(by: { $0.key < $1.key }) {
      let isBoundElsewhere = attempt.pathNumber != network.pathNumber && obstacles.classes.artwork != .any
      let parts = TagMaterial.Part.allCases.filter { part in
        guard let host = attempt.partHosts[part] else { return false }
        return obstacles.artworkObstacle(on: host) != nil || isBoundElsewhere && obstacles.needsPath(host)
      }
      guard !parts.isEmpty else { continue }
      for part in parts { live[id]?.partHosts[part] = nil }
      turn.perform(.leaveParts(parts, AttemptID(download: id, generation: attempt.generation)))
    }
  }

  private func mustStop(_ attempt: LiveAttempt, _ network: NetworkStore) -> Bool {
    switch obstacles.obstacle(for: attempt.policy, of: attempt.origin, needsPath: attempt.needsPath) {
    // Other downloads lack room; this attempt has found its own.
    case nil, .storage: break
    case .network, .policy, .budget, .schedule, .host, .auth: return true
    }
    guard attempt.needsPath else { return false }
    // What may use unmetered paths only from now on is bound to its device from now on.
    let isUnbound = attempt.route == .any && obstacles.isUnmeteredOnly(attempt.policy, attempt.origin)
    return attempt.pathNumber != network.pathNumber || isUnbound && network.state.path.device != nil
  }

  /// Takes in settings that have changed: for rows of podcasts of which something else is said now, and for those that
  /// run.
  mutating func follow(_ settings: Settings, from former: Settings, in turn: inout StoreTurn<Self>) throws {
    forgetWaitingList()
    obstacles.classes = settings.network
    for podcast in settings.network.podcasts(otherThanIn: former.network) {
      try turn.tables.downloads.setNetwork(settings.network.policy(ofPodcast: podcast), ofPodcast: podcast)
    }
    for id in live.keys.sorted() {
      guard let download = try turn.tables.downloads.find(id) else { continue }
      live[id]?.policy = download.networks.effective
    }
  }
}

extension NetworkClasses {
  /// The names of the podcasts for which these classes have another policy than `others`.
  fileprivate func podcasts(otherThanIn other: NetworkClasses) -> [String] {
    guard podcasts != other.podcasts else { return [] }
    return Set(podcasts.keys).union(other.podcasts.keys).filter { podcasts[$0] != other.podcasts[$0] }.sorted()
  }
}

extension Obstacles {
  /// Which way the connections of a download may take, now that nothing stands in its way. Where they need no path they
  /// get none: they may be led to where one is needed, and then the host counts as one that needs it.
  func route(of download: Download, over path: NetworkPath) -> Route {
    guard needsPath(download.source.host) else { return .loopback }
    guard isUnmeteredOnly(download.networks.effective, download.origin) else { return .any }
    return path.device.map(Route.only) ?? .any
  }
}
