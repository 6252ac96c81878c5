import PodfluxCore

/// What differs between two snapshots, for people.
///
/// Lists whose elements have an id or a name are compared by it, in any order; others by place. What is compared is
/// what the lines say, so that snapshots of other versions can be compared too.
package struct SnapshotDifference: Sendable {
  /// A line for each difference, under the name of its store: `ep-1.state: "queued" → "completed"`.
  package private(set) var lines: [String] = []
  private var currentStore: String?

  /// Compares two lines, each a reply to a `snapshot` or what `podflux snapshot` has printed.
  ///
  /// - Throws: What is wrong with the first line that is no snapshot, and which of the two it is: 0 or 1.
  package init(_ before: [UInt8], _ after: [UInt8]) throws(Unreadable) {
    let (before, after) = (try Self.read(before, number: 0), try Self.read(after, number: 1))
    compare(before.revision, after.revision, of: nil, at: "revision")
    let names = Set(before.stores.keys).union(after.stores.keys).sorted()
    for name in names { compare(before.stores[name], after.stores[name], of: name, at: "") }
  }

  /// A line is no snapshot.
  package struct Unreadable: Error {
    /// Which of the two it is: 0 or 1.
    package var number: Int
    /// Why the snapshot cannot be read, in one sentence.
    package var reason: String

    /// Makes a complaint.
    package init(number: Int, reason: String) {
      self.number = number
      self.reason = reason
    }
  }

  private struct Snapshot {
    var revision: JSONValue?
    var stores: [String: JSONValue] = [:]
  }

  private static func read(_ line: [UInt8], number: Int) throws(Unreadable) -> Snapshot {
    var reader = JSONReader(line)
    let document = reader.readDocument()
    if let fault = document.fault { throw Unreadable(number: number, reason: fault.message) }
    guard case .object(let payload) = document.object["payload"], document.object["type"] == .string("ok") else {
      throw Unreadable(number: number, reason: "the line is not the answer to a snapshot: it has no payload")
    }
    var snapshot = Snapshot()
    if case .object(let meta) = document.object["meta"] { snapshot.revision = meta["revision"] }
    for member in payload.members { snapshot.stores[member.key] = member.value }
    return snapshot
  }

  // MARK: Comparing

  private mutating func compare(_ before: JSONValue?, _ after: JSONValue?, of store: String?, at path: String) {
    guard before != after else { return }
    switch (before, after) {
    case (.object(let before), .object(let after)):
      for key in Set((before.members + after.members).map(\.key)).sorted() {
        compare(before[key], after[key], of: store, at: path.isEmpty ? key : "\(path).\(key)")
      }
    case (.array(let before), .array(let after)):
      if let (names, changed) = Self.named(before, after) {
        compare(names, changed, of: store, at: path)
      } else {
        for index in 0..<max(before.count, after.count) {
          compare(
            index < before.count ? before[index] : nil, index < after.count ? after[index] : nil, of: store,
            at: "\(path)[\(index)]")
        }
      }
    case (nil, let after?): note("+ \(path): \(after.text)", of: store)
    case (let before?, nil): note("- \(path): \(before.text)", of: store)
    default: note("\(path): \(before?.text ?? "") → \(after?.text ?? "")", of: store)
    }
  }

  /// A list whose elements have names.
  private struct NamedList {
    var names: [String] = []
    var elements: [String: JSONValue] = [:]
  }

  private static func named(_ before: [JSONValue], _ after: [JSONValue]) -> (NamedList, NamedList)? {
    for key in ["id", "name"] {
      if let before = list(before, by: key), let after = list(after, by: key) { return (before, after) }
    }
    return nil
  }

  private static func list(_ values: [JSONValue], by key: String) -> NamedList? {
    var list = NamedList()
    for value in values {
      guard case .object(let object) = value, case .string(let name) = object[key],
        list.elements.updateValue(value, forKey: name) == nil
      else { return nil }
      list.names.append(name)
    }
    return list
  }

  private mutating func compare(_ before: NamedList, _ after: NamedList, of store: String?, at path: String) {
    for name in before.names where after.elements[name] == nil { note("- \(path) \(name)", of: store) }
    for name in before.names {
      guard let element = after.elements[name] else { continue }
      compare(before.elements[name], element, of: store, at: "\(path) \(name)")
    }
    for name in after.names where before.elements[name] == nil {
      note("+ \(path) \(name): \(after.elements[name]?.text ?? "")", of: store)
    }
    let (left, right) = (
      before.names.filter { after.elements[$0] != nil }, after.names.filter { before.elements[$0] != nil }
    )
    if left != right { note("\(path): in another order", of: store) }
  }

  private mutating func note(_ line: String, of store: String?) {
    if store != currentStore, let store { lines.append(store) }
    currentStore = store
    lines.append(store == nil ? line : "  " + line)
  }
}

extension JSONValue {
  /// As JSON, keys in their order.
  fileprivate var text: String {
    switch self {
    case .null: return "null"
    case .boolean(let value): return value ? "true" : "false"
    case .integer(let value): return "\(value)"
    case .number(let value): return "\(value)"
    case .string(let value):
      var writer = JSONWriter()
      writer.element(value)
      return String(decoding: writer.bytes, as: UTF8.self)
    case .array(let values): return "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let object):
      return "{" + object.members.map { "\(Self.string($0.key).text):\($0.value.text)" }.joined(separator: ",") + "}"
    }
  }
}
