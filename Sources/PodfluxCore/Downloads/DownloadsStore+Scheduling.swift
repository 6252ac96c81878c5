import Flux

/// Who runs, who is woken, what is handed out; and how it begins and ends.
extension DownloadsStore {
  /// How many deletions are under way at once.
  static let deletionsAtOnce = 64
  /// How many waiting downloads are woken in one turn; the rest follow in the next.
  static let wokenAtOnce = 256

  mutating func endBatch(
    settings: Settings, network: NetworkStore, isCleaning: Bool, in turn: inout PodfluxTurn
  ) throws {
    guard isRecovered || isEnding else { return try saveCounts(in: turn) }
    if !isEnding {
      try seeObstacles(settings: settings, network: network, in: &turn)
      try admit(settings: settings, network: network, in: &turn)
      try handOutDeletions(in: &turn)
      try handOutVerifications(in: &turn)
    }
    tellOfVerifications(in: &turn)
    try closeIfDone(isCleaning: isCleaning, in: &turn)
    try saveCounts(in: turn)
  }

  // MARK: Admission

  private mutating func admit(settings: Settings, network: NetworkStore, in turn: inout PodfluxTurn) throws {
    guard obstacles.all == nil else { return }
    var liveByHost = live.values.reduce(into: [String: Int]()) { $0[$1.host, default: 0] += 1 }
    while live.count < settings.maxConcurrent {
      let next = try turn.tables.downloads.nextAdmissible { [obstacles] host, origin, policy in
        liveByHost[host, default: 0] < settings.maxPerHost
          && obstacles.obstacle(for: policy, of: origin, on: host) == nil
      }
      guard var download = next else { return }
      if let error = try overQuota(download, settings: settings, in: turn) {
        try waitForRoom(&download, after: error, settings: settings, in: &turn)
        guard room.waiting < Obstacle.roomlessLimit else { return }
        continue
      }
      liveByHost[download.source.host, default: 0] += 1
      try start(&download, settings: settings, network: network, in: &turn)
    }
  }

  private mutating func start(
    _ download: inout Download, settings: Settings, network: NetworkStore, in turn: inout PodfluxTurn
  ) throws {
    let doubtsLength = doubtsLength(of: download, at: turn.now)
    var attempt = Attempt(
      id: AttemptID(download: download.id, generation: turn.sequence), address: download.source,
      ownAddress: download.address, description: download.description, origin: download.origin,
      resume: download.progress.resume, settings: settings,
      route: obstacles.route(of: download, over: network.state.path))
    if doubtsLength { attempt.doubt = .init(quotaLeft: try quotaLeft(settings, in: turn)) }
    live[download.id] = LiveAttempt(
      attempt, policy: download.networks.effective, path: network.state.path, pathGeneration: network.pathGeneration,
      needsPath: obstacles.needsPath(attempt.address.host),
      expected: download.missingBytes.map { _ in download.neededBytes(doubtingLength: doubtsLength) } ?? 0)
    download.dates.started = download.dates.started ?? turn.now
    try transition(&download, to: .running(.connecting), in: turn)
    turn.perform(.start(attempt))
    turn.announce(.started(attempt.id))
  }

  /// Stops a running download's attempt and lets another one follow, once it may.
  mutating func sendBack(_ download: inout Download, in turn: inout PodfluxTurn) throws {
    stopAttempt(of: download.id, in: &turn)
    download.isHeld = true
    try transition(&download, to: .queued, in: turn)
  }

  /// Tells a live attempt to stop. It keeps its slot until it has ended, so that there are never two for a download.
  mutating func stopAttempt(of id: DownloadID, in turn: inout PodfluxTurn) {
    guard let attempt = live[id], !attempt.isStopping else { return }
    live[id]?.isStopping = true
    turn.perform(.stop(AttemptID(download: id, generation: attempt.generation)))
  }

  // MARK: Waking

  mutating func wakeWaiting(in turn: inout PodfluxTurn) throws {
    try endCooldowns(in: turn)
    for var download in try turn.tables.downloads.dueRetries(at: turn.now, limit: Self.wokenAtOnce) {
      try transition(&download, to: .queued, in: turn)
    }
  }

  /// Whether anything is to be started yet, or still.
  var isScheduling: Bool { isRecovered && !isEnding }

  /// Whether the engine gives the library up as soon as nothing runs.
  public var isEnding: Bool { stopping.map { $0 > .drain } ?? false }

  /// When the first of those that wait is to be looked at again.
  func wakeAt(in turn: borrowing PodfluxTurn) throws -> Timestamp? {
    let retry = counts[.waiting, default: 0] == 0 ? nil : try turn.tables.downloads.earliestRetry()
    return [retry, cooldowns.values.min(), obstaclesChangeAt].compactMap { $0 }.min()
  }

  // MARK: Hosts that want to be left alone

  /// A server has said that it is asked too much, or when to come again: that goes for all downloads of its host.
  mutating func cool(_ host: String, until moment: Timestamp, in turn: borrowing PodfluxTurn) throws {
    try endCooldowns(in: turn)
    let now = turn.now
    guard moment > cooldowns[host] ?? now else { return }
    cooldowns[host] = moment
    try turn.tables.save(cooldownOf: host, until: moment)
  }

