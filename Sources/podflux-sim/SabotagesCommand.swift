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
    let unfound = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: Sabotage.allCases.count) { number in
      guard !find(Sabotage.allCases[number]) else { return }
      unfound.withLock { $0 += 1 }
    }
    guard unfound.withLock({ $0 }) == 0 else { throw ExitCode.failure }
  }

  /// Prints a line of the table.
  private func find(_ sabotage: Sabotage) -> Bool {
    let options = SimulationOptions(
      seed: sabotage.firstSeed, turns: turns, faults: sabotage.faults, sabotage: sabotage)
    var first = sabotage.firstSeed
    let end = first + limit
    while first < end {
      let sweep = Sweep(first..<end, like: options, threads: 1, failureLimit: 1)
      guard let failure = sweep.run(began: TrapWatch.note).failures.first else { break }
      first = failure.options.seed + 1
      // A life that fails without the mistake says nothing of it.
      var control = failure.options
      control.sabotage = nil
      guard case .success = Simulation(control).run() else { continue }
      print("| \(sabotage.rawValue) | \(failure.options.seed) | \(failure.violation.invariant.rawValue) |")
      return true
    }
    print("| \(sabotage.rawValue) | not found | |")
    return false
  }
}
