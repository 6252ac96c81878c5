import Flux

/// What clients want of the downloads.
extension DownloadsStore {
  mutating func handle(_ intent: DownloadIntent, reading context: Context, in turn: inout StoreTurn<Self>) throws
    -> Reply
  {
    switch intent {
    case .enqueue(let wish):
      let (id, isNew) = try enqueue(wish, reading: context, in: &turn)
      return .enqueued(id: id, created: isNew)
    case .pause(let selection): return try change(selection, by: .pause, in: &turn)
    case .resume(let selection): return try queue(selection, by: .resume, in: &turn)
    case .retry(let selection): return try queue(selection, by: .retry, in: &turn)
    case .cancel(let selection): return try change(selection, by: .cancel, in: &turn)
    case .remove(let selection, let deletingFile):
      return try change(selection, by: .remove(deletingFiles: deletingFile), in: &turn)
    case .verify(let selection): return .affected(try choose(selection, in: &turn))
    case .move(let id, let place): return try move(id, to: place, in: &turn)
    case .update(let id, let update): return try self.update(id, with: update, reading: context, in: &turn)
    }
  }

  // MARK: Enqueue

  /// Adds a download, unless it is there. Returns its id, and whether it was added.
  mutating func enqueue(
    _ wish: DownloadIntent.Enqueue, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws -> (id: DownloadID, isNew: Bool) {
    let downloads = turn.tables.downloads
    if let id = wish.id {
      if try downloads.contains(id) {
        if wish.origin == .user { try claim(id, as: wish, in: turn) }
        return (id, false)
      }
    } else if let known = try known(for: wish, in: turn) {
      if wish.origin == .user { try claim(known, as: wish, in: turn) }
      return (known, false)
    }
    // A file that a person has deleted, or taken over, is not fetched again because a rule says so.
    if wish.origin == .auto, let removed = try removed(for: wish, in: turn) { return (removed, false) }
    let host = wish.address.host
    let session =
      try wish.session.map { choice throws(Refusal) in try context.sessions.key(of: choice, for: host) }
      ?? context.sessions.inherited(wish.feedSession, by: host)
    if wish.session != nil {
      try context.sessions.check([wish.address] + wish.description.mirrors, of: session)
    }
    let id = wish.id ?? DownloadID(from: &turn.random)
    let isHeld = try live[id] != nil || turn.tables.deletions.holds(id)
    var description = wish.description
    // The row has the place that the file is to get: cleaning up looks there.
    if context.settings.portableNames { description.path = description.path?.portable }
    let download = Download(
      id: id, address: wish.address, description: description,
      rank: try rank(at: .last, of: wish.priority, in: turn), origin: wish.origin,
      state: wish.isPaused ? .paused : .queued,
      progress: .init(total: wish.resume?.total, resume: wish.resume), failures: 0,
      dates: .init(added: turn.now), isHeld: isHeld,
      networks: .init(own: wish.network, podcast: obstacles.classes.policy(ofPodcast: wish.description.podcast)),
      session: session, namer: wish.namer)
    try downloads.insert(download)
    if case .new(let login)? = wish.session {
      turn.tell(.downloads(.session(.new(login, host: host, .download(id)))))
    }
    count(download.state.kind, +1)
    noteArrival(of: download)
    return (id, true)
  }

  /// A person wants what a rule has asked for: from now on it is the person's, under the network policy for that, and
  /// no rule deletes it.
  ///
  /// - Parameter wish: What names it anew: an address that a person names is a person's from then on, and may lead
  ///   anywhere.
  mutating func claim(
    _ id: DownloadID, as wish: DownloadIntent.Enqueue? = nil, in turn: borrowing StoreTurn<Self>
  ) throws {
    guard var download = try turn.tables.downloads.find(id) else { return }
    let isNamed = wish?.namer == .person && wish?.address == download.address && download.namer != .person
    guard download.origin == .auto || isNamed else { return }
    download.origin = .user
    if isNamed { download.namer = .person }
    // The policy for persons' downloads may forbid the path over which the attempt runs.
    live[id]?.origin = .user
    try update(download, in: turn)
  }

  // MARK: Changes of a selection

  /// For how many days after its publication what a rule wants is tried again, once a day.
  private static let retriedDays = 14
  /// Why it may have failed then: a server was down for a while, or the file came later than the feed that names it.
  private static let retriedErrors: [DownloadError.Code] = [.notFound, .forbidden, .httpStatus, .retriesExhausted]

  /// Tries again what rules have asked for and what has failed for a reason that may pass: no person is there to do it.
  mutating func retryWhatRulesWant(in turn: inout StoreTurn<Self>) throws {
    let failed = Condition.all([
      .states([.failed]), .origins([.auto]), .errorCodes(Self.retriedErrors), .newerThanDays(Self.retriedDays),
    ])
    guard try change(.matching(failed), by: .retry, in: &turn) != .affected(0) else { return }
    turn.tell(.downloads(.retriedForRules))
  }

  /// Queues downloads because a client asks for it: room that was looked for in vain, and logins that were refused, are
  /// tried again.
  private mutating func queue(
    _ selection: DownloadIntent.Selection, by change: BulkChange, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    var reply = try self.change(selection, by: change, in: &turn)
    if change == .retry, try endCooldown(for: selection, in: turn), reply == .affected(0) { reply = .affected(1) }
    if case .matching = selection, reply != .affected(0) { turn.tell(.downloads(.session(.askedAgain(nil)))) }
    room.doubtedAt = turn.now
    return reply
  }

  /// Ends the cooldown of a host for whose download a client asks by name: its server may refuse once more.
  ///
  /// - Returns: Whether there was one.
  private mutating func endCooldown(
    for selection: DownloadIntent.Selection, in turn: borrowing StoreTurn<Self>
  ) throws -> Bool {
    guard case .one(let id) = selection, let download = try turn.tables.downloads.find(id),
      download.state.kind == .queued
    else { return false }
    return try hosts.endCooldown(of: download.source.host, in: turn)
  }

  private mutating func change(
    _ selection: DownloadIntent.Selection, by change: BulkChange, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    switch selection {
    case .one(let id):
      let download = try existing(id, in: turn)
      switch change.verdict(on: download.state) {
      case .alreadySo: return .affected(0)
      case .allowed:
        try self.change(download, by: change, in: &turn)
        return .affected(1)
      case .forbidden:
        throw Refusal(
          .illegalTransition,
          "\(change.name) is not for a download that is \(download.state.kind.rawValue); \(change.advice)",
          path: "payload.id")
      }
    case .many(let ids):
      return .affected(try self.change(ids, by: change, in: &turn))
    case .matching(let condition):
      // The live ones take their attempts along and go one by one, as do those whose file may be another's; all others
      // in one statement.
      let moment = moment(in: turn)
      var sharing: [DownloadID] = []
      if change == .remove(deletingFiles: true) {
        sharing = try turn.tables.downloads.sharingPaths(condition, at: moment)
      }
      let active = Set(live.keys).union(checks.renames.keys).union(sharing).sorted()
      let meant = try turn.tables.downloads.filter(active, by: condition, at: moment)
      let changed = try self.change(active.filter(meant.contains), by: change, in: &turn)
      let others = try turn.tables.downloads.apply(change, to: condition, at: moment, sparing: active)
      deletions.oweMore()
      if change.resultingKind == nil {
        turn.tell(.downloads(.session(.leftByMany)))
        if others[.completed] != nil { turn.tell(.downloads(.removedMany)) }
      }
      for (kind, number) in others {
        count(kind, -number)
        if let result = change.resultingKind { count(result, number) }
      }
      if change.resultingKind == .queued { forgetWaitingList() }
      return .affected(changed + others.values.reduce(0, +))
    }
  }

  /// Changes those of the downloads that exist and may be changed so. Returns how many these are.
  mutating func change(_ ids: [DownloadID], by change: BulkChange, in turn: inout StoreTurn<Self>) throws -> Int {
    var changed = 0
    for id in ids {
      guard let download = try turn.tables.downloads.find(id), change.verdict(on: download.state) == .allowed else {
        continue
      }
      try self.change(download, by: change, in: &turn)
      changed += 1
    }
    return changed
  }

  private mutating func change(_ download: Download, by change: BulkChange, in turn: inout StoreTurn<Self>) throws {
    var download = download
    switch change {
    case .pause:
      stopAttempt(of: download.id, in: &turn)
      try transition(&download, to: .paused, in: turn)
    case .resume, .retry:
      download.forgetAttempts()
      download.isHeld = try live[download.id] != nil || turn.tables.deletions.holds(download.id)
      try transition(&download, to: .queued, in: turn)
      exempt(download, doubtingLength: true, within: room.quotaLeft ?? 0)
      if let session = download.session { turn.tell(.downloads(.session(.askedAgain([session])))) }
    case .cancel: try forget(download, deletingFile: true, in: &turn)
    case .remove(let deletingFiles): try forget(download, deletingFile: deletingFiles, in: &turn)
    }
  }

  /// Deletes the row; what it leaves on the disk is owed its deletion, once no attempt uses it any more.
  ///
  /// - Parameter sparingEdits: Whether a file stays that was written to since the row has seen it.
  mutating func forget(
    _ download: Download, deletingFile: Bool, sparingEdits: Bool = false, in turn: inout StoreTurn<Self>
  ) throws {
    var file = deletingFile ? download.state.file : nil
    // Its own was lost unseen, and another download's has got its name and number since.
    if let shared = file, try turn.tables.downloads.isClaimed(shared, otherThanBy: download.id) { file = nil }
    let newPath = checks.renames[download.id]
    if case .completed(var kept) = download.state, !deletingFile {
      for path in [kept.path, newPath].compactMap(\.self) {
        kept.path = path
        try turn.tables.formerFiles.insert(FormerFile(of: download, kept, .kept), at: turn.now)
      }
    }
    let isLive = live[download.id] != nil
    stopAttempt(of: download.id, in: &turn)
    live[download.id]?.isDisowned = true
    if download.mayHavePartial || file != nil {
      try turn.tables.deletions.insert(
        Deletion(download: download.id, file: file, sparesEdits: sparingEdits), isReady: !isLive && newPath == nil)
      deletions.oweMore()
    }
    // The file may have its new name already, or get it before the moving step ends.
    if var renamed = file, let newPath {
      renamed.path = newPath
      try turn.tables.deletions.insert(
        Deletion(download: download.id, file: renamed, sparesEdits: sparingEdits), isReady: false)
    }
    try turn.tables.downloads.delete(download.id)
    tellLeft(download.session, in: &turn)
    turn.announce(.removed(download.id, deleting: download.state.kind == .completed ? file : nil))
    if case .completed(let file) = download.state {
      turn.tell(.downloads(.removed(download.id, file, withFile: deletingFile)))
    }
    count(download.state.kind, -1)
  }

  // MARK: Changes of one

  private mutating func move(
    _ id: DownloadID, to place: DownloadIntent.Place, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    var download = try existing(id, in: turn)
    let rank =
      switch place {
      case .top: try rank(at: .first, for: download, in: turn)
      case .bottom: try rank(at: .last, for: download, in: turn)
      case .before(let anchor): try rank(besides: anchor, towards: .first, for: download, in: turn)
      case .after(let anchor): try rank(besides: anchor, towards: .last, for: download, in: turn)
      }
    guard let rank else { return .affected(0) }
    download.rank = rank
    try update(download, in: turn)
    return .affected(1)
  }

  private mutating func update(
    _ id: DownloadID, with update: DownloadIntent.Update, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    var download = try existing(id, in: turn)
    let host = (update.address ?? download.address).host
    let session =
      try update.session.map { choice throws(Refusal) in try context.sessions.key(of: choice, for: host) }
      ?? (update.address == nil ? download.session : context.sessions.inherited(download.session, by: host))
    if update.session?.isNew != true {
      // A new session must fit the existing addresses as well.
      let own = update.address ?? (update.session == nil ? nil : download.address)
      let mirrors = update.mirrors ?? (update.session == nil ? nil : download.description.mirrors)
      try context.sessions.check([own].compactMap(\.self) + (mirrors ?? []), of: session)
    }
    if update.concernsRequests || update.priority != nil {
      switch download.state {
      case .completed, .running(.publishing):
        throw Refusal(
          .illegalTransition,
          "a download that is \(download.state.kind.rawValue) can change its title, podcast and network only",
          path: "payload.id"
        )
      case .queued, .waiting, .running, .paused, .failed: break
      }
    }
    let former = download.address
    download.address = update.address ?? update.session?.leaving(former) ?? former
    if session != download.session { tellLeft(download.session, in: &turn) }
    download.session = session
    if case .new(let login)? = update.session {
      turn.tell(.downloads(.session(.new(login, host: host, .download(id)))))
    }
    if update.concernsRequests { download.round = .init() }
    if update.address != nil { download.namer = .person }
    let mirrors = update.mirrors ?? download.description.mirrors
    download.description.mirrors = mirrors.map { $0.host == host ? update.session?.leaving($0) ?? $0 : $0 }
    download.description.headers =
      update.headers ?? download.description.headers.moved(from: former, to: download.address)
    download.description.title = update.title ?? download.description.title
    download.description.podcast = update.podcast ?? download.description.podcast
    download.networks.own = update.network ?? download.networks.own
    download.networks.podcast = obstacles.classes.policy(ofPodcast: download.description.podcast)
    live[id]?.policy = download.networks.effective
    if let priority = update.priority, priority != download.rank.priority {
      download.rank = try rank(at: .last, of: priority, in: turn)
    }
    if update.concernsRequests, case .running = download.state {
      try sendBack(&download, in: &turn)
    } else {
      try self.update(download, in: turn)
    }
    return .affected(1)
  }

  /// What conditions need to know beside the rows.
  func moment(in turn: borrowing StoreTurn<Self>) -> ConditionMoment {
    ConditionMoment(now: turn.now, today: schedule.localTime.day(at: turn.now), obstacles: obstacles)
  }

  func existing(_ id: DownloadID, in turn: borrowing StoreTurn<Self>) throws -> Download {
    guard let download = try turn.tables.downloads.find(id) else {
      throw Refusal(
        .notFound, "there is no download \"\(id)\"; its id is the one that enqueue replied", path: "payload.id")
    }
    return download
  }
}

extension BulkChange {
  /// What the transition table says of a change of a download in some state.
  enum Verdict: Hashable {
    case allowed, alreadySo, forbidden
  }

