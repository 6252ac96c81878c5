import ArgumentParser
import Foundation
import TestSupport

/// `podflux-bench run`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Measures the named scenarios, or all of them.",
    discussion: """
      Each figure is judged by its median. Missing a target is no failure unless --check is given: what a machine \
      that does other things besides can say is for people to judge.
      """)

  @Argument(help: "Names of scenarios, as `list` prints them.")
  var scenarios: [String] = []

  @Option(help: "How often each scenario is measured.")
  var runs = 5

  @Option(help: "Where the temporary libraries go; beside this executable if it is not given.")
  var directory: String?

  @Flag(help: "Print JSON instead of a table.")
  var json = false

  @Flag(help: "Exit with 1 if a target is missed.")
  var check = false

  func validate() throws {
    guard (1...1000).contains(runs) else { throw ValidationError("--runs takes a number from 1 to 1000.") }
    for name in scenarios where !allScenarios.contains(where: { $0.name == name }) {
      throw ValidationError("There is no scenario \"\(name)\"; `podflux-bench list` names them.")
    }
  }

  func run() throws {
    let chosen = allScenarios.filter { scenarios.isEmpty || scenarios.contains($0.name) }
    let folder = try WorkFolder(in: directory ?? Self.executableFolder)
    let interruption = Interruption { folder.remove() }
    defer { withExtendedLifetime(interruption) { folder.remove() } }
    let bench = Bench(folder: folder, runs: runs)
    let machine = Machine.current(libraryFolder: folder.path)
    if !json { print(machine.text) }
    var reports: [ScenarioReport] = []
    for scenario in chosen {
      let report = ScenarioReport(
        name: scenario.name, abstract: scenario.abstract, figures: try scenario.measure(bench),
        loadAfter: Machine.loadAverage)
      reports.append(report)
      if !json { print(report.text) }
    }
    if json { print(try BenchReport(machine: machine, runs: runs, scenarios: reports).json()) }
    if check, reports.contains(where: { !$0.isMet }) { throw ExitCode.failure }
  }

  private static var executableFolder: String {
    URL(fileURLWithPath: PodfluxProcess.executablePath).deletingLastPathComponent().path
  }
}
