import Foundation

/// A child process that has ended.
struct Child {
  let status: Int32
  let output: String

  /// The simulator's command, built beside the test binary.
  private static var simulator: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("podflux-sim")
      .path
  }

  init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    status = process.terminationStatus
    output = String(decoding: bytes, as: UTF8.self)
  }

  /// Runs the simulator's command, with the CPU time that the concurrent tests leave, which wait more than they
  /// compute: no result of a run depends on its duration.
  init(simulating arguments: [String], environment: [String: String] = [:]) throws {
    try self.init("/usr/bin/env", ["nice", "-n", "19", Self.simulator] + arguments, environment: environment)
  }
}
