import PodfluxCore
import Testing

@testable import WireProtocol

/// What the schema says of clients' lines and of values, made from their declarations.
extension ProtocolSchema {
  /// Lets the schema say of a request what its form says: the line, its payload, and the objects in that with a name.
  ///
  /// Lines with equal payloads share a definition.
  mutating func declare(_ form: RequestForm) throws {
    var line = line(of: form.type) ?? Self.line(form.type, payload: Self.payload(of: form.type))
    let required = ["type"] + (form.schema.needsMembers ? ["payload"] : [])
    line = line.replacing("required", with: .array(required.map(JSONValue.string)))
    let name = try #require(Self.payloadDefinition(of: line), "\(form.type) has a payload without a definition")
    try define(name, as: payload(form.schema, naming: form.keys))
    try define(objectsIn: form.schema)
    replace(line, of: form.type)
  }

  /// Lets the schema say of a fact's payload what its form says.
  mutating func declare(fact form: ActionForm) throws {
    try define(objectsIn: form.schema)
    try define(Self.payload(of: form.type), as: payload(form.schema, naming: form.keys.sorted()))
  }

  /// Lets the schema say what payload each action and announcement of the stream has.
  mutating func declareStream(of types: [String]) throws {
    try declare("actionType", as: .choice(types))
    let payloads = types.compactMap { type -> JSONValue? in
      guard
        let payload = line(of: type)?["properties"]?.object["payload"]
          ?? self[Self.payload(of: type)].map({ _ in JSONValue.reference(Self.payload(of: type)) })
      else {
        #expect(Self.journal.contains(type), "\(type) has no payload")
        return nil
      }
      return .members([
        ("if", .properties([("type", .members([("const", .string(type))]))])),
        ("then", .properties([("payload", payload)])),
      ])
    }
    let action = try #require(self["action"]?.object)
    self["action"] = .object(action.replacing("allOf", with: .array(payloads)))
  }

  /// What a journal has besides actions.
  static let journal = ["engine/closed", "engine/continued", "engine/opened"]

  private static func payload(of type: String) -> String { type.replacing("/", with: ".") }

  /// Lets a definition say what values there are.
  mutating func declare(_ name: String, as schema: ValueSchema) throws {
    try define(name, as: value(schema, isDefinition: true))
  }

  /// Lets a definition say what strings there are, and that null may be there instead.
  mutating func declare(_ name: String, asNullOr schema: ValueSchema) throws {
    let types = JSONValue.array([.string("string"), .string("null")])
    self[name] = .object(try value(schema).object.replacing("type", with: types))
  }

  /// Lets the schema say that a whole item has each of these keys, all that a query can ask for.
  mutating func declare(_ name: String, asAllOf shown: String, _ keys: [String]) throws {
    let values = try #require(self[shown]?.object["properties"]?.object)
    #expect(Set(values.members.map(\.key)) == Set(keys), "\(shown) says which values each key has")
    let item = try #require(self[name]?.object)
    self[name] = .object(item.replacing("required", with: .array(keys.map(JSONValue.string))))
  }

  private mutating func define(objectsIn schema: PayloadSchema) throws {
    for member in schema.members {
      let value = if case .array(let element, _, _) = member.schema { element } else { member.schema }
      guard case .object(let object, let name) = value else { continue }
      if let name { try define(name, as: payload(object, naming: object.members.map(\.key))) }
      try define(objectsIn: object)
    }
  }

  private mutating func define(_ name: String, as value: JSONValue) throws {
    var value = value
    if let description = self[name]?.object["description"] {
      value = .members([("description", description)] + value.membersOfObject)
    }
    #expect(declared[name] == nil || declared[name] == value, "two actions share \(name), and their forms differ")
    declared[name] = value
    self[name] = value
  }

  private func payload(_ schema: PayloadSchema, naming keys: [String]) throws -> JSONValue {
    let members = keys.compactMap { key in schema.members.first { $0.key == key } }
    let required = members.filter { $0.presence != .optional }.map { JSONValue.string($0.key) }
    return .members(
      [
        ("type", .string("object")),
        ("properties", .members(try members.map { ($0.key, try property($0)) })),
        ("required", .array(required)), ("additionalProperties", .boolean(false)),
      ] + schema.rules.map(\.keyword))
  }

