import ArgumentParser
import PodfluxSimulation

/// `podflux-sim sabotages`: the checker is checked.
struct SabotagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sabotages", abstract: "Builds in one mistake after the other, and counts the runs until it is found.")

  @Flag(help: "Only name them.")
  var list = false

  @Option(help: "How many runs each may take.")
  var limit: UInt64 = 2_000

  @Option(help: "Turns of each run.")
  var turns = 500

  func run() throws {
    TrapWatch.begin()
    var unfound = 0
    for sabotage in Sabotage.allCases {
      guard !list else {
        print("\(sabotage.rawValue): \(sabotage.story)")
        continue
      }
      let options = SimulationOptions(seed: 1, turns: turns, faults: sabotage.faults, sabotage: sabotage)
      let result = Sweep(1..<(limit + 1), like: options, threads: 1, failureLimit: 1).run(began: TrapWatch.note)
      if result.failures.isEmpty { unfound += 1 }
      let found = result.failures.first.map { "\(result.runs) | \($0.violation.invariant.rawValue)" } ?? "not found | "
      print("| \(sabotage.rawValue) | \(found) |")
    }
    guard unfound == 0 else { throw ExitCode.failure }
  }
}
