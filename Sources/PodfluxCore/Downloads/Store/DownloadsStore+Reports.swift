import Flux

/// What attempts tell. A report of an attempt that has been superseded is dropped.
extension DownloadsStore {
  mutating func handle(_ report: AttemptReport, reading context: Context, in turn: inout StoreTurn<Self>) throws {
    let settings = context.settings
    let id = report.attempt.download
    guard let attempt = live[id], attempt.generation == report.attempt.generation else { return }
    if report.fetched > 0, attempt.path.interface == .cellular {
      turn.tell(.downloads(.fetchedOverCellular(report.fetched)))
    }
    switch report.news {
    case .reading(let received, let phase):
      live[id]?.read(received, phase: phase, at: turn.clock.monotonicMilliseconds)
    case .checkpoint(let record):
      noteAcceptance(of: id, in: &turn)
      try checkpoint(report.attempt, record, settings: settings, in: &turn)
    case .restarting(let discarding, let cause):
      try restart(report.attempt, discarding: discarding, because: cause, in: &turn)
    case .publishing(let file, let kept, let tagging):
      noteAcceptance(of: id, in: &turn)
      try publish(report.attempt, file, tagging, kept: kept, in: &turn)
    case .finished(let file, let folders):
      if !folders.isEmpty { turn.tell(.downloads(.madeFolders(folders))) }
      try end(report.attempt, in: &turn) { store, download, _, turn in
        try store.complete(&download, as: file, settings: settings, in: &turn)
      }
    case .failed(let error, let kept, let retryAfter):
      var error = error
      if let grant = attempt.session, let verdict = judge(&error, of: id, sentWith: grant, reading: context, in: &turn),
        !verdict.isRefusal
      {
        return try requeue(report.attempt, kept: kept, in: &turn)
      }
      let pause = try live[id].flatMap {
        try noteFailure(error, retryAfter: retryAfter, of: $0.host, settings: settings, in: &turn)
      }
      try end(report.attempt, in: &turn) { store, download, attempt, turn in
        let gained = attempt.gain(kept, restarts: download.restarts)
        download.progress.keep(kept)
        try store.fail(&download, with: error, gained: gained, until: pause, settings: settings, in: &turn)
      }
    case .pathRefused(let kept):
      // Asked again at once it would lead to the same place: from now on the host counts as one that needs a path.
      if let host = live[id]?.host { hosts.noteDeparture(of: host) }
      try requeue(report.attempt, kept: kept, in: &turn)
    case .stopped(let kept): try requeue(report.attempt, kept: kept, in: &turn)
    }
  }

  /// An attempt has ended without being to blame: its download is queued again, unless a client has changed its state.
  private mutating func requeue(_ attempt: AttemptID, kept: ResumeRecord?, in turn: inout StoreTurn<Self>) throws {
    try end(attempt, in: &turn) { store, download, attempt, turn in
      let gained = attempt.gain(kept, restarts: download.restarts)
      download.progress.keep(kept)
      if gained > 0 { (download.failures, download.freshAddresses) = (0, 0) }
      if case .running = download.state {
        try store.transition(&download, to: .queued, in: turn)
      } else {
        try store.update(download, in: turn)
      }
    }
  }

  private mutating func checkpoint(
    _ attempt: AttemptID, _ record: ResumeRecord, settings: Settings, in turn: inout StoreTurn<Self>
  ) throws {
    guard var download = try download(of: attempt, in: turn) else { return }
    download.progress.keep(record)
    let expected = try expectedBytes(of: download, settings: settings, in: turn)
    live[attempt.download]?.expect(expected, isClaimed: download.progress.total == nil)
    switch download.state {
    case .running(.connecting), .running(.receiving):
      live[attempt.download]?.phase = .receiving
      try transition(&download, to: .running(.receiving), in: turn)
      guard let error = try overQuota(download, settings: settings, in: turn) else { return }
      stopAttempt(of: download.id, in: &turn)
      // There may be room again before it has ended.
      download.isHeld = true
      try waitForRoom(&download, after: error, in: &turn)
    case .running, .queued, .waiting, .paused, .completed, .failed:
      try update(download, in: turn)
    }
  }

