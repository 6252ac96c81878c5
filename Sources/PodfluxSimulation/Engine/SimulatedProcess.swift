import Flux
import Persistence
import PodfluxCore

/// One life of the engine's process: what a crash kills. The turn loop is `EngineCore`'s, step by step.
final class SimulatedProcess {
  unowned let world: World
  let bootID: String
  let ledger: SimulatedLedger
  var dispatcher: Dispatcher<Stores>
  private(set) var isAlive = true
  private(set) var attempts: [AttemptID: SimulatedAttempt] = [:]
  private var cleanup: SimulatedCleanup?
  /// Attempts whose end has been posted and not yet committed.
  var ends: Set<AttemptID> = []
  private let recovery: Recovery
  private var facts: [Action] = []
  private var requests: [Action] = []
  private var undelivered = UndeliveredFacts<Action>()
  private var isTurnScheduled = false
  private var alarmNumber = 0
  private var roomNumber = 0
  private var wantedRoom: Int64?
  /// What the engine was told last of the path.
  private var toldPath: NetworkPath
  private var alarm: Alarm?
  private(set) var isStopping = false
  /// Whether it has given up the library by itself: what its attempts are just doing with files goes on.
  private var hasClosed = false
  /// Whether the tables have been put in order; until then rows are as the last engine left them.
  private(set) var isRecovered = false

  private static let redeliveryMilliseconds: Int64 = 1_000
  private static let stopMilliseconds: Int64 = 1_700

  init(in world: World, number: Int) throws {
    self.world = world
    bootID = world.bootID
    let ledger = SimulatedLedger(
      world.database.ledger(), isFirstStart: number == 1, sabotage: world.sabotage,
      allDownloads: { [unowned world] in world.checker.rows.keys.sorted() })
    self.ledger = ledger
    let seed = world.random.next()
    dispatcher = try world.database.read { tables in
      Dispatcher(
        state: try tables.stores(), position: try tables.position(), ledger: ledger, seed: seed,
        hear: { [journal = world.journal] in journal?.hear($0, at: $1, $2) })
    }
    world.journal?.begin(seed: seed, at: dispatcher.position, world.clock)
    recovery = Recovery(
      published: try Self.published(in: world), detectedPath: world.path, localTime: SimulatedPath.localTime)
    toldPath = world.path
    world.log.note(start: seed)
    cleanup = SimulatedCleanup(in: self)
  }

  /// Which of the files that were being published stand at their place, as `OpenLibrary` finds out.
  private static func published(in world: World) throws -> [DownloadID] {
    guard world.sabotage != .publishForgotten else { return [] }
    return try world.database.read { try $0.running() }.compactMap { download in
      guard case .running(.publishing(let file)) = download.state, world.disk.isPublished(file) else { return nil }
      world.disk.synchronizeFolder(of: file.path.description)
      return download.id
    }
  }

  func ifAlive(_ body: (SimulatedProcess) throws -> Void) rethrows {
    if isAlive { try body(self) }
  }

  func isWorking(on download: DownloadID) -> Bool {
    attempts.contains { $0.key.download == download }
  }

  // MARK: The mailbox

  func begin() throws {
    try deliver(facts: [.recovered(recovery)], requests: [])
  }

  func post(_ fact: Action) {
    facts.append(fact)
    scheduleTurn()
  }

  func ask(_ intent: Action) {
    requests.append(intent)
    scheduleTurn()
  }

  private func scheduleTurn() {
    guard !isTurnScheduled, isAlive else { return }
    isTurnScheduled = true
    world.schedule(.turn(self), after: world.random.once(in: 3) ? Int64(world.random.within(0...50)) : 0)
  }

  // MARK: Turns

  func turn() throws {
    isTurnScheduled = false
    let requests = Array(self.requests.prefix(world.random.within(1...6)))
    self.requests.removeFirst(requests.count)
    var facts = self.facts
    self.facts = []
    if !undelivered.isEmpty {
      // They failed once: alone, so that no request is refused for their sake.
      try deliver(facts: undelivered.take(with: facts), requests: [])
      facts = []
    }
    try deliver(facts: facts, requests: requests)
    if !self.requests.isEmpty || !self.facts.isEmpty { scheduleTurn() }
  }

  func redeliver() throws {
    guard !undelivered.isEmpty else { return }
    try deliver(facts: undelivered.take(), requests: [])
  }

