import EngineRuntime
import Flux
import Persistence
import PodfluxCore

/// What survives crashes: the tables, the disk, the origins, the client; and what the simulator knows of all that.
///
/// One thread, one clock, one seed. Everything that happens is an event of the scheduler.
final class World {
  static let beginning: Int64 = 1_800_000_000_000

  let options: SimulationOptions
  let database: LibraryDatabase
  let disk = SimulatedDisk()
  let checker = InvariantChecker()
  /// Memory for what arrives.
  let memory = SimulatedMemory()
  let log = ActionLog()
  /// What an engine with a journal would have written; nil if this run needs none.
  var journal: JournalLog?
  var client: SimulatedClient
  var random: SeededGenerator
  var origins: [SimulatedOrigin] = []
  /// The feeds; nil in a world without any.
  var feeds: SimulatedFeeds?
  /// The tags of files that people have dropped, by their paths.
  var adoptableTags: [String: AdoptableFile.Tags] = [:]
  /// Where sidecars, and what tags show, come from; nil in a world without any.
  var sidecars: SimulatedSidecars?
  /// Servers that want credentials; nil in a world without any.
  var sessions: SimulatedSessions?
  /// Where hosts are; nil in a world where all are on the Internet.
  var addresses: SimulatedAddresses?
  /// The client's side of the feeds.
  var listener: SimulatedListener
  private(set) var scheduler = Scheduler()
  private(set) var engine: SimulatedEngine?
  /// How often a library was opened.
  private(set) var openings = 0
  /// The first invariant that was found broken where the loop cannot throw.
  private var violation: (any Error)?
  private(set) var starts = 0
  private(set) var boots = 1
  /// What deletions have left as the client's own, by their keys.
  var leftFiles: [Deletion.Key: PublishedFile] = [:]
  /// How far the wall clock is off.
  var clockOffset: Int64 = 0
  /// The way to the network.
  var path = SimulatedPath.wifi
  /// Grows when connections of the former path are of no use any more.
  var pathNumber = 0
  /// Whether commits are failing for a while: one in so many; nil if they fail seldom.
  var commitFailureOdds: Int?
  /// Whether faults have stopped.
  private(set) var isCalm = false
  private(set) var turns = 0
  private(set) var trace: Trace

  init(_ options: SimulationOptions) throws {
    self.options = options
    trace = Trace(keeping: options.toldEvents)
    random = SeededGenerator(seed: options.seed, index: 1)
    database = try LibraryDatabase.inMemory()
    disk.followsLinks = options.sabotage == .linkFollowed
    client = SimulatedClient(
      limit: options.downloads, hasObstacles: options.faults.contains(.paths),
      filtersEpisodes: options.faults.contains(.filters), hasRules: options.faults.contains(.rules))
    listener = SimulatedListener(
      downloadLimit: options.downloads, hasRules: options.faults.contains(.rules))
    for number in 0..<SimulatedOrigin.count {
      let address = try WebAddress(
        "http://\(SimulatedOrigin.host(number))/\(number / SimulatedOrigin.hosts % 3)/\(number).mp3")
      origins.append(SimulatedOrigin(number: number, address: address, using: &random))
    }
    schedule(.boot, after: 0)
    schedule(.client, after: 1)
    schedule(.mishap, after: 100)
    let namesSidecars = options.faults.contains(.sidecars) || options.faults.contains(.tags)
    if namesSidecars { sidecars = SimulatedSidecars(seed: options.seed) }
    if options.faults.contains(.sessions) { sessions = SimulatedSessions(seed: options.seed) }
    if options.faults.contains(.addresses) { addresses = SimulatedAddresses(seed: options.seed) }
    sessions?.vault.file.suffers = { [unowned self] in suffers(.sessions) }
    sessions?.vault.file.isFull = { [disk] in disk.isFull }
    guard options.faults.contains(.feeds) else { return }
    feeds = try SimulatedFeeds(
      origins, seed: options.seed, naming: namesSidecars, showingNotes: options.faults.contains(.sidecars))
    schedule(.feedChange, after: 100)
  }

