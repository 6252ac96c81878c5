import Foundation
import TestSupport

/// The journal of a scene's engines, and its replay.
extension Scene {
  /// The journal's path.
  var journal: String { outside + "/journal" }

  /// The journal's lines, the oldest file first.
  func journalLines() throws -> [String] {
    var lines: [String] = []
    for path in (1...4).reversed().map({ "\(journal).\($0)" }) + [journal]
    where FileManager.default.fileExists(atPath: path) {
      lines += try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { String($0) }
    }
    return lines
  }

  /// The sequence number of a revision's last action.
  func sequence(ofRevision revision: Int) throws -> Int {
    for line in try journalLines().reversed() {
      let meta = try PodfluxProcess.parse(line)["meta"] as? [String: Any]
      if meta?["revision"] as? Int == revision, let sequence = meta?["sequence"] as? Int { return sequence }
    }
    throw PodfluxProcess.Failure("revision \(revision) is not in the journal")
  }

  /// The output of `podflux snapshot`, and its revision.
  func snapshot(_ query: String = Scene.everything) throws -> (line: String, revision: Int) {
    let result = try PodfluxCommand.run(["snapshot", "--library", library, query])
    guard result.status == 0,
      let revision = (try PodfluxProcess.parse(result.output)["meta"] as? [String: Any])?["revision"]
    else { throw PodfluxProcess.Failure("no snapshot: \(result.errors)") }
    return (result.output, revision as? Int ?? -1)
  }

  /// The output of `podflux replay`.
  func replay(_ arguments: [String] = [], query: String = Scene.everything) throws -> PodfluxCommand.Result {
    try PodfluxCommand.run(["replay", "--journal", journal] + arguments + [query], upTo: 60)
  }

  /// All stores, with the largest pages of downloads and steps.
  static let everything = #"{"downloads":{"limit":1000,"unfiltered":true},"cleanup":{"limit":1000}}"#
}
