import Foundation

/// A client that keeps the state only by applying `state` lines.
package struct StateFollower {
  /// A line that such a client cannot apply.
  package struct Misunderstanding: Error {
    package let line: String
  }

  /// The stores' members, except the items of downloads.
  private var stores: [String: [String: Any]] = [:]
  private var items: [String: [String: Any]] = [:]
  private var order: [String] = []
  /// The revision of the last line.
  package private(set) var revision = -1

  package init() {}

  /// Applies a line; false if it is no `state` line.
  @discardableResult
  package mutating func apply(_ line: String) throws -> Bool {
    let object = try PodfluxProcess.parse(line)
    guard object["type"] as? String == "state" else { return false }
    guard var payload = object["payload"] as? [String: Any],
      let meta = object["meta"] as? [String: Any], let number = meta["revision"] as? Int, number >= revision,
      let store = payload.removeValue(forKey: "store") as? String
    else { throw Misunderstanding(line: line) }
    revision = number
    let isFull = payload.removeValue(forKey: "full") as? Bool ?? false
    if store == "downloads" {
      try isFull ? replaceDownloads(&payload, line) : changeDownloads(&payload, line)
    } else if !isFull {
      throw Misunderstanding(line: line)
    }
    stores[store] = payload
    return true
  }

  private mutating func replaceDownloads(_ payload: inout [String: Any], _ line: String) throws {
    guard let all = payload.removeValue(forKey: "items") as? [[String: Any]] else { throw Misunderstanding(line: line) }
    order = all.compactMap { $0["id"] as? String }
    items = Dictionary(uniqueKeysWithValues: zip(order, all))
  }

  private mutating func changeDownloads(_ payload: inout [String: Any], _ line: String) throws {
    guard stores["downloads"] != nil, let changed = payload.removeValue(forKey: "upsert") as? [[String: Any]],
      let gone = payload.removeValue(forKey: "remove") as? [String]
    else { throw Misunderstanding(line: line) }
    for id in gone { items[id] = nil }
    for item in changed { items[item["id"] as? String ?? ""] = item }
    if let newOrder = payload.removeValue(forKey: "order") as? [String] { order = newOrder }
    guard Set(order) == Set(items.keys) else { throw Misunderstanding(line: line) }
  }

  /// The state as a snapshot's payload, in a canonical spelling.
  package func state() throws -> String {
    var payload: [String: Any] = stores
    if var downloads = stores["downloads"] {
      downloads["items"] = order.compactMap { items[$0] }
      payload["downloads"] = downloads
    }
    return try Self.canonical(payload)
  }

  /// The payload of a snapshot's reply, in the same spelling.
  package static func payload(of line: String) throws -> String {
    guard let payload = try PodfluxProcess.parse(line)["payload"] else { throw Misunderstanding(line: line) }
    return try canonical(payload)
  }

  private static func canonical(_ value: Any) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }
}
