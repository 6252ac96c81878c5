/// A JSON value, with nothing of its text lost that a strict reader needs.
package enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  /// Written as an integer, and within `Int64`.
  case integer(Int64)
  /// Any other number: with a fraction, with an exponent, or beyond `Int64` (then perhaps infinite).
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// What the value is, as messages call it.
  package var kindName: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .number: "a number that is no 64-bit integer"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// The members of a JSON object in the order in which they came; no key occurs twice.
package struct JSONObject: Hashable, Sendable {
  /// A key and its value.
  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
      (self.key, self.value) = (key, value)
    }
  }

  package private(set) var members: [Member] = []
  /// The keys of a large object: a line of many keys must not cost their number squared.
  private var keys: Set<String> = []
  /// Up to so many members, comparing with each is faster than hashing.
  private static let fewMembers = 16

  /// The value of a key.
  package subscript(key: String) -> JSONValue? {
    members.first { $0.key == key }?.value
  }

  /// No members.
  package init() {}

  /// Adds a member, unless its key is there already. Returns whether it was added.
  package mutating func insert(_ value: JSONValue, for key: String) -> Bool {
    guard !contains(key) else { return false }
    members.append(Member(key: key, value: value))
    if members.count > Self.fewMembers { keys.insert(key) }
    return true
  }

  private mutating func contains(_ key: String) -> Bool {
    guard members.count >= Self.fewMembers else { return self[key] != nil }
    if keys.isEmpty { keys = Set(members.map(\.key)) }
    return keys.contains(key)
  }
}