  func verdict(on state: DownloadState) -> Verdict {
    switch (self, state) {
    case (.pause, .queued), (.pause, .waiting): .allowed
    case (.pause, .running(.publishing)): .forbidden
    case (.pause, .running): .allowed
    case (.pause, .paused): .alreadySo
    case (.pause, .completed), (.pause, .failed): .forbidden
    case (.resume, .paused), (.resume, .failed): .allowed
    case (.resume, .queued), (.resume, .waiting), (.resume, .running): .alreadySo
    case (.resume, .completed): .forbidden
    case (.retry, .failed), (.retry, .waiting): .allowed
    case (.retry, .queued), (.retry, .running): .alreadySo
    case (.retry, .paused), (.retry, .completed): .forbidden
    case (.cancel, .completed): .forbidden
    case (.cancel, _), (.remove, _): .allowed
    }
  }

  /// The state that it leads to; nil where the row goes.
  var resultingKind: DownloadState.Kind? {
    switch self {
    case .pause: .paused
    case .resume, .retry: .queued
    case .cancel, .remove: nil
    }
  }

  var name: String {
    switch self {
    case .pause: "downloads/pause"
    case .resume: "downloads/resume"
    case .retry: "downloads/retry"
    case .cancel: "downloads/cancel"
    case .remove: "downloads/remove"
    }
  }

  var advice: String {
    switch self {
    case .pause: "pause what is queued, waiting or receiving"
    case .resume: "resume what is paused or failed"
    case .retry: "retry what has failed or waits for a retry"
    case .cancel: "use downloads/remove for what is completed"
    case .remove: "remove what exists"
    }
  }
}
