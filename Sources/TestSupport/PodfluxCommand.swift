import Foundation

/// Runs a `podflux` command to its end: `podflux snapshot`, or an engine that should not start.
package enum PodfluxCommand {
  /// The result of a command.
  package struct Result: Sendable {
    /// The exit status.
    package let status: Int32
    /// Its stdout.
    package let output: String
    /// Its stderr.
    package let errors: String
  }

  /// Runs `podflux` with these arguments and lines on its stdin, and waits for its end with a limit.
  ///
  /// - Parameters:
  ///   - environment: Variables to add to, or to replace in, this process's own.
  ///   - launcher: The words of a launcher that execs the program (`PrivateDisk.launcher`).
  /// - Throws: `PodfluxProcess.Failure` after the limit; the child is killed then.
  package static func run(
    _ arguments: [String], input lines: [String] = [], upTo seconds: Double = 20, environment: [String: String] = [:],
    launcher: [String] = []
  ) throws -> Result {
    let folder = try TemporaryFolder("podflux-command")
    let (input, output, errors) = (folder.path + "/input", folder.path + "/output", folder.path + "/errors")
    for path in [input, output, errors] {
      let contents = path == input ? Data(lines.map { $0 + "\n" }.joined().utf8) : nil
      guard FileManager.default.createFile(atPath: path, contents: contents) else {
        throw PodfluxProcess.Failure("\(path) cannot be made")
      }
    }
    let process = Process()
    let words = launcher + [PodfluxProcess.executablePath] + arguments
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input))
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    try process.run()
    guard end.wait(timeout: .now() + seconds) == .success else {
      kill(process.processIdentifier, SIGKILL)
      throw PodfluxProcess.Failure("podflux \(arguments) did not end within \(seconds) s")
    }
    let result = Result(
      status: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
    if arguments.first == "snapshot" { try judge(result, askedBy: arguments) }
    return result
  }

  /// In tests, validates a snapshot against the protocol's schema.
  private static func judge(_ result: Result, askedBy arguments: [String]) throws {
    guard !result.output.isEmpty, let judge = try LineJudge.forTests() else { return }
    let isPartial = arguments.contains { $0.contains("\"fields\"") }
    if let fault = judge.fault(in: Array(result.output.utf8), as: isPartial ? .partialOutput : .output) {
      throw PodfluxProcess.Failure(fault)
    }
  }
}
