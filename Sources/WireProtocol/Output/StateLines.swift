import PodfluxCore

/// Turns moments of the state into `state` lines (the article Protocol) for one who observes: first all of each
/// store, then what has become another since the last moment.
///
/// Downloads, episodes, feeds and sessions are told one by one; of the other stores, which are small, all is told
/// again. A client that applies the lines to what it has holds what a snapshot of that moment shows, byte for byte.
package struct StateLines: Sendable {
  /// What was told of each store: shared with all who were told the same.
  private var told: [StoreName: RenderedState.Part] = [:]

  /// Nothing has been told.
  package init() {}

  /// Appends what the moment has new to the lines of an encoder.
  package mutating func append(_ state: RenderedState, to encoder: inout LineEncoder) {
    for (store, part) in state.parts {
      switch (part, told[store]) {
      case (.object(let object), .object(let before)?) where before == object: break
      case (.object(let object), _): Self.append(object, of: store, at: state.revision, to: &encoder)
      case (.list(let list), .list(let before)?):
        Self.append(list, since: before, of: store, at: state.revision, to: &encoder)
      case (.list(let list), _): Self.append(list, of: store, at: state.revision, to: &encoder)
      }
      told[store] = part
    }
  }

  private static func append(
    _ object: [UInt8], of store: StoreName, at revision: Int64, to encoder: inout LineEncoder
  ) {
    encoder.state(at: revision) { payload in
      payload.members(
        of: object, and: [("full", Array("true".utf8)), ("store", Array("\"\(store.rawValue)\"".utf8))])
    }
  }

  /// Appends all of a list.
  private static func append(
    _ list: RenderedList, of store: StoreName, at revision: Int64, to encoder: inout LineEncoder
  ) {
    encoder.state(at: revision) { payload in
      payload.members(of: list.totals)
      payload.member("full", true)
      payload.array("items", list.items) { $1.element(json: $0.json) }
      payload.member("next", list.next)
      payload.member("store", store.rawValue)
    }
  }

  /// Appends what has changed in a list: the items that are new or another, and which are gone.
  private static func append(
    _ list: RenderedList, since before: RenderedList, of store: StoreName, at revision: Int64,
    to encoder: inout LineEncoder
  ) {
    let hasOrder = list.hasOrder(of: before)
    let changed = list.items.filter { before[$0.id] != $0 }
    guard !changed.isEmpty || !hasOrder || before.totals != list.totals || before.next != list.next else { return }
    encoder.state(at: revision) { payload in
      payload.members(of: list.totals)
      payload.member("next", list.next)
      if !hasOrder { payload.array("order", list.items) { $1.element($0.id) } }
      payload.array("remove", before.items.filter { list[$0.id] == nil }) { $1.element($0.id) }
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
  /// The members of an object that this module has written, as they stand there.
  mutating func members(of object: [UInt8]) {
    guard object.count > 2 else { return }
    element(json: Array(object.dropFirst().dropLast()))
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
