import WireProtocol

/// A list as it is observed: what `state` lines have told of it so far.
package struct ObservedList<Item: ListItem & Sendable>: Sendable {
  /// The ids in the list's order.
  package private(set) var order: [String] = []
  private var items: [String: Item] = [:]

  package init() {}

  package subscript(id: String) -> Item? { items[id] }

  /// The items in order.
  package var all: [Item] { order.compactMap { items[$0] } }

  /// Takes in the payload of a `state` line of this list.
  ///
  /// - Returns: The items that have left the list.
  @discardableResult
  package mutating func apply(_ payload: JSONObject) throws(MalformedLine) -> [Item] {
    if try payload.boolean("full") == true {
      let before = items
      (order, items) = ([], [:])
      for object in try payload.objects("items") {
        let item = try Item(object)
        if items.updateValue(item, forKey: item.id) == nil { order.append(item.id) }
      }
      return before.keys.sorted().compactMap { items[$0] == nil ? before[$0] : nil }
    }
    let gone = try payload.strings("remove").compactMap { items.removeValue(forKey: $0) }
    for object in try payload.objects("upsert") {
      let item = try Item(object)
      items[item.id] = item
    }
    if payload["order"] != nil { order = try payload.strings("order") }
    return gone
  }
}
