import ArgumentParser
import Foundation
import PodfluxSimulation

/// `podflux-sim sweep`: many seeds.
struct SweepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep", abstract: "Runs many seeds; the first failures are made smaller and reported.")

  @OptionGroup var seeds: SeedOptions

  @Option(help: "How many worlds turn at once; by default one on each processor.")
  var threads = ProcessInfo.processInfo.activeProcessorCount

  @Option(help: "End when so many runs have failed.")
  var failures = 20

  @Flag(inversion: .prefixedNo, help: "Make failing runs smaller before reporting them.")
  var shrink = true

  @OptionGroup var world: WorldOptions

  func run() throws {
    TrapWatch.begin()
    let clock = ContinuousClock()
    let begin = clock.now
    let sweep = Sweep(
      seeds.range, like: try world.options(seed: seeds.from), threads: threads, failureLimit: failures)
    let result = sweep.run(began: TrapWatch.note)
    let seconds = (clock.now - begin) / .seconds(1)
    for failure in result.failures { report(shrink ? Shrinking.shrink(failure) : failure) }
    print(
      "\(result.runs) runs, \(result.turns) turns, \(result.starts) starts, \(result.failures.count) failures, "
        + "\(Int(seconds)) s, \(Int(Double(result.turns) / seconds)) turns a second")
    guard result.failures.isEmpty else { throw ExitCode.failure }
  }
}
