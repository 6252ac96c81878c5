import ArgumentParser
import Dispatch
import PodfluxSimulation
import Synchronization

/// `podflux-sim sabotages`: tests the invariant checker.
struct SabotagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sabotages", abstract: "Builds in one mistake after the other, and searches a seed that finds it.")

  @Flag(help: "Only name them.")
  var list = false

  @Option(help: "How many seeds each may take.")
  var limit: UInt64 = 2_000

  @Option(help: "Turns of each run.")
  var turns = 500

  func validate() throws {
    guard limit > 0, turns > 0, limit < UInt64.max / 2 else {
      throw ValidationError("there is at least one run, of one turn")
    }
  }

  func run() throws {
    TrapWatch.begin()
    guard !list else {
      for sabotage in Sabotage.allCases { print("\(sabotage.rawValue): \(sabotage.story)") }
      return
    }
    let failures = Mutex(0)
    let controls = Controls()
    DispatchQueue.concurrentPerform(iterations: Sabotage.allCases.count) { number in
      guard !find(Sabotage.allCases[number], controls) else { return }
      failures.withLock { $0 += 1 }
    }
    guard failures.withLock({ $0 }) == 0 else { throw ExitCode.failure }
  }

  /// Prints a line of the table. Returns whether the mistake was found, and the same life is right without it.
  private func find(_ sabotage: Sabotage, _ controls: Controls) -> Bool {
    let options = SimulationOptions(
      seed: sabotage.firstSeed, turns: turns, faults: sabotage.faults, sabotage: sabotage)
    let seeds = sabotage.firstSeed..<sabotage.firstSeed + limit
    let sweep = Sweep(seeds, like: options, threads: 1, failureLimit: 1)
    if let failure = sweep.run(began: TrapWatch.note).failures.first {
      // A life that fails without the mistake says nothing of it.
      var control = failure.options
      control.sabotage = nil
      if case .failure(let other) = controls.outcome(of: control) {
        print("\(sabotage.rawValue): without the mistake, too, seed \(control.seed) fails: \(other.violation.detail)")
        print("repeat it with: \(control.command)")
        return false
      }
      print("| \(sabotage.rawValue) | \(failure.options.seed) | \(failure.violation.invariant.rawValue) |")
      return true
    }
    print("| \(sabotage.rawValue) | not found | |")
    return false
  }
}

/// Lives without any mistake. Many mistakes are found in the same life, which is run once for all of them.
private final class Controls: Sendable {
  private let known = Mutex<[SimulationOptions: Result<Simulation.Summary, Simulation.Failure>]>([:])

  /// How a life ends. Two threads that ask for one at a time may both run it.
  func outcome(of options: SimulationOptions) -> Result<Simulation.Summary, Simulation.Failure> {
    if let outcome = known.withLock({ $0[options] }) { return outcome }
    let outcome = Simulation(options).run()
    known.withLock { $0[options] = outcome }
    return outcome
  }
}
