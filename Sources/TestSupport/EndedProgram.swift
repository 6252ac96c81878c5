import Foundation

/// A program that has run to its end.
package struct EndedProgram: Sendable {
  /// The exit status.
  package let status: Int32
  /// The program's stdout and stderr.
  package let output: String

  /// Runs a program, and waits for its end.
  ///
  /// - Parameter environment: Variables to add to, or to replace in, this process's own.
  package init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
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
