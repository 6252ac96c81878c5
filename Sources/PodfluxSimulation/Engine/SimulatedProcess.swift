import EngineRuntime
import Flux
import Persistence
import PodfluxCore

/// An open library of a simulated engine, and the services that work on it: what a suspension ends, and a crash kills.
final class SimulatedProcess: EngineSession {
  unowned let world: World
  /// The engine's process; weak, for what services have begun may be left behind by it.
  private(set) weak var engine: SimulatedEngine?
  let bootID: String
  /// What the engine may do by itself.
  let powers: EnginePowers
  let ledger: SimulatedLedger
  var dispatcher: Dispatcher<Stores>
  /// Whether the library is held.
  private(set) var isAlive = true
  private(set) var attempts: [AttemptID: SimulatedAttempt] = [:]
  private(set) var refreshes: [FeedRefresh.ID: SimulatedRefresh] = [:]
  /// Fewer than the product's: so refreshes wait for each other also in a world of some feeds.
  var exchangeSlots = ExchangeSlots(
    SimulatedProcess.simulatedExchanges, perHost: SimulatedProcess.simulatedExchangesPerHost)
  var sidecars: [SidecarFetch.ID: SimulatedSidecar] = [:]
  /// What its attempts have fetched for their tags, and its sidecars are about to want.
  var gathered = GatheredFiles()
  var openings = SessionOpenings<SimulatedOpening>()
  /// Openings beside others, by a sabotage.
  var extraOpenings: [SimulatedOpening] = []
  /// What the adapter has.
  var credentials: [SessionID: SessionCredentials] = [:]
  /// Refreshes whose end has been posted and not yet committed.
  var refreshEnds: Set<FeedRefresh.ID> = []
  private var cleanup: SimulatedCleanup?
  /// Attempts whose end has been posted and not yet committed.
  var ends: Set<AttemptID> = []
  /// Facts that services have posted, but for readings and for the alarm, which is the loop's.
  private var postedFacts = 0
  private var committedFacts = 0
  private let seed: UInt64
  private let published: [DownloadID]
  /// Deletions that services have been asked for and have not begun.
  var deletions: [Deletion] = []
  private var roomNumber = 0
  private var wantedRoom: Int64?
  /// Whether room for the database is set aside, which lets one commit that has failed be tried again.
  private var hasRecordsRoom = true
  /// What the engine was told last of the path.
  private var toldPath: NetworkPath
  /// Whether it has given up the library by itself: what its attempts are just doing with files goes on.
  private var hasClosed = false
  /// Whether the tables have been put in order; until then rows are as the last engine left them.
  private(set) var isRecovered = false

  init(in engine: SimulatedEngine) throws {
    self.engine = engine
    let world = engine.world
    self.world = world
    bootID = world.bootID
    powers = engine.powers
    let ledger = SimulatedLedger(
      world.database.ledger(), isFirstStart: world.openings == 1, sabotage: world.sabotage,
      allDownloads: { [unowned world] in world.checker.rows.keys.sorted() })
    self.ledger = ledger
    let seed = world.random.next()
    self.seed = seed
    dispatcher = try world.database.read { tables in
      Dispatcher(
        state: try tables.stores(), position: try tables.position(), ledger: ledger, seed: seed,
        willCommit: { [journal = world.journal] in journal?.willCommit($0) ?? {} })
    }
    published = try world.recover(world.database.read { try $0.running() })
    toldPath = world.path
    world.log.note(start: seed)
    world.disk.clearStaged()
    ledger.beforeEach = { [unowned self] in try mishap() }
    cleanup = SimulatedCleanup(in: self)
  }

  /// Does something that the session's services have begun, if the library is held still.
  func ifAlive(_ body: (SimulatedProcess) throws -> Void) throws {
    guard isAlive else { return }
    try checkIsHeld("a service goes on")
    try body(self)
    try world.rethrow()
  }

  private func checkIsHeld(_ deed: @autoclosure () -> String) throws {
    guard let engine, !engine.isDead, engine.process !== self else { return }
    throw Violation(.suspension, "\(deed()) with a library that has been given up")
  }

  func isWorking(on download: DownloadID) -> Bool {
    attempts.contains { $0.key.download == download }
  }

  /// A service has found something out.
  func post(_ fact: Action) {
    world.watch { try checkIsHeld("\(fact.summary) is told") }
    if !fact.isReading { postedFacts += 1 }
    engine?.post(fact)
  }

  // MARK: Turns

  /// What befalls the transaction that begins.
  private func mishap() throws -> SimulatedLedger.Mishap? {
    try checkIsHeld("a turn begins")
    guard let engine, engine.isAlive else { return .beginFails }
    return engine.takeMishap()
  }

