import EngineRuntime
import Flux
import PodfluxCore

/// One life of an engine's process: the real turn loop, and the world around it. A crash kills it.
///
/// When it is dead, the loop may go on to the end of its step, but nothing reaches the world any more.
final class SimulatedEngine {
  private enum Life {
    case alive, closed, dead
  }

  unowned let world: World
  /// What the engine may do without a request.
  let powers: EnginePowers
  let requests = SimulatedRequests()
  /// The way of clients' secrets into the vault; nil in a world without sessions.
  let door: SimulatedDoor?
  /// What holds the library; nil while the engine is suspended or has ended.
  private(set) var process: SimulatedProcess?
  private(set) lazy var loop = EngineLoop(mailbox: mailbox, host: self)
  private let mailbox: EngineLoop.EngineMailbox
  private var life = Life.alive
  private var isTurnScheduled = false
  /// The number of each timer's setting; that of another one means nothing any more.
  private var timerNumbers = [Int](repeating: 0, count: EngineTimer.allCases.count)
  /// Facts of failed turns, for a sabotage.
  private var failedFacts: [Action] = []
  /// Since when the engine has been stopping, or suspending.
  private var endingSince: Int64?
  /// Since when nothing has been under way in a drain of an engine that starts no downloads.
  private var idleSince: Int64?
  private let confined = Confined()

  /// How long a stop or a suspension may take, in milliseconds.
  private static let endMilliseconds: Int64 = 2_000
  /// How long such a drain may take then: commits may fail meanwhile.
  private static let idleMilliseconds: Int64 = 60_000

  init(in world: World) {
    self.world = world
    door = world.sessions.map { SimulatedDoor($0.vault) }
    powers = world.drawPowers()
    mailbox = EngineLoop.EngineMailbox(requestCapacity: 4_096) { [confined] in confined.engine?.scheduleTurn() }
    confined.engine = self
  }

  /// Whether the process lives and the engine has not closed.
  var isAlive: Bool { life == .alive }
  /// Whether the process has died.
  var isDead: Bool { life == .dead }

  func begin() throws {
    let process = try world.openLibrary(for: self)
    self.process = process
    loop.begin(holding: process, reporting: nil)
    try conclude()
  }

  /// The process is no more.
  func die() {
    life = .dead
    process?.end()
    process = nil
  }

  /// The library is not held any more.
  func gaveUp() {
    process = nil
  }

  // MARK: What clients and the system ask

  func ask(_ content: EngineRequest.Content) {
    guard life != .dead else { return }
    // A client that waits too long for an answer asks once more.
    let isDoubled = world.sabotage == .answeredTwice && loop.lifecycle.intake == .nothing
    var request = request(content, isPosted: true)
    if let door { request = request.keepingSecret(with: door) }
    if world.sabotage == .secretInAddress { request.content = request.content.restoringAddress(of: content) }
    let isTaken = mailbox.post(request) && (!isDoubled || mailbox.post(request))
    if !isTaken { world.watch { throw Violation(.answers, "there is no room for a request") } }
  }

  func ask(_ intent: Intent) {
    ask(.intent(intent))
  }

  func handle(_ signal: SimulatedSignal) throws {
    guard isAlive else { return }
    world.noteTrouble("signal: \(signal)")
    switch signal {
    case .suspend:
      let request = request(.barrier, isPosted: false)
      if world.sabotage == .suspensionUnanswered, case .suspending = loop.lifecycle { break }
      loop.suspend(for: .process, answering: request)
    case .resume: loop.resume(for: .process, answering: request(.resume, isPosted: false))
    case .terminate: loop.stop(.now, because: .signal)
    case .endOfInput: loop.stop(.drain, because: .eof)
    }
    try conclude()
  }

  private func request(_ content: EngineRequest.Content, isPosted: Bool) -> EngineRequest {
    let number = requests.note(isPosted: isPosted)
    return EngineRequest(content, by: requests.client(of: number)) { [confined] response in
      confined.engine?.answered(number, response)
    }
  }