  private func property(_ member: PayloadDescriber.Member) throws -> JSONValue {
    let value = try value(member.schema)
    guard !PayloadDescriber.isShown(member.key) else { return value }
    return .members([("description", .string("The engine's own; clients leave it out."))] + value.membersOfObject)
  }

  /// - Parameter isDefinition: Whether it is not to be another definition's name.
  private func value(_ schema: ValueSchema, isDefinition: Bool = false) throws -> JSONValue {
    switch schema {
    case .anything: return .members([])
    case .nothing: return .boolean(false)
    case .definition(let name):
      #expect(self[name] != nil, "there is no definition \(name)")
      return .reference(name)
    case .boolean: return .members([("type", .string("boolean"))])
    case .onlyTrue: return .members([("const", .boolean(true))])
    case .integer(let range): return .integers(range)
    case .number(let range): return .numbers(range)
    case .string(let lengths, let pattern):
      return .members(
        [("type", .string("string"))] + (lengths.map { Self.bounds($0, "Length") } ?? [])
          + (pattern.map { [("pattern", .string($0))] } ?? []))
    case .choice(let names):
      let choice = JSONValue.members([("enum", .array(names.map(JSONValue.string)))])
      return isDefinition ? choice : definition(of: choice).map(JSONValue.reference) ?? choice
    case .array(let element, let count, let included):
      return .members(
        [("type", .string("array")), ("items", try value(element))] + Self.bounds(count, "Items")
          + (included.map { [("contains", .members([("const", .string($0))]))] } ?? []))
    case .oneOrMore(let element, let limit):
      return .members([
        ("if", .members([("type", .string("array"))])), ("then", try value(.array(of: element, count: 1...limit))),
        ("else", try value(element)),
      ])
    case .object(_, let name?): return .reference(name)
    case .object(let object, nil): return try payload(object, naming: object.members.map(\.key))
    }
  }

  private static func bounds(_ range: ClosedRange<Int>, _ what: String) -> [(String, JSONValue)] {
    (range.lowerBound == 0 ? [] : [("min" + what, .integer(Int64(range.lowerBound)))])
      + [("max" + what, .integer(Int64(range.upperBound)))]
  }

  // MARK: Lines

  private static func line(_ type: String, payload: String) -> JSONObject {
    JSONValue.members([
      ("type", .string("object")),
      (
        "properties",
        .members([
          ("type", .members([("const", .string(type))])), ("payload", .reference(payload)),
          ("error", .members([("const", .boolean(false))])), ("meta", .reference("inputMeta")),
        ])
      ),
      ("required", .array([])), ("additionalProperties", .boolean(false)),
    ]).object
  }

  private static func payloadDefinition(of line: JSONObject) -> String? {
    guard case .string(let reference)? = line["properties"]?.object["payload"]?.object["$ref"] else { return nil }
    return String(reference.dropFirst("#/$defs/".count))
  }
}

extension MemberRule {
  fileprivate var keyword: (String, JSONValue) {
    switch self {
    case .one(let keys, _): ("oneOf", .array(keys.map { .requiring([$0]) }))
    case .any(let keys): ("anyOf", .array(keys.map { .requiring([$0]) }))
    case .atMostOne(let keys, _): ("not", Self.anyPair(of: keys))
    }
  }

  private static func anyPair(of keys: [String]) -> JSONValue {
    let pairs = keys.indices.flatMap { first in
      keys[(first + 1)...].map { JSONValue.requiring([keys[first], $0]) }
    }
    return pairs.count == 1 ? pairs[0] : .members([("anyOf", .array(pairs))])
  }
}

extension JSONValue {
  fileprivate static func properties(_ properties: [(String, JSONValue)]) -> JSONValue {
    .members([("properties", .members(properties))])
  }

  fileprivate static func requiring(_ keys: [String]) -> JSONValue {
    .members([("required", .array(keys.map(JSONValue.string)))])
  }

  fileprivate var membersOfObject: [(String, JSONValue)] { object.members.map { ($0.key, $0.value) } }
}
