import Foundation
import TestSupport

/// The output of `podflux snapshot --library …`: it needs no engine, and disturbs none.
struct LibrarySnapshot {
  /// The line as printed.
  let line: String
  let counts: [String: Int]
  let objects: [[String: Any]]
  let items: [Item]

  init(library: String) throws {
    line = try Self.output(of: ["snapshot", "--library", library])
    guard let payload = try PodfluxProcess.parse(line)["payload"] as? [String: Any],
      let downloads = payload["downloads"] as? [String: Any],
      let counts = downloads["counts"] as? [String: Int],
      let objects = downloads["items"] as? [[String: Any]]
    else { throw PodfluxProcess.Failure("a snapshot of another form: \(line)") }
    self.counts = counts
    self.objects = objects
    items = try Item.list(objects)
  }

  private static func output(of arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: PodfluxProcess.executablePath)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == EXIT_SUCCESS else {
      throw PodfluxProcess.Failure("podflux \(arguments.joined(separator: " ")) exits \(process.terminationStatus)")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
