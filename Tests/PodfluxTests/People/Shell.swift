import Foundation
import TestSupport

/// A command line that a person copied from a message into a shell.
enum Shell {
  /// The result of the command line.
  struct Result {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs it with `sh`, in `/`, with this build's `podflux` in the PATH.
  static func run(_ line: String) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", line]
    process.currentDirectoryURL = URL(fileURLWithPath: "/")
    let folder = URL(fileURLWithPath: PodfluxProcess.executablePath).deletingLastPathComponent().path
    process.environment = ["PATH": "\(folder):/usr/bin:/bin"]
    let (output, errors) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
    process.standardError = errors
    try process.run()
    // The commands print a few lines, which fit into the pipes.
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: try text(of: output), errors: try text(of: errors))
  }

  private static func text(of pipe: Pipe) throws -> String {
    String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }
}

/// A line for people: parts separated by semicolons, commands after a colon.
struct Note {
  let parts: [String]

  /// The last line of a log that begins with `podflux: ` and contains this; nil if there is none.
  init?(in log: String, saying what: String) {
    let prefix = "podflux: "
    let lines = log.split(separator: "\n").filter { $0.hasPrefix(prefix) && $0.contains(what) }
    guard let line = lines.last else { return nil }
    parts = line.dropFirst(prefix.count).components(separatedBy: "; ")
  }

  /// The command after these words.
  func command(_ words: String) -> String? {
    parts.first { $0.hasPrefix(words + ": ") }.map { String($0.dropFirst(words.count + 2)) }
  }
}
