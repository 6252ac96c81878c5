import Foundation
import TestSupport

/// A download in a snapshot.
struct Item {
  let json: [String: Any]

  var id: String { json["id"] as? String ?? "" }
  var state: String { json["state"] as? String ?? "" }
  var phase: String? { json["phase"] as? String }
  var path: String? { json["path"] as? String }
  var attempt: Int { json["attempt"] as? Int ?? -1 }
  var position: Int { json["position"] as? Int ?? .min }
  var received: Int { bytes("received") }
  var durable: Int { bytes("durable") }
  var discarded: Int { bytes("discarded") }
  var discardedBecause: [String: Int] {
    (json["bytes"] as? [String: Any])?["discardedBecause"] as? [String: Int] ?? [:]
  }
  var reason: String? { json["reason"] as? String }
  var detail: [String: Any] { json["detail"] as? [String: Any] ?? [:] }
  var errorCode: String? { error("code") as? String }
  var errorCause: String? { error("cause") as? String }
  var errorStatus: Int? { error("status") as? Int }

  private func bytes(_ key: String) -> Int { (json["bytes"] as? [String: Any])?[key] as? Int ?? -1 }
  private func error(_ key: String) -> Any? { (json["error"] as? [String: Any])?[key] }
}

extension PodfluxProcess {
  /// All downloads, at most 1000.
  func items() throws -> [Item] {
    try downloads().items.map(Item.init)
  }

  /// The download of this id, if there is one.
  func item(_ id: String) throws -> Item? {
    try items().first { $0.id == id }
  }

  /// Waits for the next line.
  func nextLine() throws -> String {
    try wait(upTo: 20, for: "another line") { (_: String) in true }
  }

  /// Waits until this download meets the condition.
  @discardableResult
  func wait(for id: String, upTo seconds: Double = 20, until condition: (Item) -> Bool) throws -> Item {
    let items = try waitForDownloads(upTo: seconds) { _, items in
      items.contains { $0["id"] as? String == id && condition(Item(json: $0)) }
    }
    guard let item = items.first(where: { $0["id"] as? String == id }) else { throw Failure("no download \(id)") }
    return Item(json: item)
  }

  /// Waits until this download is in a state, and throws its error if it has failed instead.
  @discardableResult
  func wait(for id: String, toBe state: String, upTo seconds: Double = 20) throws -> Item {
    let item = try wait(for: id, upTo: seconds) { $0.state == state || ($0.state == "failed" && state != "failed") }
    guard item.state == state else { throw Failure("\(id) is not \(state): \(item.json)") }
    return item
  }

  /// Waits until all downloads are completed; none may fail.
  @discardableResult
  func waitForAllCompleted(upTo seconds: Double = 30) throws -> [Item] {
    let items = try waitForDownloads(upTo: seconds) { counts, items in
      if counts["failed", default: 0] > 0 { throw Failure("some failed: \(items)") }
      return counts.allSatisfy { $0.value == 0 || $0.key == "completed" }
    }
    return items.map(Item.init)
  }

  /// Sends an action that must be refused.
  ///
  /// - Returns: The refusal's code and path.
  func refusal(_ type: String, _ payload: [String: Any] = [:]) throws -> (code: String?, path: String?) {
    let reply = try ask(type, payload)
    guard reply["type"] as? String == "error", reply["error"] as? Bool == true else {
      throw Failure("\(type) was not refused: \(reply)")
    }
    let payload = reply["payload"] as? [String: Any]
    return (payload?["code"] as? String, payload?["path"] as? String)
  }
}

extension PodfluxProcess {
  /// The last committed revision.
  func revision() throws -> Int {
    let reply = try ask("snapshot", ["stores": ["engine"]])
    guard let revision = (reply["meta"] as? [String: Any])?["revision"] as? Int else {
      throw Failure("a reply without a revision: \(reply)")
    }
    return revision
  }
}

extension PodfluxProcess {
  /// Whether it runs: a zombie does not.
  var isAlive: Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
    // The state follows the name, which is in parentheses (proc(5)).
    return status.split(separator: ")").last?.hasPrefix(" Z") == false
  }

  /// Whether it uses no CPU time for this long.
  func isIdle(forMilliseconds milliseconds: Int) throws -> Bool {
    let before = try processorTicks()
    var pause = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
    nanosleep(&pause, nil)
    return try processorTicks() == before
  }

  private func processorTicks() throws -> [Substring] {
    let status = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    // The state and the numbers from field 4 on follow the name; utime and stime are fields 14 and 15 (proc(5)).
    guard let fields = status.split(separator: ")").last?.split(separator: " "), fields.count > 12 else {
      throw Failure("no times in \(status)")
    }
    return Array(fields[11...12])
  }

  /// Its peak memory, in bytes (VmHWM in proc(5)).
  func peakResidentBytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kibibytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
    else { throw Failure("no VmHWM in \(status)") }
    return kibibytes << 10
  }
}