  private mutating func endCooldowns(in turn: borrowing PodfluxTurn) throws {
    let now = turn.now
    for host in cooldowns.filter({ $0.value <= now }).keys.sorted() {
      cooldowns[host] = nil
      try turn.tables.save(cooldownOf: host, until: nil)
    }
  }

  // MARK: Deletions

  private mutating func handOutDeletions(in turn: inout PodfluxTurn) throws {
    guard mayOweDeletions, deletionsUnderWay.count < Self.deletionsAtOnce else { return }
    // Those under way are ready too, so as many as may be under way are enough to fill all places.
    let ready = try turn.tables.deletions.ready(limit: Self.deletionsAtOnce)
    for var deletion in ready
    where !deletionsUnderWay.contains(deletion.key) && deletionsUnderWay.count < Self.deletionsAtOnce {
      deletionsUnderWay.insert(deletion.key)
      if let file = deletion.file { deletion.ownFolders = try turn.tables.cleanup.madeFolders(above: file.path) }
      turn.perform(.delete(deletion))
    }
    mayOweDeletions = ready.count == Self.deletionsAtOnce
  }

  mutating func finishDeletion(_ key: Deletion.Key, in turn: inout PodfluxTurn) throws {
    endDeletion(key, in: &turn)
    guard let id = try turn.tables.deletions.remove(key), live[id] == nil else { return }
    try turn.tables.downloads.release(id)
  }

  /// Deletions that could not be done are tried again: so many, after this one.
  ///
  /// - Returns: the last of them; nil if there are no more.
  mutating func retryDeletions(
    after key: Deletion.Key, limit: Int, in turn: borrowing PodfluxTurn
  ) throws -> Deletion.Key? {
    mayOweDeletions = true
    return try turn.tables.deletions.makeReady(after: key, limit: limit, sparing: live.keys.sorted())
  }

  /// What cannot be deleted now, because the disk is read-only for instance, is tried again the next day, or at the next
  /// start: a drain must not wait for it. A damaged file that stays where it is holds nobody up: a new one gets another name.
  mutating func postponeDeletion(_ key: Deletion.Key, in turn: inout PodfluxTurn) throws {
    endDeletion(key, in: &turn)
    guard let id = try turn.tables.deletions.postpone(key), live[id] == nil else { return }
    try turn.tables.downloads.release(id)
  }

  /// A deletion is no longer under way: who waited for that may publish.
  private mutating func endDeletion(_ key: Deletion.Key, in turn: inout PodfluxTurn) {
    guard deletionsUnderWay.remove(key) != nil else { return }
    for id in live.filter({ $0.value.awaitedDeletions.contains(key) }).keys.sorted() {
      live[id]?.awaitedDeletions.remove(key)
      guard let attempt = live[id], attempt.awaitedDeletions.isEmpty, !attempt.isStopping else { continue }
      turn.perform(.proceed(AttemptID(download: id, generation: attempt.generation)))
    }
  }

  /// A partial file of which nothing is known: what a crash left between a row's end and its file's, or before the first
  /// checkpoint. It is owed its deletion; one that could not be done before is tried again.
  mutating func disownPartial(of id: DownloadID, in turn: inout PodfluxTurn) throws {
    mayOweDeletions = true
    guard try turn.tables.deletions.owedPartial(of: id) == nil else {
      guard live[id] == nil else { return }
      return try turn.tables.deletions.makeReady(id)
    }
    try turn.tables.deletions.insert(Deletion(download: id, file: nil), isReady: true)
    guard var download = try turn.tables.downloads.find(id) else { return }
    download.isHeld = true
    try turn.tables.downloads.update(download)
  }

  // MARK: Start and end

  /// Puts the tables in order after a start: no attempt is alive, so no row says running.
  mutating func recover(_ recovery: Recovery, in turn: inout PodfluxTurn) throws {
    precondition(live.isEmpty, "a library is put in order before its first attempt")
    let published = Set(recovery.published)
    for var download in try turn.tables.downloads.running() {
      if case .running(.publishing(let file)) = download.state, published.contains(download.id) {
        try complete(&download, as: file, in: turn)
      } else {
        try transition(&download, to: .queued, in: turn)
      }
    }
    try turn.tables.deletions.makeAllReady()
    mayOweDeletions = true
    mayOweVerifications = true
    room.isStale = true
    try turn.tables.downloads.releaseAll()
    isRecovered = true
  }

  mutating func stop(_ mode: StopMode, in turn: inout PodfluxTurn) throws {
    stopping = max(stopping ?? mode, mode)
    guard isEnding else { return }
    for id in live.keys.sorted() {
      stopAttempt(of: id, in: &turn)
    }
  }

  private func closeIfDone(isCleaning: Bool, in turn: inout PodfluxTurn) throws {
    guard let stopping, live.isEmpty else { return }
    switch stopping {
    case .suspend, .now: turn.perform(.close)
    case .drain:
      guard !isCleaning, deletionsUnderWay.isEmpty, verificationsUnderWay.isEmpty, counts[.waiting, default: 0] == 0,
        try turn.tables.downloads.nextAdmissible(where: { _, _, _ in true }) == nil
      else { return }
      turn.perform(.close)
    }
  }
}
