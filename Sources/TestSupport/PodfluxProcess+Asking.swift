import Foundation

/// Questions and orders, each with its reply.
extension PodfluxProcess {
  /// Sends an action or a query and waits for its reply.
  ///
  /// - Returns: The reply's line, parsed; refusals too.
  @discardableResult
  public func ask(_ type: String, _ payload: [String: Any] = [:], upTo seconds: Double = 20) throws -> [String: Any] {
    let id = nextID()
    let line: [String: Any] = ["type": type, "payload": payload, "meta": ["id": id]]
    let data = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys])
    try send(line: String(decoding: data, as: UTF8.self))
    let text = try wait(upTo: seconds, for: "the reply to \(type)") { $0.contains("\"id\":\"\(id)\"") }
    return try Self.parse(text)
  }

  /// Sends an action and wants it carried out.
  ///
  /// - Returns: The reply's payload.
  @discardableResult
  public func order(_ type: String, _ payload: [String: Any] = [:], upTo seconds: Double = 20) throws -> [String: Any] {
    let reply = try ask(type, payload, upTo: seconds)
    guard reply["type"] as? String == "ok", let payload = reply["payload"] as? [String: Any] else {
      throw Failure("\(type) was refused: \(reply)")
    }
    return payload
  }

  /// The downloads' part of a snapshot.
  public func downloads(limit: Int = 1000) throws -> (counts: [String: Int], items: [[String: Any]]) {
    let payload = try order("snapshot", ["stores": ["downloads"], "downloads": ["limit": limit, "unfiltered": true]])
    guard let downloads = payload["downloads"] as? [String: Any], let counts = downloads["counts"] as? [String: Int],
      let items = downloads["items"] as? [[String: Any]]
    else { throw Failure("a snapshot without downloads: \(payload)") }
    return (counts, items)
  }

  /// Asks for snapshots until one satisfies the condition. Between two it waits for nothing but the child's answer and a
  /// scheduling quantum of 5 ms.
  @discardableResult
  public func waitForDownloads(
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