  private func deliver(facts: [Action], requests: [Action]) throws {
    guard isAlive, !facts.isEmpty || !requests.isEmpty else { return }
    let clock = world.clock
    ledger.mishap = commitMishap()
    let turnout: Dispatcher<Stores>.Turnout
    do {
      turnout = try dispatcher.dispatch(facts + requests, at: clock)
    } catch let failure as SimulatedLedger.Failure {
      return try giveUp(facts, requests, because: failure)
    } catch {
      throw Violation(.engine, "a turn failed: \(error)")
    }
    try commit(Batch(actions: facts + requests, clock: clock, turnout: turnout))
  }

  private func commit(_ batch: Batch) throws {
    world.log.note(batch)
    try world.journal?.committed(batch.turnout.position, in: world.database)
    if batch.actions.contains(.recovered(recovery)) { isRecovered = true }
    world.noteTurn(Trace.Turn(batch, at: world.now))
    for case .attempt(let report) in batch.actions where report.news.isEnd { ends.remove(report.attempt) }
    try world.checker.committed(batch, in: self)
    // The commit is durable, whether or not the client lives to read so.
    guard !world.dies(in: 800) else { return }
    for (action, outcome) in zip(batch.actions, batch.turnout.outcomes) {
      if case (.stop(let mode), .handled) = (action, outcome) { noteStop(mode) }
    }
    for effect in batch.turnout.effects {
      guard !world.dies(in: 800) else { return }
      try carryOut(effect)
      guard isAlive else { return }
    }
    try world.checker.checkSlots(of: self)
  }

  private func noteStop(_ mode: StopMode) {
    isStopping = true
    if mode > .drain { world.schedule(.patienceEnds(self), after: Self.stopMilliseconds) }
  }

  // MARK: Commits that fail

  private func commitMishap() -> SimulatedLedger.Mishap? {
    guard world.suffers(.commits), world.random.once(in: world.commitsFail ? 2 : 200) else { return nil }
    return world.random.once(in: 2) ? .beginFails : .commitFails
  }

  private func giveUp(_ facts: [Action], _ requests: [Action], because failure: SimulatedLedger.Failure) throws {
    world.noteTrouble("a commit of \(facts.count) facts and \(requests.count) requests fails")
    try world.checker.checkUnchanged(dispatcher)
    sabotageFailedTurn(facts, requests)
    if world.sabotage != .factsLost { undelivered.note(failed: facts) }
    if !undelivered.isEmpty { world.schedule(.redelivery(self), after: Self.redeliveryMilliseconds) }
    if let turnout = ledger.uncommitted as? Dispatcher<Stores>.Turnout, world.sabotage == .effectBeforeCommit {
      for effect in turnout.effects { try carryOut(effect) }
    }
  }

  private func sabotageFailedTurn(_ facts: [Action], _ requests: [Action]) {
    guard world.sabotage == .acknowledgedTooEarly, let turnout = ledger.uncommitted as? Dispatcher<Stores>.Turnout
    else { return }
    world.client.hear(
      Array(zip(requests, turnout.outcomes.dropFirst(facts.count))), rows: world.checker.rows, isAlone: false)
  }

  // MARK: Effects

  private func carryOut(_ effect: Effect) throws {
    try begin(effect)
    guard world.suffers(.repetition), world.random.once(in: 12), isAlive else { return }
    if case .delete = effect { return }
    let before = fingerprint
    try begin(effect)
    // Two portions come then, one after the other.
    if case .nextSurveyPage = effect { return }
    guard fingerprint == before else {
      throw Violation(.twice, "\(effect) changed something the second time")
    }
  }

  private func begin(_ effect: Effect) throws {
    switch effect {
    case .start(let attempt): try start(attempt)
    case .stop(let id): if !isPathChangeIgnored(id) { try attempts[id]?.stop() }
    case .proceed(let id): try attempts[id]?.proceed()
    case .delete(let deletion): world.schedule(.deletion(self, deletion), after: 3)
    case .verify(let verification): world.schedule(.verification(self, verification), after: world.random.delay())
    case .startSurvey(let run, _): cleanup?.startSurvey(run)
    case .nextSurveyPage(let run): cleanup?.nextPage(run)
    case .cancelSurvey(let run): cleanup?.cancelSurvey(run)
    case .cleanUp(let step): try cleanup?.cleanUp(step)
    case .wake(let moment): setAlarm(at: moment)
    case .watchRoom(let bytes): watchRoom(atLeast: bytes)
    case .readLocalTime: post(.localTime(SimulatedPath.localTime))
    case .runUpkeep(let folders, _): world.schedule(.upkeep(self, folders), after: world.random.delay())
    case .announce, .tell, .limit, .leavePath: break
    case .close: close()
    }
  }