  private func answered(_ number: Int, _ response: Response) {
    guard life != .dead else { return }
    world.watch { try requests.answered(number, response) }
  }

  /// What holds of each request when the engine has closed, or everything has come to rest.
  func checkAllAnswered() throws {
    if life != .dead { try requests.checkAllAnswered() }
  }

  private func checkIsNotClosed(_ deed: @autoclosure () -> String) {
    guard life == .closed else { return }
    world.watch { throw Violation(.afterClosing, deed()) }
  }

  // MARK: Steps

  func post(_ fact: Action) {
    guard isAlive else { return }
    mailbox.post(fact: fact)
  }

  private func scheduleTurn() {
    guard !isTurnScheduled, life != .dead else { return }
    isTurnScheduled = true
    world.schedule(.turn(self), after: world.random.once(in: 3) ? Int64(world.random.within(0...50)) : 0)
  }

  func turn() throws {
    isTurnScheduled = false
    guard life != .dead else { return }
    if world.sabotage == .factsLost, world.commitMishap() != nil { _ = mailbox.take(requestsUpTo: 0) }
    if loop.step() { scheduleTurn() }
    try conclude()
  }

  func fire(_ timer: EngineTimer, number: Int) throws {
    guard isAlive, number == timerNumbers[timer.rawValue] else { return }
    loop.fire(timer)
    try conclude()
  }

  func takeMishap() -> SimulatedLedger.Mishap? { world.sabotage == .factsLost ? nil : world.commitMishap() }

  /// Checks what must hold behind each call of the loop.
  private func conclude() throws {
    try world.rethrow()
    guard life != .dead else { return }
    if life == .closed { try requests.checkAllAnswered() }
    switch loop.lifecycle {
    case .stopping, .suspending: endingSince = endingSince ?? world.now
    case .finished: throw Violation(.engine, "a delivery has ended, and the library is not given up")
    case .working, .draining, .suspended, .closed: endingSince = nil
    }
    guard isAlive else { return }
    if case .suspended = loop.lifecycle, process != nil {
      throw Violation(.suspension, "the engine is suspended and holds its library")
    }
  }

  /// A stop and a suspension end in time.
  func checkEndsInTime() throws {
    guard isAlive else { return }
    try checkDrains()
    guard let endingSince, world.now - endingSince > Self.endMilliseconds else { return }
    throw Violation(.inTime, "the engine has been ending for \(world.now - endingSince) ms")
  }

  /// An engine that starts no downloads waits for none when it drains.
  private func checkDrains() throws {
    guard loop.lifecycle.isDraining, !powers.mayDownload, let process, process.isIdle else {
      idleSince = nil
      return
    }
    idleSince = idleSince ?? world.now
    guard let idleSince, world.now - idleSince > Self.idleMilliseconds else { return }
    throw Violation(.powers, "the engine starts no downloads, and drains for \(world.now - idleSince) ms with none")
  }
}

// MARK: - Clock, timers, library

extension SimulatedEngine: EngineTimers, LibraryOpener {
  func readClock() -> ClockReading { world.clock }

  func set(_ timer: EngineTimer, afterMilliseconds delay: Int64?) {
    checkIsNotClosed("the timer \(timer) is set")
    guard isAlive else { return }
    timerNumbers[timer.rawValue] += 1
    guard let delay else { return }
    switch (world.sabotage, timer) {
    case (.wakeLost, .alarm), (.deadlineLost, .deadline): break
    default: world.schedule(.timer(self, timer, number: timerNumbers[timer.rawValue]), after: delay)
    }
  }

  func openLibrary() throws(Refusal) -> any EngineSession {
    checkIsNotClosed("the library is opened")
    guard isAlive, !world.dies(in: 40) else { throw Refusal(.storageFailure, "the process is dead") }
    guard !world.suffers(.suspensions) || !world.random.once(in: 6) else {
      world.noteTrouble("the library cannot be opened again")
      throw Refusal(.conflict, "another engine has the library")
    }
    do {
      let process = try world.openLibrary(for: self)
      self.process = process
      return process
    } catch {
      world.watch { throw error }
      throw Refusal(.storageFailure, "\(error)")
    }
  }
}

