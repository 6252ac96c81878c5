import PodfluxCore

/// One run of a simulated world: turns with faults, then turns without faults until all work has ended, then a replay.
package struct Simulation: Sendable {
  /// The summary of a run without a violation.
  package struct Summary: Hashable, Sendable {
    /// All turns, including those without faults.
    package var turns: Int
    /// Simulated milliseconds.
    package var milliseconds: Int64
    /// How often the engine was started.
    package var starts: Int
    /// A hash of all events.
    package var traceHash: UInt64
    /// A hash of the rows and stores at the end.
    package var stateHash: UInt64
  }

  /// A violated invariant, with the run.
  package struct Failure: Error, Sendable {
    /// The run.
    package var options: SimulationOptions
    package var violation: Violation
    /// How many turns had been run.
    package var turns: Int
    /// The last turns, in words.
    package var lastLines: [String]
  }

  /// The limit of turns until all work has ended.
  private static let turnsToRest = 20_000
  /// The limit of simulated milliseconds until all work has ended: 30 days.
  private static let millisecondsToRest: Int64 = 30 * 86_400_000

  /// The limit of simulated milliseconds until each feed has been refreshed again: a day and an hour.
  private static let millisecondsToRefresh: Int64 = 25 * 3_600_000

  private let options: SimulationOptions

  package init(_ options: SimulationOptions) {
    self.options = options
  }

  /// Runs, checks all invariants and, if requested, replays.
  package func run(replaying: Bool = false) -> Result<Summary, Failure> {
    let world: World
    do {
      world = try World(options)
    } catch {
      return .failure(failure(Violation(.engine, "no world: \(error)"), nil))
    }
    // Services hold their process, and it holds them.
    defer { world.engine?.die() }
    do {
      return .success(try run(world, replaying: replaying))
    } catch let violation as Violation {
      return .failure(failure(violation, world))
    } catch {
      return .failure(failure(Violation(.engine, "\(error)"), world))
    }
  }

  /// Runs with faults only, as an engine with a journal, and replays that journal: its tables must match the run's, at
  /// the end and at each `interval`-th revision.
  package func runJournal(comparingEach interval: Int64) -> Result<Int, Failure> {
    let world: World
    do {
      world = try World(options)
    } catch {
      return .failure(failure(Violation(.engine, "no world: \(error)"), nil))
    }
    defer { world.engine?.die() }
    let journal = JournalLog(comparingEach: interval)
    world.journal = journal
    do {
      try liveThroughFaults(world)
      try journal.finish(world.database)
      try journal.replay()
      try world.database.close()
      return .success(world.turns)
    } catch let violation as Violation {
      return .failure(failure(violation, world))
    } catch {
      return .failure(failure(Violation(.engine, "\(error)"), world))
    }
  }

  private func failure(_ violation: Violation, _ world: World?) -> Failure {
    Failure(options: options, violation: violation, turns: world?.turns ?? 0, lastLines: world?.trace.lastLines ?? [])
  }

  private func run(_ world: World, replaying: Bool) throws -> Summary {
    try liveThroughFaults(world)
    world.calmDown()
    try comeToRest(world)
    try world.checker.checkNothingWaits()
    if options.faults.contains(.years) { try noticeClock(world) }
    guard world.process?.dispatcher.state.cleanup.owesWork == false else {
      throw Violation(.liveness, "a cleanup waits, and nothing will ever happen to it")
    }
    try refreshFeeds(world)
    let cleansFirst = world.random.once(in: 2)
    if cleansFirst { try cleanUp(world) }
    for intent in [Intent.downloads(.verify(.all)), .downloads(.retry(.all)), .downloads(.resume(.all))] {
      world.engine?.ask(intent)
      try comeToRest(world)
    }
    try world.checker.checkRest(of: world)
    if !cleansFirst { try cleanUp(world) }
    try world.checker.checkOrphans(world)
    try world.checker.checkSidecars(world)
    try world.checker.checkSessionsAtRest(world)
    try awaitRefreshes(world)
    // By now nothing is paused: no feed is left out.
    try world.checker.checkRulesDone(in: world)
    try keepQuota(world)
    try world.engine?.checkAllAnswered()
    return try summary(of: world, replaying: replaying)
  }

  /// How many events may pass without a turn: several thousand times what the longest suspension and the slowest start
  /// take.
  private static let eventsWithoutTurn = 200_000

  /// What clients say, and what befalls the world, must lead to turns: an engine that takes nothing in any more is
  /// stuck.
  private func liveThroughFaults(_ world: World) throws {
    var (turns, events) = (world.turns, 0)
    while world.turns < options.turns, try world.step() {
      events = world.turns == turns ? events + 1 : 0
      turns = world.turns
      guard events < Self.eventsWithoutTurn else {
        throw Violation(.liveness, "\(events) events have passed without a turn")
      }
    }
  }

  /// An engine looks at the wall clock once a minute at least, while it waits for a moment.
  private func noticeClock(_ world: World) throws {
    let begin = world.now
    while world.now - begin < 2 * Alarm.longestMilliseconds, try world.step() {}
    try comeToRest(world)
    try world.checker.checkNothingWaitsForYears(in: world)
  }

  /// After a cleanup rows and files must agree; one more, and a plan, must find nothing to do.
  private func cleanUp(_ world: World) throws {
    var options = SimulatedClient.cleanup(using: &world.random)
    options.mode = .apply
    world.engine?.ask(.cleanup(.run(options)))
    try comeToRest(world)
    try world.checker.checkAgreement(world)
    for mode in [CleanupOptions.Mode.apply, .plan] {
      options.mode = mode
      world.engine?.ask(.cleanup(.run(options)))
      try comeToRest(world)
      try world.checker.checkNothingToDo(world)
    }
  }

  /// Each living feed is refreshed twice: then its rows must be what it has, and the second time changes nothing.
  private func refreshFeeds(_ world: World) throws {
    for _ in 0..<2 {
      let (begin, writes) = (world.clock.wall, world.checker.feeds.episodeWrites)
      let living = world.checker.feeds.feeds.values.filter { !$0.refreshes.hasEnded }
      guard !living.isEmpty else { return }
      world.engine?.ask(.podcasts(.refresh(.many(living.map(\.id).sorted()))))
      try comeToRest(world)
      try world.checker.checkRefreshed(since: begin, in: world)
      if world.feeds?.isRebuilt == true, world.checker.feeds.episodeWrites != writes {
        throw Violation(.refreshedTwice, "\(world.checker.feeds.episodeWrites - writes) writes are made")
      }
      world.feeds?.rebuild()
    }
  }

  /// Feeds are refreshed although no client asks for it.
  private func awaitRefreshes(_ world: World) throws {
    let (begin, wall) = (world.now, world.clock.wall)
    while !world.checker.unrefreshed(since: wall).isEmpty {
      guard try world.step(), world.now - begin < Self.millisecondsToRefresh else {
        throw Violation(.rhythm, "nothing refreshes \(world.checker.unrefreshed(since: wall))")
      }
    }
    try comeToRest(world)
  }

  /// A storage quota that is set when nothing moves is kept by what rules have fetched, at once.
  private func keepQuota(_ world: World) throws {
    guard world.options.faults.contains(.rules), world.checker.completedBytes > 1 else { return }
    let before = world.checker.rows
    let quota = Int64(world.random.within(1...Int(world.checker.completedBytes - 1)))
    // What may not go is looked for in vain first.
    let marksFirst = world.random.once(in: 2)
    if marksFirst { try mark(isFavorite: true, in: world) }
    try set(quota: quota, in: world)
    try world.checker.checkQuota(quota, before: before)
    guard marksFirst else { return }
    try mark(isFavorite: false, in: world)
    try world.checker.checkKept(quota)
  }

  private func set(quota: Int64, in world: World) throws {
    var patch = SettingsPatch()
    patch.storageQuotaBytes = quota
    world.engine?.ask(.updateSettings(patch))
    try comeToRest(world)
  }

  private func mark(isFavorite: Bool, in world: World) throws {
    world.engine?.ask(.podcasts(.mark(.matching(.everything), .init(isFavorite: isFavorite))))
    try comeToRest(world)
  }

  private func comeToRest(_ world: World) throws {
    let turns = world.turns
    let begin = world.now
    while !world.isAtRest, try world.step() {
      guard world.turns - turns < Self.turnsToRest, world.now - begin < Self.millisecondsToRest else {
        throw Violation(.liveness, "after \(world.turns - turns) turns and \(world.now - begin) ms there is no rest")
      }
    }
  }

  private func summary(of world: World, replaying: Bool) throws -> Summary {
    guard let dispatcher = world.process?.dispatcher else { throw Violation(.engine, "there is no engine") }
    let hash = try stateHash(of: world.database, dispatcher)
    if replaying {
      let replayed = try world.log.replay()
      guard replayed == hash else { throw Violation(.replay, "the hash of the state is \(replayed), not \(hash)") }
    }
    try world.database.close()
    return Summary(
      turns: world.turns, milliseconds: world.now, starts: world.starts, traceHash: world.trace.fingerprint,
      stateHash: hash)
  }
}
