/// What a scenario measures with.
struct Bench {
  let folder: WorkFolder
  /// How often each measurement is made.
  let runs: Int
}

/// Something that can be measured by name.
protocol Scenario: Sendable {
  var name: String { get }
  /// One line for `list` and above the figures.
  var abstract: String { get }

  func measure(_ bench: Bench) throws -> [Figure]
}

let allScenarios: [any Scenario] = [
  StartScenario(), RepliesScenario(), EnqueueScenario(), CleanupScenario(), LargeScenario(), SmallScenario(),
  SlowScenario(),
  ObserveScenario(), FilterScenario(), JournalScenario(), BandwidthScenario(), ShutdownScenario(),
]

/// A measurement could not be made.
struct MeasurementFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
