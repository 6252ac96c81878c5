import Foundation
import PodfluxSimulation
import TestSupport
import Testing
import TestScheduling

@Suite("The simulated world")
struct SimulationTests {
  /// Runs so many of the commit's seeds, each of which must violate nothing, and returns what the command said.
  @discardableResult
  private func sweep(_ count: Int, turns: Int, faults: FaultKinds) throws -> String {
    let run = try EndedProgram(simulating: [
      "sweep", "--from", "\(SweptSeeds().first)", "--count", "\(count)", "--turns", "\(turns)",
      "--faults", faults.names.joined(separator: ","),
    ])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("\(count) runs, "))
    return run.output
  }

  @Test("Under all faults the invariants hold, and all work finishes after the faults stop", .backgroundTest)
  func smallSweep() throws {
    let said = try sweep(16, turns: 400, faults: .all)
    let starts = try #require(said.firstMatch(of: /turns, (\d+) starts/).flatMap { Int($0.1) })
    #expect(starts > 40, "engines die and start again")
  }

  @Test("Feeds that do everything that feeds do, with crashes and failing commits, violate nothing", .backgroundTest)
  func feeds() throws {
    try sweep(12, turns: 150, faults: [.feeds, .network, .crashes, .commits, .paths])
  }

  @Test("Files that are renamed beside everything else violate nothing", .backgroundTest)
  func names() throws {
    try sweep(
      16, turns: 200,
      faults: [
        .names, .crashes, .powerCuts, .commits, .disk, .foreignFiles, .people, .repetition, .suspensions,
      ])
  }

  @Test("Hosts on the own network, which feeds of the Internet name, violate nothing", .backgroundTest)
  func addresses() throws {
    try sweep(10, turns: 120, faults: [.addresses, .feeds, .sidecars, .tags, .rules, .network, .crashes, .commits])
  }

  @Test("A wall clock that was wrong by a year leaves nothing waiting", .backgroundTest)
  func years() throws {
    try sweep(10, turns: 150, faults: [.years, .feeds, .sidecars, .rules, .network, .paths, .crashes, .commits])
  }

  @Test("Engines of commands start, compare and delete nothing that they may not", .backgroundTest)
  func commands() throws {
    try sweep(10, turns: 150, faults: [.commands, .feeds, .rules, .network, .crashes, .commits, .clock, .suspensions])
  }

  @Test("Rules that change while feeds change, with crashes and failing commits, violate nothing", .backgroundTest)
  func rules() throws {
    try sweep(16, turns: 200, faults: [.feeds, .rules, .network, .crashes, .commits, .paths])
  }

  @Test("Filters over episodes count what lists show while feeds, downloads and days change", .backgroundTest)
  func filters() throws {
    try sweep(10, turns: 200, faults: [.feeds, .filters, .rules, .network, .crashes, .commits, .clock])
  }

  @Test("Files that are tagged, and tagging that fails or dies, violate nothing", .backgroundTest)
  func tags() throws {
    try sweep(
      10, turns: 200,
      faults: [.tags, .crashes, .powerCuts, .commits, .disk, .foreignFiles, .people, .repetition, .suspensions])
  }

  @Test(
    "Pictures and chapters that are fetched for tags, or not, while paths and feeds change violate nothing",
    .backgroundTest)
  func tagMaterial() throws {
    try sweep(10, turns: 200, faults: [.tags, .feeds, .adopting, .network, .paths, .crashes, .commits, .repetition])
  }

  @Test("Logins whose tokens expire while feeds, sidecars and tags use them violate nothing", .backgroundTest)
  func sessions() throws {
    try sweep(
      20, turns: 200,
      faults: [
        .sessions, .feeds, .sidecars, .tags, .network, .paths, .crashes, .powerCuts, .commits, .addresses, .disk,
        .suspensions,
      ])
  }

  @Test("Sidecars, rules and names beside people who change the library violate nothing", .backgroundTest)
  func peoplesFiles() throws {
    try sweep(
      12, turns: 200, faults: [.sidecars, .people, .feeds, .rules, .names, .crashes, .powerCuts, .commits])
  }

  @Test("Runs of two thousand turns violate nothing", .backgroundTest)
  func fullSweep() throws {
    let seeds = try SweptSeeds()
    print("The sweep has \(seeds): PODFLUX_SWEEP=\(seeds.count) PODFLUX_SWEEP_FROM=\(seeds.first) repeats it.")
    let run = try EndedProgram(simulating: ["sweep", "--turns", "2000"] + seeds.arguments)
    print(run.output)
    #expect(run.status == 0, "\(run.output)")
  }

  @Test("Each commit sweeps other seeds, none of them used in long manual sweeps")
  func seedsOfCommits() throws {
    let first = SweptSeeds.first(of: try TestedCommit(named: "000000ff" + String(repeating: "0", count: 32)))
    let second = SweptSeeds.first(of: try TestedCommit(named: "00000100" + String(repeating: "0", count: 32)))
    #expect(first > 1_000_000 && second == first + 1)
    #expect(throws: TestedCommit.Unknown.self) { try TestedCommit(named: "fatal: not a git repository") }
  }

  @Test("The same seed gives the same run twice")
  func repeatable() throws {
    let options = SimulationOptions(seed: 77, turns: 300)
    #expect(try Simulation(options).run().get() == Simulation(options).run().get())
    #expect(try Simulation(SimulationOptions(seed: 78, turns: 300)).run().get() != Simulation(options).run().get())
  }

  @Test(
    "The same seed gives the same run in another process, with or without deterministic hashing",
    .backgroundTest)
  func repeatableElsewhere() throws {
    let arguments = ["run", "--seed", "5", "--turns", "300"]
    let random = try EndedProgram(simulating: arguments)
    let deterministic = try EndedProgram(simulating: arguments, environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
    #expect(random.status == 0, "\(random.output)")
    #expect(random.output.contains("trace "))
    #expect(random.output == deterministic.output)
  }

  @Test(
    "The log of actions, replayed on an empty library, gives the same state", arguments: 1...4 as ClosedRange<UInt64>)
  func replay(seed: UInt64) throws {
    _ = try Simulation(SimulationOptions(seed: seed, turns: 300)).run(replaying: true).get()
  }

  @Test("The journals of a hundred runs of all kinds replay to their tables, and have no secret", .backgroundTest)
  func journals() throws {
    let kinds = FaultKinds.named.map(\.name).joined(separator: ",")
    let run = try EndedProgram(
      simulating: [
        "journals", "--from", "\(SweptSeeds().first)", "--count", "100", "--turns", "40", "--faults", kinds,
      ])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("100 lives, 0 failures"))
  }

  @Test("Without faults everything succeeds")
  func calm() throws {
    let summary = try Simulation(SimulationOptions(seed: 3, turns: 300, faults: [])).run(replaying: true).get()
    #expect(summary.starts <= 20, "only clients stop the engine then, and the end of the first phase")
  }
}
