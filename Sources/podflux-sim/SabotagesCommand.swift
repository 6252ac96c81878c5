import ArgumentParser
import Dispatch
import PodfluxSimulation
import Synchronization

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

  @Option(help: "How many mistakes are looked for at once.")
  var threads = 2

  func validate() throws {
    guard limit > 0, turns > 0, threads > 0 else { throw ValidationError("runs, turns and threads are at least one") }
  }

  func run() throws {
    TrapWatch.begin()
    guard !list else {
      for sabotage in Sabotage.allCases { print("\(sabotage.rawValue): \(sabotage.story)") }
      return
    }
    let progress = Mutex((next: 0, unfound: 0))
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while let sabotage = progress.withLock({ Self.next(&$0.next) }) {
        let isFound = find(sabotage)
        progress.withLock { $0.unfound += isFound ? 0 : 1 }
      }
    }
    guard progress.withLock({ $0.unfound }) == 0 else { throw ExitCode.failure }
  }

  private static func next(_ index: inout Int) -> Sabotage? {
    guard index < Sabotage.allCases.count else { return nil }
    defer { index += 1 }
    return Sabotage.allCases[index]
  }

  /// Prints a line of the table.
  private func find(_ sabotage: Sabotage) -> Bool {
    let options = SimulationOptions(seed: 1, turns: turns, faults: sabotage.faults, sabotage: sabotage)
    let result = Sweep(1..<(limit + 1), like: options, threads: 1, failureLimit: 1).run(began: TrapWatch.note)
    let found = result.failures.first.map { "\(result.runs) | \($0.violation.invariant.rawValue)" }
    print("| \(sabotage.rawValue) | \(found ?? "not found | ") |")
    return found != nil
  }
}
