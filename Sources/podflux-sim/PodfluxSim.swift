import ArgumentParser
import CSQLite
import PodfluxSimulation

/// The command.
@main
struct PodfluxSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "podflux-sim",
    abstract: "Runs the engine's own code in a simulated world where everything fails, from one seed.",
    subcommands: [RunCommand.self, SweepCommand.self, JournalsCommand.self, SabotagesCommand.self])

  static func main() {
    sqlite_process_ease_allocation()
    Self.main(nil)
  }
}

/// A range of seeds.
struct SeedOptions: ParsableArguments {
  @Option(help: "The first seed.")
  var from: UInt64 = 1

  @Option(help: "How many seeds.")
  var count: UInt64 = 1_000

  var range: Range<UInt64> { from..<(from + count) }

  func validate() throws {
    guard count <= Int.max, !from.addingReportingOverflow(count).overflow else {
      throw ValidationError("there are not so many seeds; the last is \(UInt64.max - 1)")
    }
  }
}

/// The options of a simulated world, except its seed.
struct WorldOptions: ParsableArguments {
  @Option(help: "Turns before faults stop.")
  var turns = 2_000

  @Option(help: "Downloads at once, at most.")
  var downloads = 12

  @Option(help: "Kinds of faults, with commas between them; 'none' for none.")
  var faults: String = FaultKinds.all.names.joined(separator: ",")

  @Option(help: "A mistake to build in, by its name; see 'podflux-sim sabotages --list'.")
  var sabotage: String?

  func options(seed: UInt64) throws -> SimulationOptions {
    let faults = try Self.kinds(of: faults)
    guard turns > 0, downloads > 0 else { throw ValidationError("a world has at least one turn and one download") }
    return SimulationOptions(
      seed: seed, turns: turns, downloads: downloads, faults: faults, sabotage: try sabotage.map(Self.parse))
  }

  /// The kinds that an option names.
  static func kinds(of names: String) throws -> FaultKinds {
    guard let faults = FaultKinds(names: names.split(separator: ",").map(String.init)) else {
      throw ValidationError("unknown kind of fault; there are: \(FaultKinds.named.map(\.name).joined(separator: ", "))")
    }
    return faults
  }

  private static func parse(_ name: String) throws -> Sabotage {
    guard let sabotage = Sabotage(rawValue: name) else {
      throw ValidationError("unknown sabotage; there are: \(Sabotage.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return sabotage
  }
}

/// Prints a failure.
func report(_ failure: Simulation.Failure) {
  print("seed \(failure.options.seed) failed after \(failure.turns) turns")
  print("must always hold: \(failure.violation.invariant.rawValue)")
  print("but: \(failure.violation.detail)")
  print("the last turns:")
  for line in failure.lastLines { print("  \(line)") }
  print("repeat it with: \(failure.options.command)")
}
