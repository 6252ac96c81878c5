import PodfluxSimulation
import Testing

/// The checker is checked: each mistake that engines of this kind have really made is built in, and must be found.
@Suite("Sabotages")
struct SabotageTests {
  @Test("A built-in mistake is found within two thousand runs", .timeLimit(.minutes(5)), arguments: Sabotage.allCases)
  func found(sabotage: Sabotage) throws {
    let options = SimulationOptions(seed: 1, turns: 500, faults: sabotage.faults, sabotage: sabotage)
    let result = Sweep(1..<2_001, like: options, threads: 1, failureLimit: 1).run()
    let failure = try #require(result.failures.first, "not found in \(result.runs) runs: \(sabotage.story)")
    print("\(sabotage.rawValue): found in run \(result.runs): \(failure.violation.invariant.rawValue)")
  }

  @Test("A failing run shrinks to a smaller one that breaks the same rule, and says how to repeat it")
  func shrinks() throws {
    let options = SimulationOptions(seed: 1, turns: 400, sabotage: .counterDrift)
    let result = Sweep(1..<200, like: options, threads: 1, failureLimit: 1).run()
    let failure = try #require(result.failures.first)
    let small = Shrinking.shrink(failure)
    #expect(small.violation.invariant == failure.violation.invariant)
    #expect(small.options.turns <= failure.options.turns)
    #expect(small.options.command.contains("--sabotage counter-drift"))
    #expect(!small.lastLines.isEmpty)
  }
}