  /// The row forgets the kept bytes before the attempt throws them away: `durable` never promises what is not there.
  private mutating func restart(
    _ attempt: AttemptID, discarding: Int64, because cause: RestartCause, in turn: inout StoreTurn<Self>
  ) throws {
    turn.perform(.proceed(attempt))
    discarded.add(discarding, because: cause)
    try turn.tables.save(discarded: discarded[cause], because: cause)
    guard var download = try download(of: attempt, in: turn) else { return }
    download.progress = .init(durable: 0, total: nil, discarded: download.progress.discarded, resume: nil)
    download.progress.discarded.add(discarding, because: cause)
    if discarding > 0 { download.restarts += 1 }
    live[attempt.download]?.received = 0
    if case .running = download.state {
      live[attempt.download]?.phase = .connecting
      try transition(&download, to: .running(.connecting), in: turn)
    } else {
      try update(download, in: turn)
    }
  }

  /// The row knows the name before the file gets it. A client that paused or cancelled it meanwhile has caused a stop:
  /// then nothing is published.
  ///
  /// A deletion that is under way may have been carried out by an engine that died before it could say so. If the
  /// file's inode is this one's now, and its name too, the deletion is let end first: it could not tell the two apart.
  private mutating func publish(
    _ attempt: AttemptID, _ file: PublishedFile, _ tagging: Download.Tagging?, kept: ResumeRecord,
    in turn: inout StoreTurn<Self>
  ) throws {
    guard live[attempt.download]?.isStopping == false, var download = try download(of: attempt, in: turn),
      case .running = download.state
    else { return }
    live[attempt.download]?.isPublishing = true
    live[attempt.download]?.phase = .publishing(file)
    download.tagging = tagging
    live[attempt.download]?.received = download.original?.length ?? file.length
    download.progress.keep(kept)
    try transition(&download, to: .running(.publishing(file)), in: turn)
    let confusable = try turn.tables.deletions.spare(file).filter { deletions.underWay[$0] != nil }
    live[attempt.download]?.awaitedDeletions = Set(confusable)
    if confusable.isEmpty { turn.perform(.proceed(attempt)) }
  }

  /// Frees the attempt's slot, and does the last thing to its row if there still is one.
  private mutating func end(
    _ attempt: AttemptID, in turn: inout StoreTurn<Self>,
    finally change: (inout DownloadsStore, inout Download, LiveAttempt, inout StoreTurn<Self>) throws -> Void
  ) throws {
    let download = try download(of: attempt, in: turn)
    let ended = live.removeValue(forKey: attempt.download)
    guard var download, let ended else {
      // Its row is gone; what it left may go now, and then a new row of that name may be started.
      try turn.tables.deletions.makeReady(attempt.download)
      deletions.oweMore()
      return try turn.tables.downloads.release(attempt.download)
    }
    try change(&self, &download, ended, &turn)
    if download.isHeld { try turn.tables.downloads.release(attempt.download) }
  }

  /// A file that the row does not know of completes nothing: the download begins again, so that no row is left running.
  mutating func complete(
    _ download: inout Download, as file: PublishedFile, settings: Settings, in turn: inout StoreTurn<Self>
  ) throws {
    guard case .running(.publishing(let intended)) = download.state, intended.describesSameFile(as: file) else {
      guard case .running = download.state else { return }
      return try transition(&download, to: .queued, in: turn)
    }
    let downloaded = download.original?.length ?? file.length
    download.progress = .init(
      durable: downloaded, total: downloaded, discarded: download.progress.discarded, resume: nil)
    download.forgetAttempts()
    download.dates.finished = turn.now
    try transition(&download, to: .completed(file), in: turn)
    // The next download that waits for the quota may go on alone beside the bytes that are complete now.
    if room.waiting > 0 { room.isStale = true }
    // What a rule has asked for and is here may take the place of something else.
    if download.origin == .auto { turn.tell(.downloads(.finished(download.id))) }
    if !settings.sidecars.isEmpty { turn.tell(.downloads(.completed(download.id))) }
  }

