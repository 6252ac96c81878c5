import PodfluxSimulation
import TestSupport
import Testing
import TestScheduling

/// Tests the checker: it must find each built-in mistake, all of which real engines have made.
@Suite("Sabotages")
struct SabotageTests {
  /// Nearly all are found within a hundred runs; which ones take longer depends on what the simulated client draws.
  @Test("Each built-in mistake is found within five hundred runs of three hundred turns", .backgroundTest)
  func found() throws {
    let run = try EndedProgram(simulating: ["sabotages", "--limit", "500", "--turns", "300"])
    print(run.output)
    let lines = run.output.split(separator: "\n")
    #expect(run.status == 0)
    for sabotage in Sabotage.allCases {
      #expect(lines.contains { $0.hasPrefix("| \(sabotage.rawValue) | ") }, "\(sabotage.story)")
    }
    // What is found broken where nothing can be thrown is told as what it is.
    let reach = lines.first { $0.hasPrefix("| reach-forgotten | ") }
    #expect(reach?.contains("no request leads to an address") == true, "\(reach ?? "")")
  }

  @Test("A sabotage that is not found within its runs fails the command", .backgroundTest)
  func unfound() throws {
    // One turn is too short for any of them.
    let run = try EndedProgram(simulating: ["sabotages", "--limit", "1", "--turns", "1"])
    #expect(run.status == 1)
    #expect(run.output.contains("not found"))
  }

  @Test("A failing run shrinks to a smaller one with the same violation, and prints how to repeat it")
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