  /// What holds the library; nil while it is given up.
  var process: SimulatedProcess? { engine?.process }
  var sabotage: Sabotage? { options.sabotage }
  var now: Int64 { scheduler.now }
  var bootID: String { sabotage == .pageCacheTrusted ? "boot" : "boot \(boots)" }
  var clock: ClockReading {
    ClockReading(
      wall: Timestamp(milliseconds: Self.beginning + now + clockOffset), monotonicMilliseconds: 1_000 + now)
  }

  func suffers(_ kind: FaultKinds) -> Bool {
    !isCalm && options.faults.contains(kind)
  }

  func schedule(_ event: Event, after delay: Int64) {
    scheduler.schedule(event, after: delay)
  }

  /// A turn has been committed.
  func noteTurn(_ turn: Trace.Turn) {
    turns += 1
    trace.note(turn)
  }

  func noteTrouble(_ text: @autoclosure () -> String) {
    trace.note(text())
  }

  // MARK: Broken invariants

  /// Checks something where nothing can be thrown; the first error is thrown by `rethrow`.
  func watch(_ check: () throws -> Void) {
    guard violation == nil else { return }
    do {
      try check()
    } catch {
      violation = error
      engine?.die()
    }
  }

  func rethrow() throws {
    if let violation { throw violation }
  }

  // MARK: Events

  /// Takes the next event; false if there is none.
  func step() throws -> Bool {
    guard let event = scheduler.next() else { return false }
    try engine?.checkEndsInTime()
    try handle(event)
    // What has been found broken where nothing can be thrown: a dead engine would be all that later events show.
    try rethrow()
    return true
  }

  /// Whether nothing will happen but that days begin.
  var isAtRest: Bool {
    guard let process, process.isAlive else { return false }
    let stores = process.dispatcher.state
    // What the other stores wait for, days and feeds that are due again, never ends.
    return scheduler.hasOnlyAlarms && stores.downloads.nextMoment == nil && stores.sidecars.nextMoment == nil
      && stores.sessions.nextMoment == nil
  }

  private func handle(_ event: Event) throws {
    switch event {
    case .turn(let engine): try engine.turn()
    case .timer(let engine, let timer, let number): try engine.fire(timer, number: number)
    case .signal(let engine, let signal): try engine.handle(signal)
    case .files(let attempt):
      guard !dies(in: 4_000) else { return }
      if attempt.process.isAlive || attempt.process.mayLinger { try attempt.workOnFiles() }
    case .synchronization(let attempt):
      if attempt.process.isAlive || attempt.process.mayLinger { try attempt.synchronize() }
    case .network(let attempt, let number):
      try attempt.process.ifAlive { _ in try attempt.receiveNext(number: number) }
    case .deletion(let process, let deletion): try process.ifAlive { try $0.delete(deletion) }
    case .verification(let verification): try verification.process.ifAlive { _ in try verification.advance() }
    case .upkeep(let process, let folders, let day): try process.ifAlive { try $0.runUpkeep(folders, day) }
    case .cleanup(let cleanup):
      guard !dies(in: 400) else { return }
      try cleanup.process.ifAlive { _ in try cleanup.work() }
    case .path(let process): try process.ifAlive { $0.postPath() }
    case .room(let process, let number): try process.ifAlive { $0.lookForRoom(number) }
    case .lateReport(let process, let report): try process.ifAlive { $0.postLate(report) }
    case .lateRefresh(let process, let report): try process.ifAlive { $0.postLate(report) }
    case .refresh(let refresh): try refresh.process.ifAlive { _ in try refresh.work() }
    case .feedExchange(let refresh, let number):
      try refresh.process.ifAlive { _ in try refresh.receiveNext(number: number) }
    case .sidecar(let sidecar): try sidecar.process.ifAlive { _ in try sidecar.work() }
    case .sidecarExchange(let sidecar, let number):
      try sidecar.process.ifAlive { _ in try sidecar.receiveNext(number: number) }
    case .sidecarErrand(let process, let order): try process.ifAlive { try $0.run(order) }
    case .session(let opening): try opening.process.ifAlive { _ in try opening.work() }
    case .sessionExchange(let opening, let number):
      try opening.process.ifAlive { _ in opening.receiveNext(number: number) }
    case .feedChange: try changeFeeds()
    case .mounting:
      disk.mount()
      noteTrouble("the disk is mounted again")
    case .clockSetRight: set(clockOffset: 0)
    case .client: speak()
    case .mishap: befall()
    case .boot: try boot()
    }
  }