  /// Leaves a host alone that asks for it: 429 always does (RFC 6585 section 4), 503 by `Retry-After` (RFC 9110 section
  /// 10.2.3). What a host asks to which that one has led, or with another status, is said of one file.
  ///
  /// - Returns: Until when the download is not tried again; nil if its server does not say.
  private mutating func noteFailure(
    _ error: DownloadError, retryAfter: Int64?, of host: String, settings: Settings, in turn: inout StoreTurn<Self>
  ) throws -> Timestamp? {
    guard retryAfter != nil || error.status == 429 else { return nil }
    let delay = retryAfter ?? RetryDelay(settings).milliseconds(afterFailures: 1, using: &turn.random)
    let moment = turn.now.advanced(byMilliseconds: delay)
    if !error.isOfOtherHost, error.status == 429 || error.status == 503 {
      try hosts.cool(host, until: moment, in: turn)
    }
    return moment
  }

  private mutating func fail(
    _ download: inout Download, with error: DownloadError, gained: Int64, until pause: Timestamp?, settings: Settings,
    in turn: inout StoreTurn<Self>
  ) throws {
    guard case .running = download.state else {
      try update(download, in: turn)
      return
    }
    let hadProgress = gained > 0
    if hadProgress { download.freshAddresses = 0 }
    guard error.code != .noSpace else {
      if hadProgress { download.failures = 0 }
      return try waitForRoom(&download, after: error, in: &turn)
    }
    guard error.outlook != .passing else {
      if hadProgress { download.failures = 0 }
      return try waitForMachine(&download, after: error, in: &turn)
    }
    // A download with progress stays at its address; one without may succeed at the next mirror.
    let mayPass = error.isTransient(for: download.origin) || (error.concernsSource && download.round.mayPass)
    let error = error.stored
    if error.concernsSource, !hadProgress, download.round.source < download.description.mirrors.count {
      download.round = .init(source: download.round.source + 1, mayPass: mayPass)
      return try transition(&download, to: .queued, in: turn)
    }
    let retryDelay = RetryDelay(settings)
    let isPrompt = retryDelay.isPrompt(after: error, gained: gained)
    // A failure that is retried at once does not count: the next failure is the first again.
    download.failures = isPrompt ? 0 : hadProgress ? 1 : download.failures + 1
    if !hadProgress { download.round = .init() }
    guard mayPass else { return try giveUp(&download, because: error, in: &turn) }
    guard download.failures < settings.maxAttempts else {
      let final = DownloadError(
        .retriesExhausted, "\(download.failures) attempts without progress failed; the last one: \(error.message)",
        status: error.status, cause: error.code)
      return try giveUp(&download, because: final, in: &turn)
    }
    let delay =
      isPrompt
      ? retryDelay.promptMilliseconds(using: &turn.random)
      : retryDelay.milliseconds(afterFailures: download.failures, using: &turn.random)
    let earliest = turn.now.advanced(byMilliseconds: delay)
    let moment = max(earliest, pause ?? earliest, hosts.cooldowns[download.source.host] ?? earliest)
    try wait(&download, for: .retry(at: moment, after: error), in: &turn)
    if error.mayBeElsewhere { turn.tell(.downloads(.failedAtAddress(download.id))) }
  }

  /// Has a download wait for what the machine lacks for a while. It says nothing of the download, and counts no
  /// attempt.
  private mutating func waitForMachine(
    _ download: inout Download, after error: DownloadError, in turn: inout StoreTurn<Self>
  ) throws {
    let delay = Int64.random(in: Self.machineWaitMilliseconds, using: &turn.random)
    try wait(&download, for: .retry(at: turn.now.advanced(byMilliseconds: delay), after: error.stored), in: &turn)
  }