// MARK: - Audience

extension SimulatedEngine: EngineAudience {
  func requestLimit() -> Int {
    guard isAlive else { return 0 }
    return world.random.within(1...6)
  }

  func committed(_ committed: CommittedBatch) {
    checkIsNotClosed("a turn is committed")
    guard isAlive, let process else { return }
    let batch = Batch(actions: committed.actions, clock: committed.clock, turnout: committed.turnout)
    world.watch { try process.committed(batch, factCount: committed.factCount) }
    if world.sabotage == .factsCommittedAgain {
      failedFacts.forEach { mailbox.post(fact: $0) }
      failedFacts = []
    }
    // The commit is durable, whether or not the client lives to read so.
    _ = world.dies(in: 800)
  }

  func stateChanged() {
    guard isAlive else { return }
    world.watch { try process?.checkSlots() }
  }

  func told(_ notice: Notice) {}

  func answer(_ query: Query, for client: ClientID?, at revision: Int64) throws -> Answer {
    guard isAlive, let process else { throw Refusal.isSuspended }
    guard case .resumeData(let id) = query else {
      throw Refusal(.unknownAction, "the simulated client asks for resume data only")
    }
    let row = try world.database.read { try $0.download(id) }
    guard process.dispatcher.position.revision == revision, row == world.checker.rows[id] else {
      throw Violation(.answers, "a query sees \(String(describing: row)) at revision \(revision)")
    }
    return .resumeData(row?.progress.resume)
  }

  func preview(_ wish: FeedPreview.Wish, answering request: EngineRequest) {
    world.watch { throw Violation(.answers, "the simulated client previews no feed") }
  }

  func turnEnded() {}

  func noticed(_ incident: EngineIncident) {
    guard isAlive else { return }
    switch incident {
    case .commitFailed(let batch, _): world.watch { try failed(batch) }
    case .queryFailed(let error): world.watch { throw error }
    case .deadlinePassed: world.noteTrouble("the deadline has passed")
    case .endUnrecorded: world.noteTrouble("the library is given up, and nothing can be committed")
    case .commitsSucceedAgain: world.noteTrouble("commits succeed again")
    }
  }

  private func failed(_ batch: FailedBatch) throws {
    guard let process, batch.error is SimulatedLedger.Failure else { throw batch.error }
    world.noteTrouble("a commit of \(batch.facts.count) facts and \(batch.intents.count) requests fails")
    try world.checker.checkUnchanged(process.dispatcher)
    failedFacts += batch.facts.filter(\.isFromService)
    guard let turnout = process.ledger.uncommitted as? Dispatcher<Stores>.Turnout else { return }
    switch world.sabotage {
    case .effectBeforeCommit:
      for effect in turnout.effects { try process.begin(effect) }
    case .acknowledgedTooEarly:
      world.client.noteResults(
        Array(zip(batch.intents, turnout.outcomes.dropFirst(batch.facts.count))), rows: world.checker.rows,
        isAlone: false)
    default: break
    }
  }

  func closed(because reason: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int]) {
    checkIsNotClosed("the engine closes once more")
    guard isAlive else { return }
    world.watch {
      guard process == nil || process?.isAlive == false else {
        throw Violation(.suspension, "the engine has ended and holds its library")
      }
      try world.checker.check(remaining: remaining, at: revision)
    }
    process = nil
    life = .closed
    world.closed()
  }
}

/// What lets closures that may be called on any thread reach the engine.
private final class Confined: @unchecked Sendable {
  // `@unchecked`: a simulation has one thread.
  weak var engine: SimulatedEngine?
}

/// What the system and the end of input tell an engine.
enum SimulatedSignal {
  /// The process is about to be stopped, and will be continued.
  case suspend
  case resume
  case terminate
  case endOfInput
}