  /// What an effect could change at once.
  private var fingerprint: [Int] {
    var pending = 0
    for attempt in attempts.values { pending += attempt.activity }
    return [attempts.count, pending, facts.count, world.disk.partials.count]
  }

  private func start(_ attempt: Attempt) throws {
    guard attempts[attempt.id] == nil else { return }
    try world.checker.willStart(attempt, in: self)
    let shell = SimulatedAttempt(attempt, in: self)
    world.checker.noteStart(of: shell)
    attempts[attempt.id] = shell
    try shell.begin()
  }

  /// The service forgets the attempt before the store hears that it has ended.
  func ended(_ attempt: SimulatedAttempt, _ report: AttemptReport) {
    attempts[attempt.attempt.id] = nil
    if world.sabotage == .slotLeakedOnCancel, case .stopped = report.news { return }
    // The path that was lost is to be known before the failure that came of it.
    if report.mayComeOfThePath { seePath() }
    ends.insert(report.attempt)
    post(.attempt(report))
    if world.suffers(.repetition), world.random.once(in: 6) {
      world.schedule(.lateReport(self, report), after: world.random.delay() + 100)
    }
  }

  func hearLate(_ report: AttemptReport) {
    var report = report
    if world.sabotage == .generationNotChecked,
      let live = dispatcher.state.downloads.live[report.attempt.download]
    {
      report.attempt.generation = live.generation
    }
    post(.attempt(report))
  }

  // MARK: The network and room

  /// Tells what the path is, if it is news.
  func seePath() {
    guard toldPath != world.path else { return }
    toldPath = world.path
    post(.path(world.path))
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

  // MARK: Files, time, end

  func delete(_ deletion: Deletion) throws {
    if world.suffers(.disk), world.random.once(in: 8) {
      return post(.notDeleted(deletion.key, because: "the simulated disk does not let it"))
    }
    // What moves a damaged file to quarantine leaves partial files alone.
    if deletion.fate == .deleted, isWorking(on: deletion.download) {
      throw Violation(.deletions, "what \(deletion.download) left is deleted while an attempt works on it")
    }
    for _ in 0..<(world.suffers(.repetition) && world.random.once(in: 12) ? 2 : 1) {
      switch deletion.fate {
      case .deleted:
        world.disk.deletePartial(of: deletion.download)
        try deletion.file.map { try deletePublished($0) }
      case .quarantined: try deletion.file.map { try quarantine($0) }
      }
      post(.deleted(deletion.key))
    }
  }

  /// As `UpkeepService` does it.
  func runUpkeep(_ folders: [LibraryPath]) {
    post(.upkeepDone(gone: folders.filter { !world.disk.folders.contains($0.description) }))
  }

  private func deletePublished(_ file: PublishedFile) throws {
    guard world.disk.isPublished(file) else { return world.releaseIfChanged(file) }
    try world.checker.willDelete(file, on: world.disk)
    world.disk.deletePublished(file.path.description)
  }

  private func setAlarm(at moment: Timestamp?) {
    alarmNumber += 1
    guard let moment, world.sabotage != .wakeLost else { return alarm = nil }
    let wish = Alarm(at: moment, setAt: world.clock)
    alarm = wish
    look(at: wish)
  }

  private func look(at wish: Alarm) {
    world.schedule(.alarm(self, number: alarmNumber), after: wish.delay(at: world.clock))
  }

  func ring(_ number: Int) {
    guard number == alarmNumber, let alarm else { return }
    if alarm.isDue(at: world.clock) { post(.timeCame) } else { look(at: alarm) }
  }

  func close() {
    guard isAlive else { return }
    end()
    hasClosed = true
    world.closed()
  }

  /// Whether its attempts can still do something: the machine has not started anew since.
  var mayLinger: Bool { hasClosed && bootID == world.bootID }

  /// The process is no more.
  func end() {
    isAlive = false
    for attempt in attempts.values { attempt.die() }
    attempts = [:]
    cleanup = nil
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
