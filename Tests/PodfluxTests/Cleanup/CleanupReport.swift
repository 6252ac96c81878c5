import Foundation
import TestSupport

/// The cleanup's part of a snapshot.
struct CleanupReport {
  /// A finding and its result.
  struct Step: Hashable, CustomStringConvertible {
    var finding: String
    var decision: String
    var status: String
    var path: String?
    var to: String?
    var download: String?
    var bytes: Int
    var because: String

    var description: String { "\(finding) \(decision) \(status) \(path ?? download ?? "") \(because)" }
  }

  let run: [String: Any]
  /// Whether another run is waiting.
  let isFollowed: Bool
  let steps: [Step]

  var id: Int { run["id"] as? Int ?? -1 }
  var state: String { run["state"] as? String ?? "" }
  var cause: String { run["cause"] as? String ?? "" }
  var reason: String? { run["reason"] as? String }
  var freedBytes: Int { run["freedBytes"] as? Int ?? -1 }
  var isEnd: Bool { ["done", "cancelled", "refused", "failed"].contains(state) }
  /// The steps that were not only left.
  var acts: [Step] { steps.filter { $0.status != "left" } }

  func tally(_ finding: String) -> [String: Int] {
    (run["findings"] as? [String: Any])?[finding] as? [String: Int] ?? [:]
  }

  func usage(_ kind: String) -> Int { (run["usage"] as? [String: Int])?[kind] ?? -1 }
}

extension PodfluxProcess {
  /// The cleanup in a snapshot, with at most 1000 steps. Nil before the first run.
  func cleanup() throws -> CleanupReport? {
    let payload = try order("snapshot", ["stores": ["cleanup"], "cleanup": ["limit": 1000]])
    guard let cleanup = payload["cleanup"] as? [String: Any] else { throw Failure("no cleanup: \(payload)") }
    guard let run = cleanup["run"] as? [String: Any] else { return nil }
    let steps = (cleanup["steps"] as? [[String: Any]] ?? []).map { step in
      CleanupReport.Step(
        finding: step["finding"] as? String ?? "", decision: step["decision"] as? String ?? "",
        status: step["status"] as? String ?? "", path: step["path"] as? String, to: step["to"] as? String,
        download: step["download"] as? String, bytes: step["bytes"] as? Int ?? -1,
        because: step["because"] as? String ?? "")
    }
    return CleanupReport(run: run, isFollowed: cleanup["waiting"] is [String: Any], steps: steps)
  }

  /// Runs a cleanup when no other one is active, and waits for its end.
  @discardableResult
  func cleanUp(_ options: [String: Any] = [:], upTo seconds: Double = 30) throws -> CleanupReport {
    try waitUntil("the end of earlier cleanups", upTo: seconds) {
      try cleanup().map { $0.isEnd && !$0.isFollowed } ?? true
    }
    guard let id = try order("cleanup/run", options)["run"] as? Int else { throw Failure("a run without a number") }
    return try waitForCleanup(upTo: seconds) { $0.id == id }
  }

  /// Waits for the end of the run at start.
  @discardableResult
  func waitForStartCleanup() throws -> CleanupReport {
    try waitForCleanup { $0.cause == "start" }
  }

  func waitForCleanup(
    upTo seconds: Double = 30, _ isMeant: (CleanupReport) -> Bool
  ) throws -> CleanupReport {
    var last: CleanupReport?
    do {
      try waitUntil("the end of a cleanup", upTo: seconds) {
        last = try cleanup()
        return last.map { $0.isEnd && isMeant($0) } ?? false
      }
    } catch {
      throw Failure("\(error): \(last.map { "\($0.run) \($0.steps)" } ?? "there is none")")
    }
    guard let last else { throw Failure("no cleanup") }
    return last
  }
}
