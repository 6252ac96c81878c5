import Foundation
import Testing

/// A short run of libFuzzer over the parsers of feeds and lists. A long one: build as `build` does, but with `-O -wmo`,
/// and give the program a folder instead of `-runs`.
@Suite("libFuzzer")
struct LibFuzzerTests {
  private static let runs = 2000

  private let tests = FeedCorpus.folder.deletingLastPathComponent().deletingLastPathComponent()
  /// Where SwiftPM has put modules and objects.
  private let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  @Test("finds nothing in some thousand mutations of the corpus, by a seed")
  func shortRun() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("podflux-fuzz-\(UUID().uuidString)")
    let corpus = folder.appendingPathComponent("corpus")
    try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for fixture in FeedCorpus.all {
      try Data(fixture.bytes).write(to: corpus.appendingPathComponent(fixture.name))
    }
    let program = folder.appendingPathComponent("fuzz").path
    let built = try run("/usr/bin/env", build(program))
    try #require(built.status == 0, "\(built.output)")
    // The corpus comes first: each document is read once, then mutated.
    let limits = ["-runs=\(Self.runs)", "-seed=1", "-max_len=65536", "-timeout=10", "-rss_limit_mb=512"]
    // A shell between: the kernel counts this process's memory as that of a child that it has spawned itself.
    let end = try run(
      "/bin/sh",
      ["-c", "\"$@\"; exit $?", "sh", program] + limits + ["-artifact_prefix=\(folder.path)/", corpus.path])
    #expect(end.status == 0, "\(end.output.suffix(4000))")
    #expect(end.output.contains("Done \(Self.runs) runs"))
  }

  /// What SwiftPM calls the package: its folder's name, with the letters of an identifier.
  private var packageName: String {
    let name = tests.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    return (name.first?.isNumber == true ? "_" : "") + String(name)
  }

  /// The words that compile the parsers with libFuzzer's instruments, and link them with what they import.
  private func build(_ program: String) throws -> [String] {
    let sources = tests.appendingPathComponent("Sources/Feeds")
    let files = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
    let objects = try ["Flux", "PodfluxCore", "Texts"].flatMap { module in
      let folder = products.appendingPathComponent("\(module).build").path
      return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".o") }
        .map { "\(folder)/\($0)" }
    }
    // Not optimised: that would take longer than it saves.
    var words = ["swiftc", "-Onone", "-swift-version", "6", "-parse-as-library", "-sanitize=fuzzer"]
    words += ["-module-name", "Feeds", "-package-name", packageName]
    words += ["-I", products.appendingPathComponent("Modules").path]
    words += files.filter { $0.hasSuffix(".swift") }.sorted().map { "\(sources.path)/\($0)" }
    words.append(tests.appendingPathComponent("Tests/FeedsTests/Fuzzing/FeedFuzzer.swift").path)
    return words + objects + ["-o", program]
  }

  /// Runs a program to its end, and gives its status and what it wrote.
  private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }
}