  func committed(_ batch: Batch, factCount: Int) throws {
    let isUnlogged = world.sabotage == .actionUnlogged && batch.actions.contains { $0.isUnlogged }
    if !isUnlogged { world.log.note(batch) }
    try world.journal?.committed(batch.turnout.position, in: world.database)
    if case .recovered? = batch.actions.first { isRecovered = true }
    world.noteTurn(Trace.Turn(batch, at: world.now))
    for case .attempt(let report) in batch.actions where report.news.isEnd { ends.remove(report.attempt) }
    for case .refresh(let report) in batch.actions where report.news.isEnd { refreshEnds.remove(report.refresh) }
    try world.checker.committed(batch, in: self)
    for fact in batch.actions.prefix(factCount) where fact.isFromService { committedFacts += 1 }
    guard committedFacts <= postedFacts else {
      throw Violation(.oneDelivery, "\(committedFacts) facts are committed, and services have told \(postedFacts)")
    }
  }

  /// The effects of a batch have been carried out.
  func checkSlots() throws {
    guard isAlive else { return }
    try world.checker.checkSlots(of: self)
    try world.checker.checkRefreshSlots(of: self)
  }

  // MARK: EngineSession

  func prepare(reporting path: NetworkPath?) -> Recovery {
    world.journal?.begin(seed: seed, at: dispatcher.position, world.clock)
    let recovery = Recovery(
      published: published, detectedPath: world.path, reportedPath: path, localTime: SimulatedPath.localTime)
    return powers.told(world.sabotage, in: recovery)
  }

  func beginToWork() {
    _ = world.dies(in: 300)
  }

  func carryOut(_ effect: Effect) {
    world.watch {
      guard isAlive, engine?.isAlive == true, !world.dies(in: 800) else { return }
      try checkIsHeld("\(effect) is carried out")
      try carryOutPerhapsTwice(effect)
    }
  }

  func makesRoom(after error: any Error) -> Bool {
    guard hasRecordsRoom, error is SimulatedLedger.Failure, isAlive, engine?.isAlive == true else { return false }
    hasRecordsRoom = false
    world.noteTrouble("a commit fails, and the room that is set aside for the database is given up")
    world.watch { try world.checker.checkUnchanged(dispatcher) }
    return true
  }

  func close() -> [DownloadState.Kind: Int] {
    guard isAlive, !world.dies(in: 60) else { return [:] }
    var remaining: [DownloadState.Kind: Int] = [:]
    world.watch {
      let obstacles = dispatcher.state.downloads.obstacles
      remaining = try world.database.read { try $0.visibleCounts(obstacles) }
      // Deletions that have been asked for end before the library is given up.
      while let deletion = deletions.first, world.sabotage != .servicesOutliveSuspension { try delete(deletion) }
    }
    guard !world.dies(in: 60) else { return [:] }
    // What cannot be written now is lost.
    try? world.sessions?.vault.writeHeld()
    world.noteTrouble("the library is given up")
    engine?.gaveUp()
    if world.sabotage != .servicesOutliveSuspension {
      hasClosed = true
      end()
    }
    return world.sabotage == .remainingForgotten ? [:] : remaining
  }

  // MARK: Effects

  private func carryOutPerhapsTwice(_ effect: Effect) throws {
    try begin(effect)
    guard world.suffers(.repetition), world.random.once(in: 12), isAlive else { return }
    switch effect {
    // The second time lets a refresh go on behind a report that is not committed; and each reading is told.
    case .delete, .proceedRefresh, .readLocalTime: return
    default: break
    }
    let before = fingerprint
    try begin(effect)
    // Two portions come then, one after the other.
    if case .nextSurveyPage = effect { return }
    guard fingerprint == before else {
      throw Violation(.twice, "\(effect) changed something the second time")
    }
  }

  /// Carries an effect out once, or begins to.
  func begin(_ effect: Effect) throws {
    switch effect {
    case .start(let attempt): try start(attempt)
    case .stop(let id): if !isPathChangeIgnored(id) { try attempts[id]?.stop() }
    case .leaveParts(let parts, let id): if world.sabotage != .partsNotLeft { try attempts[id]?.leave(parts) }
    case .proceed(let id): try attempts[id]?.proceed()
    case .delete(let deletion):
      deletions.append(deletion)
      world.schedule(.deletion(self, deletion), after: 3)
    case .verify(let verification):
      world.schedule(.verification(SimulatedVerification(verification, in: self)), after: world.random.delay())
    case .startSurvey(let run, let days): try cleanup?.startSurvey(run, quarantineDays: days)
    case .nextSurveyPage(let run): cleanup?.nextPage(run)
    case .cancelSurvey(let run): cleanup?.cancelSurvey(run)
    case .cleanUp(let step): try cleanup?.cleanUp(step)
    case .watchRoom(let bytes): watchRoom(atLeast: bytes)
    case .readLocalTime: post(.localTime(SimulatedPath.localTime))
    case .runUpkeep(let folders, let day): world.schedule(.upkeep(self, folders, day), after: world.random.delay())
    case .refreshFeed(let refresh): try start(refresh)
    case .proceedRefresh(let id): refreshes[id]?.proceed()
    case .stopRefresh(let id): if world.sabotage != .refreshStopLost { try refreshes[id]?.stop() }
    case .sidecar(let order): try begin(order)
    case .session(let order): try begin(order)
    case .limit, .leaveNetworkPath, .announce, .tell, .wake, .close: break
    }
  }

