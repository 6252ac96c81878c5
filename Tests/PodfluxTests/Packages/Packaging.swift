import Foundation
import TestSupport

/// The folder `.packaging` of the source tree, and the programs that look at what is in it.
enum Packaging {
  /// The source tree; PODFLUX_SOURCES names another one, should the tests run away from it.
  static let sources: URL = {
    if let path = ProcessInfo.processInfo.environment["PODFLUX_SOURCES"] { return URL(fileURLWithPath: path) }
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    return folder
  }()

  static let folder = sources.appendingPathComponent(".packaging")

  /// The units of a system's manager.
  static let systemUnits = ["podflux.service", "podflux-shared.service"]

  /// The text of a unit.
  static func unit(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent("units/\(name)"), encoding: .utf8)
  }

  /// Where a program is; nil if it is not installed.
  static func program(_ name: String) -> String? {
    ["/usr/bin/", "/bin/", "/usr/sbin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
  }

  /// Runs a program to its end.
  ///
  /// - Returns: its exit status, and what it has written to stdout and stderr.
  static func run(
    _ words: [String], environment: [String: String] = [:], input: String? = nil
  ) throws -> (status: Int32, output: String) {
    let files = try TemporaryFolder("podflux-packaging")
    let (inputPath, outputPath) = (files.path + "/input", files.path + "/output")
    try Data((input ?? "").utf8).write(to: URL(fileURLWithPath: inputPath))
    try Data().write(to: URL(fileURLWithPath: outputPath))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputPath))
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: outputPath))
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOfFile: outputPath, encoding: .utf8))
  }
}