  private func speak() {
    guard !isCalm else { return }
    if let engine {
      for _ in 0..<random.within(1...3) {
        // What wakes the stores may come early.
        if let content = content(for: engine) { engine.ask(content) } else { engine.post(.timeCame) }
      }
      speakOfFeeds(to: engine)
      speakOfNames(to: engine)
      speakOfTags(to: engine)
      speakOfSidecars(to: engine)
      speakOfAdopting(to: engine)
      speakOfSessions(to: engine)
      speakOfAddresses(to: engine)
      speakOfClasses(to: engine)
    }
    schedule(.client, after: random.once(in: 30) ? Int64(random.within(1_000...60_000)) : random.delay() * 2)
  }

  private func content(for engine: SimulatedEngine) -> EngineRequest.Content? {
    if case .suspended = engine.loop.lifecycle, random.once(in: 3) { return .resume }
    switch random.below(suffers(.suspensions) ? 160 : 120) {
    case 0: return .barrier
    case 1: return .refused(Refusal(.invalidValue, "it was refused before"))
    case 2...3: return DownloadID("d0").map { .query(.resumeData($0)) } ?? .barrier
    case 158: return .resume
    case 159: return .intent(.stop(.suspend))
    default: return client.intent(rows: checker.rows, origins: origins, using: &random).map { .intent($0) }
    }
  }

  // MARK: Life and death

  private func boot() throws {
    guard engine?.isAlive != true else { return }
    starts += 1
    let next = SimulatedEngine(in: self)
    engine = next
    try next.begin()
    // Takes away the obstacles that the client has set: everything is to come to an end.
    if isCalm {
      SimulatedClient.openings.forEach(next.ask)
      if addresses != nil { next.ask(SimulatedClient.openingOfAddresses) }
      openSessions(of: next)
    }
  }

  func openLibrary(for engine: SimulatedEngine) throws -> SimulatedProcess {
    openings += 1
    checker.traffic = [:]
    checker.ended = []
    checker.feeds.begin()
    sessions?.vault.opened()
    if sabotage != .arrivingSecretSwept { engine.door?.opened() }
    noteTrouble("the library is opened")
    return try SimulatedProcess(in: engine)
  }

  /// Perhaps the process dies here.
  func dies(in draws: Int) -> Bool {
    guard suffers(.crashes), random.once(in: draws) else { return false }
    die()
    return true
  }

  /// The process ends; what was only in memory is gone.
  func die(withPower: Bool = false) {
    guard let engine, engine.isAlive else { return }
    engine.die()
    noteTrouble(withPower ? "the power fails" : "the process dies")
    if withPower {
      boots += 1
      disk.losePower(using: &random)
    }
    schedule(.boot, after: random.delay())
  }

  /// The engine has closed by itself, and is started again.
  func closed() {
    noteTrouble("the engine closes")
    schedule(.boot, after: random.delay())
  }

  /// Faults stop: from now on everything behaves.
  func calmDown() {
    isCalm = true
    noteTrouble("faults stop")
    disk.isFull = false
    disk.mount()
    commitFailureOdds = nil
    take(SimulatedPath.wifi)
    setClockRight()
    for index in origins.indices { origins[index].behave() }
    feeds?.behave()
    sessions?.behave()
    // A new start is what ends a stop, and what takes up deletions that could not be done.
    die()
  }
}
