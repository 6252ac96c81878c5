import Foundation

/// A child process that has ended.
struct Child {
  let status: Int32
  let output: String

  /// The simulator's command, beside the test binary.
  static var simulator: String {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    return ProcessInfo.processInfo.environment["PODFLUX_SIM_BINARY"]
      ?? folder.appendingPathComponent("podflux-sim").path
  }

  /// Whether the environment names an optimized simulator.
  static var hasOptimisedSimulator: Bool { ProcessInfo.processInfo.environment["PODFLUX_SIM_BINARY"] != nil }

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
}
