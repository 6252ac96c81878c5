import ArgumentParser
import Dispatch
import PodfluxSimulation
import Synchronization

/// `podflux-sim journals`: writes simulated runs to journals, and replays them.
struct JournalsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journals",
    abstract: "Writes simulated runs as journals, replays each, and compares the result with the run's tables.",
    discussion: "No line of a journal may have a secret: with sessions among --faults there are some.")

  /// Every how many runs one is compared at every revision; the others are compared rarely and at their end.
  private static let thoroughEach: UInt64 = 20
  private static let seldom: Int64 = 1000

  @OptionGroup var seeds: SeedOptions

  @Option(help: "Turns of each life.")
  var turns = 40

  @Option(help: "Kinds of faults, with commas between them; 'none' for none.")
  var faults: String = FaultKinds.all.names.joined(separator: ",")

  func validate() throws {
    guard turns > 0 else { throw ValidationError("a life has at least one turn") }
  }

  func run() throws {
    TrapWatch.begin()
    let kinds = try WorldOptions.kinds(of: faults)
    let failures = Mutex<[Simulation.Failure]>([])
    DispatchQueue.concurrentPerform(iterations: seeds.range.count) { number in
      let seed = seeds.from + UInt64(number)
      TrapWatch.note(seed)
      let interval = seed % Self.thoroughEach == 0 ? 1 : Self.seldom
      let life = Simulation(SimulationOptions(seed: seed, turns: turns, faults: kinds))
      if case .failure(let failure) = life.runJournal(comparingEach: interval) {
        failures.withLock { $0.append(failure) }
      }
    }
    let found = failures.withLock { $0 }.sorted { $0.options.seed < $1.options.seed }
    for failure in found {
      // `run` keeps no journal: only this command reproduces the failure.
      print("seed \(failure.options.seed): \(failure.violation.detail)")
      let seed = failure.options.seed
      print("repeat it with: podflux-sim journals --from \(seed) --count 1 --turns \(turns) --faults \(faults)")
    }
    print("\(seeds.count) lives, \(found.count) failures")
    guard found.isEmpty else { throw ExitCode.failure }
  }
}
