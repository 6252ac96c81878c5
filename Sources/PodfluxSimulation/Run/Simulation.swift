import PodfluxCore

/// One run of a simulated world: turns with faults, then rest without, then a replay.
public struct Simulation: Sendable {
  /// What a run that found nothing came to.
  public struct Summary: Hashable, Sendable {
    /// Turns in all, those without faults included.
    public var turns: Int
    /// Simulated milliseconds.
    public var milliseconds: Int64
    /// How often the engine was started.
    public var starts: Int
    /// A hash of all that happened.
    public var traceHash: UInt64
    /// A hash of the rows and stores at the end.
    public var stateHash: UInt64
  }

  /// What a run that found something tells.
  public struct Failure: Error, Sendable {
    /// The run.
    public var options: SimulationOptions
    /// What did not hold.
    public var violation: Violation
    /// How many turns had been taken.
    public var turns: Int
    /// The last turns, in words.
    public var lastLines: [String]
  }

  /// How many turns everything may take to come to rest.
  private static let turnsToRest = 20_000
  /// How many simulated milliseconds everything may take to come to rest: 30 days.
  private static let millisecondsToRest: Int64 = 30 * 86_400_000

  private let options: SimulationOptions

  /// Makes a run; nothing happens yet.
  public init(_ options: SimulationOptions) {
    self.options = options
  }

  /// Runs, checks everything and, if asked to, replays.
  public func run(replaying: Bool = false) -> Result<Summary, Failure> {
    let world: World
    do {
      world = try World(options)
    } catch {
      return .failure(failure(Violation(.engine, "no world: \(error)"), nil))
    }
    do {
      return .success(try run(world, replaying: replaying))
    } catch let violation as Violation {
      return .failure(failure(violation, world))
    } catch {
      return .failure(failure(Violation(.engine, "\(error)"), world))
    }
  }

  /// Runs with faults alone, as an engine with a journal, and folds what that would have written: its tables hold what the
  /// run's held, at the end and at each of so many revisions.
  public func runJournal(comparingEach interval: Int64) -> Result<Int, Failure> {
    let world: World
    do {
      world = try World(options)
    } catch {
      return .failure(failure(Violation(.engine, "no world: \(error)"), nil))
    }
    let journal = JournalLog(comparingEach: interval)
    world.journal = journal
    do {
      while world.turns < options.turns, try world.step() {}
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
    while world.turns < options.turns, try world.step() {}
    world.calmDown()
    try comeToRest(world)
    try world.checker.checkNothingWaits()
    guard world.process?.dispatcher.state.cleanup.isIdle == true else {
      throw Violation(.liveness, "a cleanup waits, and nothing will ever happen to it")
    }
    let cleansFirst = world.random.once(in: 2)
    if cleansFirst { try cleanUp(world) }
    for action in [Action.downloads(.verify(.all)), .downloads(.retry(.all)), .downloads(.resume(.all))] {
      world.engine?.ask(action)
      try comeToRest(world)
    }
    try world.checker.checkRest(of: world)
    if !cleansFirst { try cleanUp(world) }
    try world.checker.checkOrphans(world)
    try world.engine?.checkAllAnswered()
    return try summary(of: world, replaying: replaying)
  }

  /// A cleanup brings rows and files to agree; one more finds nothing to do, and a plan of it neither.
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
