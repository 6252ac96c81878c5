import PodfluxCore

/// A moment of the state in JSON, store by store. One rendering serves all who observe the same.
package struct RenderedState: Sendable {
  /// A store's part of the moment.
  enum Part: Sendable {
    /// Told whole.
    case object([UInt8])
    /// Told item by item.
    case list(RenderedList)
  }

  let revision: Int64
  /// In the order of their lines.
  private(set) var parts: [(store: StoreName, part: Part)] = []

  /// Renders a snapshot. Cost: that of its lines.
  package init(_ snapshot: Snapshot) {
    revision = snapshot.revision
    add(.cleanup, snapshot.cleanup) { $0.members(of: $1) }
    if let downloads = snapshot.downloads {
      add(.downloads, downloads.items, next: downloads.next?.text) { item, object in
        object.members(of: item, showing: downloads.fields)
        return item.download.id.description
      } writeTotals: {
        $0.totals(of: downloads)
      }
    }
    if let episodes = snapshot.episodes {
      add(.episodes, episodes.items, next: episodes.next?.text) { item, object in
        object.members(of: item, showing: episodes.fields)
        return item.episode.id.description
      } writeTotals: {
        $0.member("count", episodes.count)
      }
    }
    if let feeds = snapshot.feeds {
      add(.feeds, feeds.items, next: feeds.next?.text) { item, object in
        object.members(of: item, showing: feeds.fields)
        return item.feed.id.description
      } writeTotals: {
        $0.member("count", feeds.count)
      }
    }
    add(.engine, snapshot.engine) { $0.members(of: $1) }
    add(.filters, snapshot.filters) { $0.members(of: $1) }
    add(.network, snapshot.network) { $0.members(of: $1) }
    if let sessions = snapshot.sessions {
      add(.sessions, sessions, next: nil) { session, object in
        object.members(of: session)
        return session.id.description
      } writeTotals: { _ in
      }
    }
    add(.settings, snapshot.settings) { $0.members(of: $1) }
  }

  private mutating func add<State>(
    _ store: StoreName, _ state: State?, _ write: (inout JSONWriter, State) -> Void
  ) {
    guard let state else { return }
    parts.append((store, .object(JSONWriter.object { write(&$0, state) })))
  }

  /// Adds a list whose items' members are written by a closure, which returns the id.
  private mutating func add<Item>(
    _ store: StoreName, _ items: [Item], next: String?, _ write: (Item, inout JSONWriter) -> String,
    writeTotals: (inout JSONWriter) -> Void
  ) {
    let items = items.map { item in
      var id = ""
      let json = JSONWriter.object { id = write(item, &$0) }
      return RenderedList.Item(id: id, json: json)
    }
    parts.append((store, .list(RenderedList(totals: JSONWriter.object(writeTotals), next: next, items: items))))
  }
}

/// A page of a list in JSON.
struct RenderedList: Sendable {
  struct Item: Hashable, Sendable {
    let id: String
    let json: [UInt8]
  }

  /// The members beside the items, as an object.
  let totals: [UInt8]
  let next: String?
  let items: [Item]
  private let places: [String: Int]

  init(totals: [UInt8], next: String?, items: [Item]) {
    self.totals = totals
    self.next = next
    self.items = items
    // A damaged database may have an id twice.
    places = Dictionary(items.enumerated().map { ($1.id, $0) }) { first, _ in first }
  }

  /// The item with this id; nil if the page has none.
  subscript(id: String) -> Item? { places[id].map { items[$0] } }

  func hasOrder(of other: RenderedList) -> Bool {
    items.elementsEqual(other.items) { $0.id == $1.id }
  }
}

extension JSONWriter {
  /// The bytes of an object by itself, without a line feed.
  fileprivate static func object(_ writeMembers: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(writeMembers)
    return writer.bytes
  }
}
