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

  @Option(help: "How many of the last turns and events are told of a failure.")
  var tell = 40

  @OptionGroup var world: WorldOptions

  func validate() throws {
    guard tell >= 0 else { throw ValidationError("--tell takes 0 or more") }
  }

  func run() throws {
    var options = try world.options(seed: seed)
    options.toldEvents = tell
    TrapWatch.begin()
    TrapWatch.note(seed)
    switch Simulation(options).run(replaying: true) {
    case .success(let summary):
      print("seed \(seed): \(summary.turns) turns, \(summary.starts) starts, \(summary.milliseconds) ms")
      print("trace \(String(summary.traceHash, radix: 16)) state \(String(summary.stateHash, radix: 16))")
    case .failure(let failure):
      report(shrink ? Shrinking.shrink(failure) : failure)
      throw ExitCode.failure
    }
  }
}
