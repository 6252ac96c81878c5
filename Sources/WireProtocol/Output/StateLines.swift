import PodfluxCore

/// Turns moments of the state into `state` lines (the article Protocol) for one who observes: first all of each
/// store, then what has become another since the last moment.
///
/// Downloads, episodes and feeds are told one by one; of the other stores, which are small, all is told again. A client that applies the lines
/// to what it has holds what a snapshot of that moment shows, byte for byte.
public struct StateLines: Sendable {
  /// What was told of a list.
  private struct ToldList {
    var totals: [UInt8]
    var next: String?
    var order: [String]
    var items: [String: [UInt8]]
  }

  private var stores: [StoreName: [UInt8]] = [:]
  private var lists: [StoreName: ToldList] = [:]

  /// Nothing has been told.
  public init() {}

  /// Appends what the moment has new to the lines of an encoder.
  public mutating func append(_ snapshot: Snapshot, to encoder: inout LineEncoder) {
    let revision = snapshot.revision
    append(.cleanup, snapshot.cleanup, at: revision, to: &encoder) { $0.members(of: $1) }
    if let downloads = snapshot.downloads { append(downloads, at: revision, to: &encoder) }
    if let episodes = snapshot.episodes { append(episodes, at: revision, to: &encoder) }
    if let feeds = snapshot.feeds { append(feeds, at: revision, to: &encoder) }
    append(.engine, snapshot.engine, at: revision, to: &encoder) { $0.members(of: $1) }
    append(.filters, snapshot.filters, at: revision, to: &encoder) { $0.members(of: $1) }
    append(.network, snapshot.network, at: revision, to: &encoder) { $0.members(of: $1) }
    append(.settings, snapshot.settings, at: revision, to: &encoder) { $0.members(of: $1) }
  }

  // MARK: Stores that are told whole

  private mutating func append<State>(
    _ store: StoreName, _ state: State?, at revision: Int64, to encoder: inout LineEncoder,
    _ write: (inout JSONWriter, State) -> Void
  ) {
    guard let state else { return }
    let object = JSONWriter.object { write(&$0, state) }
    guard stores[store] != object else { return }
    stores[store] = object
    encoder.state(at: revision) { payload in
      payload.members(
        of: object, and: [("full", Array("true".utf8)), ("store", Array("\"\(store.rawValue)\"".utf8))])
    }
  }

  // MARK: Lists

  private mutating func append(_ downloads: DownloadsSnapshot, at revision: Int64, to encoder: inout LineEncoder) {
    let items = downloads.items.map { item in
      (item.download.id.description, JSONWriter.object { $0.members(of: item, showing: downloads.fields) })
    }
    append(.downloads, items, next: downloads.next?.text, at: revision, to: &encoder) { $0.totals(of: downloads) }
  }

  private mutating func append(_ episodes: EpisodesSnapshot, at revision: Int64, to encoder: inout LineEncoder) {
    let items = episodes.items.map { item in
      (item.episode.id.description, JSONWriter.object { $0.members(of: item, showing: episodes.fields) })
    }
    append(.episodes, items, next: episodes.next?.text, at: revision, to: &encoder) {
      $0.member("count", episodes.count)
    }
  }

  private mutating func append(_ feeds: FeedsSnapshot, at revision: Int64, to encoder: inout LineEncoder) {
    let items = feeds.items.map { item in
      (item.feed.id.description, JSONWriter.object { $0.members(of: item, showing: feeds.fields) })
    }
    append(.feeds, items, next: feeds.next?.text, at: revision, to: &encoder) { $0.member("count", feeds.count) }
  }

  /// Appends what has changed in a list: all of it at first, then the items that are new or another, and which are gone.
  private mutating func append(
    _ store: StoreName, _ items: [(id: String, json: [UInt8])], next: String?, at revision: Int64,
    to encoder: inout LineEncoder, writeTotals: (inout JSONWriter) -> Void
  ) {
    let order = items.map(\.id)
    let told = ToldList(
      totals: JSONWriter.object(writeTotals), next: next, order: order,
      items: Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.json) }))
    defer { lists[store] = told }
    guard let before = lists[store] else {
      return encoder.state(at: revision) { payload in
        writeTotals(&payload)
        payload.member("full", true)
        payload.array("items", items) { $1.element(json: $0.json) }
        payload.member("next", next)
        payload.member("store", store.rawValue)
      }
    }
    let changed = items.filter { before.items[$0.id] != $0.json }
    let gone = before.order.filter { told.items[$0] == nil }
    guard !changed.isEmpty || before.order != order || before.totals != told.totals || before.next != next else {
      return
    }
    encoder.state(at: revision) { payload in
      writeTotals(&payload)
      payload.member("next", next)
      if before.order != order { payload.array("order", order) { $1.element($0) } }
      payload.array("remove", gone) { $1.element($0) }
      payload.member("store", store.rawValue)
      payload.array("upsert", changed) { $1.element(json: $0.json) }
    }
  }
}

extension LineEncoder {
  fileprivate mutating func state(at revision: Int64, _ writePayload: (inout JSONWriter) -> Void) {
    line("state", revision: revision, writePayload)
  }
}

extension JSONWriter {
  /// One object by itself.
  fileprivate static func object(_ writeMembers: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(writeMembers)
    return writer.bytes
  }

  /// The members of an object that this type has written, and more, all in the order of the alphabet.
  fileprivate mutating func members(of object: [UInt8], and more: [(key: String, json: [UInt8])]) {
    var members = more
    var rest = object.dropFirst().dropLast()
    while !rest.isEmpty {
      let key = rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
      let value = rest[(key.endIndex + 2)...].firstValue
      members.append((String(decoding: key, as: UTF8.self), Array(value)))
      rest = rest[value.endIndex...].dropFirst()
    }
    for member in members.sorted(by: { $0.key < $1.key }) {
      self.key(named: member.key)
      element(json: member.json)
    }
  }
}

extension ArraySlice<UInt8> {
  /// The JSON value that it begins with: it ends at a comma that stands in no text, array or object of it.
  fileprivate var firstValue: ArraySlice<UInt8> {
    var depth = 0
    var isText = false
    var index = startIndex
    while index < endIndex {
      switch (self[index], isText) {
      case (UInt8(ascii: "\\"), true): index += 1
      case (UInt8(ascii: "\""), _): isText.toggle()
      case (UInt8(ascii: "{"), false), (UInt8(ascii: "["), false): depth += 1
      case (UInt8(ascii: "}"), false), (UInt8(ascii: "]"), false): depth -= 1
      case (UInt8(ascii: ","), false) where depth == 0: return self[startIndex..<index]
      default: break
      }
      index += 1
    }
    return self
  }
}