  /// What an effect could change at once.
  private var fingerprint: [Int] {
    var pending = 0
    for attempt in attempts.values { pending += attempt.activity }
    for refresh in refreshes.values { pending += refresh.activity }
    for sidecar in sidecars.values { pending += sidecar.activity }
    for opening in openings.shells { pending += opening.activity }
    return [
      attempts.count, refreshes.count, sidecars.count, openings.shells.count, openings.awaitedCount,
      credentials.count, pending, postedFacts, world.disk.partials.count,
    ]
  }

  private func start(_ attempt: Attempt) throws {
    guard attempts[attempt.id] == nil else { return }
    try world.checker.willStart(attempt, in: self)
    try world.checker.willGather(attempt, in: self)
    var begun = attempt
    if world.sabotage == .restartsNeedlessly { begun.resume?.tailHash = String(repeating: "0", count: 64) }
    let shell = SimulatedAttempt(begun, in: self)
    world.checker.noteStart(of: shell)
    attempts[attempt.id] = shell
    try shell.begin()
  }

  /// The service forgets the attempt before the store hears that it has ended.
  func ended(_ attempt: SimulatedAttempt, _ report: AttemptReport) {
    attempts[attempt.attempt.id] = nil
    world.checker.served[attempt.attempt.id] = nil
    if world.sabotage == .slotLeakedOnCancel, case .stopped = report.news { return }
    ends.insert(report.attempt)
    postAfterPath(.attempt(report))
    if world.suffers(.repetition), world.random.once(in: 6) {
      world.schedule(.lateReport(self, report), after: world.random.delay() + 100)
    }
  }

  func postLate(_ report: AttemptReport) {
    var report = report
    if world.sabotage == .generationNotChecked,
      let live = dispatcher.state.downloads.live[report.attempt.download]
    {
      report.attempt.generation = live.generation
    }
    post(.attempt(report))
  }

  func keep(_ refresh: SimulatedRefresh?, as id: FeedRefresh.ID) {
    refreshes[id] = refresh
  }

  // MARK: The network and room

  /// Posts the fact with which a service ends an operation.
  func postAfterPath(_ fact: Action) { fact.post(through: post, readingPath: postPath) }

  /// Posts the path if it has changed.
  func postPath() {
    guard toldPath != world.path else { return }
    toldPath = world.path
    post(.networkPath(world.path))
  }

  /// Whether a stop is lost that a change of the path has made.
  private func isPathChangeIgnored(_ id: AttemptID) -> Bool {
    guard world.sabotage == .pathChangeIgnored, let row = world.checker.rows[id.download] else { return false }
    return row.state == .queued && row.isHeld
  }

  private func watchRoom(atLeast bytes: Int64?) {
    roomNumber += 1
    wantedRoom = bytes
    if bytes != nil { world.schedule(.room(self, number: roomNumber), after: 0) }
  }

  func lookForRoom(_ number: Int) {
    guard number == roomNumber, let wantedRoom else { return }
    guard !world.disk.isFull else { return world.schedule(.room(self, number: number), after: 1_000) }
    self.wantedRoom = nil
    post(.roomCame(max(wantedRoom, 1 << 40)))
  }

  // MARK: End

  /// Whether its attempts can still do something, although the library is given up.
  var mayLinger: Bool { hasClosed && engine?.isDead == false && bootID == world.bootID }

  /// Whether no service does anything.
  var isIdle: Bool {
    attempts.isEmpty && refreshes.isEmpty && sidecars.isEmpty && openings.shells.isEmpty && deletions.isEmpty
      && !dispatcher.state.cleanup.owesWork && !dispatcher.state.rules.owesWork
  }

  /// The services and what they know are no more.
  func end() {
    isAlive = false
    world.sessions?.vault.closed()
    for attempt in attempts.values { attempt.die() }
    attempts = [:]
    refreshes = [:]
    sidecars = [:]
    (openings, extraOpenings, credentials) = (SessionOpenings(), [], [:])
    cleanup = nil
  }
}

extension Action {
  /// Whether a sabotage keeps it out of the log.
  fileprivate var isUnlogged: Bool { if case .intent(.updateSettings) = self { true } else { false } }

  /// Whether it is a fact that a service has told: neither the loop's own nor a reading.
  var isFromService: Bool {
    switch self {
    case .recovered, .intent, .timeCame: false
    default: !isReading
    }
  }
}

extension AttemptReport.News {
  /// Whether the attempt has ended with it.
  var isEnd: Bool {
    switch self {
    case .finished, .failed, .stopped, .pathRefused: true
    case .reading, .checkpoint, .restarting, .publishing: false
    }
  }
}
