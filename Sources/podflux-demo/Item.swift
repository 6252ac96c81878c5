import Foundation
import TestSupport

/// A download in a snapshot.
struct Item {
  let id: String
  let podcast: String
  let title: String
  let state: String
  let position: Int
  let received: Int
  let durable: Int
  let total: Int?
  let discarded: Int
  let bytesPerSecond: Int
  let path: String?

  /// Parses an element of `downloads.items`.
  init(_ object: [String: Any]) throws {
    guard let id = object["id"] as? String, let state = object["state"] as? String,
      let position = object["position"] as? Int, let bytes = object["bytes"] as? [String: Any],
      let received = bytes["received"] as? Int, let durable = bytes["durable"] as? Int,
      let discarded = bytes["discarded"] as? Int
    else { throw PodfluxProcess.Failure("a snapshot with an item of another form: \(object)") }
    self.id = id
    self.state = state
    self.position = position
    self.received = received
    self.durable = durable
    self.discarded = discarded
    podcast = object["podcast"] as? String ?? ""
    title = object["title"] as? String ?? id
    total = bytes["total"] as? Int
    bytesPerSecond = object["rate"] as? Int ?? 0
    path = object["path"] as? String
  }

  /// Parses `downloads.items`, in the order of the queue.
  static func list(_ objects: [[String: Any]]) throws -> [Item] {
    try objects.map(Item.init).sorted { $0.position < $1.position }
  }
}
