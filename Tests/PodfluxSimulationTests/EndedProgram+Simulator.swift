import Foundation
import TestSupport

extension EndedProgram {
  /// The simulator's command, built beside the test binary.
  private static var simulator: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("podflux-sim")
      .path
  }

  /// Runs the simulator's command, with the CPU time that the concurrent tests leave, which wait more than they
  /// compute: no result of a run depends on its duration.
  init(simulating arguments: [String], environment: [String: String] = [:]) throws {
    try self.init("/usr/bin/env", ["nice", "-n", "19", Self.simulator] + arguments, environment: environment)
  }
}
