import Foundation
import TestSupport

/// The Swift toolchain of this build, with its documentation tools.
struct Toolchain {
  /// The result of a tool.
  struct Outcome {
    var status: Int32
    var output: String
  }

  private let tools: URL
  /// The folder of the built products, such as `.build/x86_64-unknown-linux-gnu/debug`.
  private let products: URL

  /// The toolchain whose runtime this process has loaded.
  static func inUse() throws -> Toolchain {
    // Its length is unknown in advance: `String(contentsOfFile:)` would read only the beginning.
    let maps = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd() ?? Data()
    let line = String(decoding: maps, as: UTF8.self).split(separator: "\n").first { $0.hasSuffix("/libswiftCore.so") }
    guard let line, let slash = line.firstIndex(of: "/") else {
      throw PodfluxProcess.Failure("this process has loaded no libswiftCore.so")
    }
    var tools = URL(fileURLWithPath: String(line[slash...]))
    for _ in 0..<4 { tools.deleteLastPathComponent() }
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return Toolchain(
      tools: tools.appendingPathComponent("bin"),
      products: URL(fileURLWithPath: program).deletingLastPathComponent().resolvingSymlinksInPath())
  }

  /// Writes the public symbols of built modules, with their documentation, into a folder.
  func extractSymbolGraphs(of modules: [String], into folder: String) async throws {
    try await withThrowingTaskGroup { group in
      for module in modules {
        group.addTask { try extractSymbolGraph(of: module, into: folder) }
      }
      try await group.waitForAll()
    }
  }

  private func extractSymbolGraph(of module: String, into folder: String) throws {
    let outcome = try run(
      "swift-symbolgraph-extract",
      ["-module-name", module, "-target", Self.triple, "-minimum-access-level", "public", "-skip-inherited-docs"]
        + ["-output-dir", folder] + moduleFolders)
    guard outcome.status == 0 else { throw PodfluxProcess.Failure(outcome.output) }
  }

  /// Compiles a file, which is no script, as a program does that embeds an engine: it is of another package.
  func typecheck(_ file: String) throws -> Outcome {
    try run(
      "swiftc",
      ["-typecheck", "-parse-as-library", "-swift-version", "6", "-package-name", "another", file] + moduleFolders)
  }

  /// The arguments by which tools find the built modules, and what these import.
  private var moduleFolders: [String] {
    let sources = Repository.root.appendingPathComponent("Sources").path
    let checkouts = products.deletingLastPathComponent().deletingLastPathComponent().path + "/checkouts"
    let clang = ["CBrotli", "CCrypto", "CCurl", "CLinux", "CSQLite", "CZlib"].map { "\(sources)/\($0)" }
    // SwiftPM writes the module map of a target of C++ beside its objects.
    let made = ["Modules", "CTagging.build"].map { "\(products.path)/\($0)" }
    return (made + ["\(checkouts)/GRDB.swift/Sources/GRDBSQLite"] + clang).flatMap { ["-I", $0] }
  }

  /// Converts a catalogue; each warning is an error.
  func convert(_ catalogue: String, graphs: String, into archive: String, isForBrowsers: Bool) throws -> Outcome {
    try run(
      "docc",
      ["convert", catalogue, "--additional-symbol-graph-dir", graphs, "--output-dir", archive, "--warnings-as-errors"]
        + (isForBrowsers ? [] : ["--no-transform-for-static-hosting"]))
  }

  #if arch(arm64)
    private static let triple = "aarch64-unknown-linux-gnu"
  #else
    private static let triple = "x86_64-unknown-linux-gnu"
  #endif

  private func run(_ tool: String, _ arguments: [String]) throws -> Outcome {
    let folder = try TemporaryFolder("podflux-tool")
    let output = folder.path + "/output"
    guard FileManager.default.createFile(atPath: output, contents: nil) else {
      throw PodfluxProcess.Failure("\(output) cannot be made")
    }
    let process = Process()
    process.executableURL = tools.appendingPathComponent(tool)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = process.standardOutput
    try process.run()
    process.waitUntilExit()
    return Outcome(status: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8))
  }
}
