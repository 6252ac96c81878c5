import ArgumentParser
import PodfluxSimulation

/// `podflux-sim run`: one seed.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs one seed, checks everything after every turn, and replays the log of actions.")

  @Option(help: "What everything random follows from.")
  var seed: UInt64

  @Flag(help: "Make a failing run smaller before reporting it.")
  var shrink = false

  @OptionGroup var world: WorldOptions

  func run() throws {
    TrapWatch.begin()
    TrapWatch.note(seed)
    switch Simulation(try world.options(seed: seed)).run(replaying: true) {
    case .success(let summary):
      print("seed \(seed): \(summary.turns) turns, \(summary.starts) starts, \(summary.milliseconds) ms")
      print("trace \(String(summary.traceHash, radix: 16)) state \(String(summary.stateHash, radix: 16))")
    case .failure(let failure):
      report(shrink ? Shrinking.shrink(failure) : failure)
      throw ExitCode.failure
    }
  }
}
