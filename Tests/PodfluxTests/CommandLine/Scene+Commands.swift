import Foundation
import TestSupport

/// Commands for people in a scene, each with its own home and run-time folder.
extension Scene {
  /// The variables of a person of this scene.
  var environment: [String: String] {
    [
      "HOME": outside, "XDG_CONFIG_HOME": outside + "/config", "XDG_RUNTIME_DIR": outside, "PODFLUX_LIBRARY": library,
    ]
  }

  /// Runs a command to its end.
  func podflux(
    _ arguments: String..., input: [String] = [], environment more: [String: String] = [:]
  ) throws -> PodfluxCommand.Result {
    try PodfluxCommand.run(arguments, input: input, environment: environment.merging(more) { $1 })
  }

  /// Runs a command that must succeed. Returns its stdout in lines.
  @discardableResult
  func results(_ arguments: String..., input: [String] = []) throws -> [String] {
    let result = try PodfluxCommand.run(arguments, input: input, environment: environment)
    guard result.status == 0 else { throw PodfluxProcess.Failure("podflux \(arguments): \(result)") }
    return result.output.split(separator: "\n").map(String.init)
  }

  /// Starts a command, and does not wait for it.
  func begin(_ arguments: String...) throws -> RunningCommand {
    try RunningCommand(arguments, environment: environment, outside: outside)
  }
}

/// A command that runs.
final class RunningCommand {
  private let process = Process()
  private let path: String

  init(_ arguments: [String], environment: [String: String], outside: String) throws {
    path = outside + "/command-\(UUID().uuidString)"
    process.executableURL = URL(fileURLWithPath: PodfluxProcess.executablePath)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try Self.file(path + ".output")
    process.standardError = try Self.file(path + ".errors")
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  var output: String { Self.text(path + ".output") }
  var errors: String { Self.text(path + ".errors") }

  var id: Int32 { process.processIdentifier }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  func waitForEnd() throws -> Int32 {
    try waitUntil("the end of the command", upTo: 30) { !process.isRunning }
    return process.terminationStatus
  }

  private static func file(_ path: String) throws -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil) else { throw POSIXError(.EIO) }
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
