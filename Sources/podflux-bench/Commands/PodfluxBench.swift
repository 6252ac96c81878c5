import ArgumentParser

/// The command.
@main
struct PodfluxBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "podflux-bench",
    abstract: "Measures a real `podflux run`, beside its peers where they are installed.",
    subcommands: [ListCommand.self, RunCommand.self, ServeCommand.self, FollowCommand.self, FloorCommand.self])
}

/// `podflux-bench list`.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Names the scenarios and the peers.")

  func run() {
    print("Scenarios:")
    for scenario in allScenarios {
      print("  \(scenario.name.padded(to: 10))\(scenario.abstract)")
    }
    print("Peers:")
    for peer in Peer.allCases {
      print("  \(peer.rawValue.padded(to: 10))\(peer.version ?? "not installed")")
    }
  }
}
