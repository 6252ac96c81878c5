import Foundation
import PodfluxSimulation
import Testing

@Suite("The simulated world")
struct SimulationTests {
  @Test("Under all faults the invariants hold, and all work finishes after the faults stop")
  func smallSweep() throws {
    let result = Sweep(1..<41, like: SimulationOptions(seed: 1, turns: 400), threads: 2).run()
    for failure in result.failures { Issue.record("\(failure.violation)\nrepeat it with: \(failure.options.command)") }
    #expect(result.turns >= 40 * 400)
    #expect(result.starts > 100, "engines die and start again")
  }

  /// How many seeds: set `PODFLUX_SWEEP` for more.
  private static let seeds = ProcessInfo.processInfo.environment["PODFLUX_SWEEP"] ?? "300"

  // A debug build would take too long for CI: it uses an optimized binary if there is one.
  @Test(
    "Runs of two thousand turns violate nothing",
    .enabled(if: Child.hasOptimisedSimulator, "$PODFLUX_SIM_BINARY is not set"))
  func fullSweep() throws {
    let run = try Child(Child.simulator, ["sweep", "--count", Self.seeds, "--turns", "2000"])
    #expect(run.status == 0, "\(run.output)")
  }

  @Test("The same seed gives the same run twice")
  func repeatable() throws {
    let options = SimulationOptions(seed: 77, turns: 300)
    #expect(try Simulation(options).run().get() == Simulation(options).run().get())
    #expect(try Simulation(SimulationOptions(seed: 78, turns: 300)).run().get() != Simulation(options).run().get())
  }

  @Test("The same seed gives the same run in another process, with or without deterministic hashing")
  func repeatableElsewhere() throws {
    let arguments = ["run", "--seed", "5", "--turns", "300"]
    let random = try Child(Child.simulator, arguments)
    let deterministic = try Child(Child.simulator, arguments, environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
    #expect(random.status == 0, "\(random.output)")
    #expect(random.output.contains("trace "))
    #expect(random.output == deterministic.output)
  }

  @Test(
    "The log of actions, replayed on an empty library, gives the same state", arguments: 1...4 as ClosedRange<UInt64>)
  func replay(seed: UInt64) throws {
    _ = try Simulation(SimulationOptions(seed: seed, turns: 300)).run(replaying: true).get()
  }

  @Test("The journals of a thousand runs replay to their tables")
  func journals() throws {
    let run = try Child(Child.simulator, ["journals", "--from", "10000", "--count", "1000", "--turns", "40"])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("1000 lives, 0 failures"))
  }

  @Test("Without faults everything succeeds")
  func calm() throws {
    let summary = try Simulation(SimulationOptions(seed: 3, turns: 300, faults: [])).run(replaying: true).get()
    #expect(summary.starts <= 20, "only clients stop the engine then, and the end of the first phase")
  }
}
