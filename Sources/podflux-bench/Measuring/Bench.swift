/// The tools of a scenario.
struct Bench {
  let folder: WorkFolder
  /// How often to repeat each measurement.
  let runs: Int
}

/// A named benchmark.
protocol Scenario: Sendable {
  var name: String { get }
  /// The scenario in one line, for `list` and above the figures.
  var abstract: String { get }

  func measure(_ bench: Bench) throws -> [Figure]
}

let allScenarios: [any Scenario] = [
  StartScenario(), RepliesScenario(), EnqueueScenario(), MillionScenario(), CleanupScenario(), LargeScenario(),
  SmallScenario(), SlowScenario(), ObserveScenario(), FilterScenario(), JournalScenario(), BandwidthScenario(),
  ShutdownScenario(), FeedScenario(), PodcastLibraryScenario(), ClientsScenario(), SoakScenario(),
]

/// A measurement failed.
struct MeasurementFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