  private mutating func giveUp(
    _ download: inout Download, because error: DownloadError, in turn: inout StoreTurn<Self>
  ) throws {
    try transition(&download, to: .failed(error), in: turn)
    if error.mayBeElsewhere { turn.tell(.downloads(.failedAtAddress(download.id))) }
  }

  /// Lets a download that has failed, or waits to be tried again, go on at a fresh address. What is kept of it is
  /// continued if the server has the same version there. One that waits keeps its count of failures: a publisher may
  /// sign the address anew each hour, on a host that is gone.
  mutating func renew(
    _ id: DownloadID, as wish: DownloadIntent.Enqueue, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws {
    guard var download = try turn.tables.downloads.find(id), download.state.failure != nil,
      // Two rows of one address would fetch the file twice.
      try known(for: wish, in: turn) == nil
    else { return }
    (download.address, download.namer) = (wish.address, wish.namer)
    let session = context.sessions.inherited(wish.feedSession ?? download.session, by: wish.address.host)
    if session != download.session { tellLeft(download.session, in: &turn) }
    download.session = session
    download.description.mirrors = wish.description.mirrors
    download.description.headers = wish.description.headers
    download.description.integrity = wish.description.integrity
    download.description.expectedLength = wish.description.expectedLength
    download.round = .init()
    if download.state.kind == .failed {
      download.failures = 0
      download.freshAddresses += 1
    }
    download.isHeld = try live[id] != nil || turn.tables.deletions.holds(id)
    try transition(&download, to: .queued, in: turn)
  }

  mutating func wait(
    _ download: inout Download, for waiting: DownloadState.Waiting, in turn: inout StoreTurn<Self>
  ) throws {
    try transition(&download, to: .waiting(waiting), in: turn)
    turn.announce(.waiting(download.id, waiting))
  }
}

extension Download.Progress {
  /// Takes over what an attempt kept; nil means that it kept nothing.
  ///
  /// A record that comes back as it went tells nothing new: whether the bytes of an imported one are there is not known
  /// yet.
  mutating func keep(_ record: ResumeRecord?) {
    guard record != resume else { return }
    durable = record?.durable ?? 0
    total = record?.total ?? total
    resume = record
  }
}

/// How long to wait before the next attempt.
///
/// | failures | first 5 s, at most 3600 s | with jitter |
/// |---|---|---|
/// | 1 | 5 s | 5 – 7.5 s |
/// | 2 | 10 s | 10 – 15 s |
/// | 4 | 40 s | 40 – 60 s |
/// | 10 | 2560 s | 2560 – 3840 s, so 3600 s at most |
///
/// A connection that broke after it had brought something worth having is made again within half a second.
struct RetryDelay {
  /// How many bytes an attempt must have kept more than it began with for the next one to follow at once: a server that
  /// gives a byte for each connection is not to be hammered.
  static let promptBytes: Int64 = 16 << 10
  /// How long is waited then, in milliseconds.
  static let promptMilliseconds: ClosedRange<Int64> = 250...500

  private let backoff: Backoff

  init(_ settings: Settings) {
    backoff = Backoff(
      firstMilliseconds: Int64(settings.retryFirstSeconds) * 1000,
      longestMilliseconds: Int64(settings.retryMaxSeconds) * 1000)
  }

  /// Whether the next attempt follows at once on one that failed so, and brought so many bytes.
  func isPrompt(after error: DownloadError, gained: Int64) -> Bool {
    gained >= Self.promptBytes && error.isBrokenConnection
  }

  /// How long to wait then.
  func promptMilliseconds(using random: inout SeededGenerator) -> Int64 {
    Int64.random(in: Self.promptMilliseconds, using: &random)
  }

  func milliseconds(afterFailures failures: Int, using random: inout SeededGenerator) -> Int64 {
    backoff.milliseconds(afterFailures: failures, using: &random)
  }
}
