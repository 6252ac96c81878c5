import Foundation

/// Requests with their replies.
extension PodfluxProcess {
  /// Sends an action or a query and waits for its reply.
  ///
  /// - Returns: The parsed reply, which may be a refusal.
  @discardableResult
  package func ask(_ type: String, _ payload: [String: Any] = [:], upTo seconds: Double = 20) throws -> [String: Any] {
    let id = nextID()
    let line: [String: Any] = ["type": type, "payload": payload, "meta": ["id": id]]
    let data = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys])
    try send(line: String(decoding: data, as: UTF8.self))
    let text = try wait(upTo: seconds, for: "the reply to \(type)") { $0.contains("\"id\":\"\(id)\"") }
    return try Self.parse(text)
  }

  /// Sends an action, and fails if it is refused.
  ///
  /// - Returns: The reply's payload.
  @discardableResult
  package func order(_ type: String, _ payload: [String: Any] = [:], upTo seconds: Double = 20) throws -> [String: Any]
  {
    let reply = try ask(type, payload, upTo: seconds)
    guard reply["type"] as? String == "ok", let payload = reply["payload"] as? [String: Any] else {
      throw Failure("\(type) was refused: \(reply)")
    }
    return payload
  }

  /// The downloads in a snapshot.
  package func downloads(limit: Int = 1000) throws -> (counts: [String: Int], items: [[String: Any]]) {
    let payload = try order("snapshot", ["stores": ["downloads"], "downloads": ["limit": limit, "unfiltered": true]])
    guard let downloads = payload["downloads"] as? [String: Any], let counts = downloads["counts"] as? [String: Int],
      let items = downloads["items"] as? [[String: Any]]
    else { throw Failure("a snapshot without downloads: \(payload)") }
    return (counts, items)
  }

  /// Requests snapshots until one meets the condition. Between two it waits only for the child's answer and a
  /// scheduling quantum of 5 ms.
  @discardableResult
  package func waitForDownloads(
    upTo seconds: Double = 30, _ condition: ([String: Int], [[String: Any]]) throws -> Bool
  ) throws -> [[String: Any]] {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      let (counts, items) = try downloads()
      if try condition(counts, items) { return items }
      guard Date() < deadline else { throw Failure("the downloads did not come so far: \(counts) \(items.prefix(3))") }
      var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
      nanosleep(&pause, nil)
    }
  }
}
