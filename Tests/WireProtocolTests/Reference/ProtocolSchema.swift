import Foundation
import PodfluxCore
import TestSupport

@testable import WireProtocol

/// `Fixtures/protocol.schema.json`, with its members in their order.
struct ProtocolSchema {
  private(set) var document: JSONObject
  /// The definitions that forms have made.
  var declared: [String: JSONValue] = [:]

  init() throws {
    var reader = JSONReader([UInt8](try Data(contentsOf: URL(filePath: LineJudge.schema))))
    let document = reader.readDocument()
    if let fault = document.fault { throw fault }
    self.document = document.object
  }

  /// A definition, by its name.
  subscript(name: String) -> JSONValue? {
    get { document["$defs"]?.object[name] }
    set {
      guard case .object(let definitions) = document["$defs"], let newValue else { return }
      document = document.replacing("$defs", with: .object(definitions.replacing(name, with: newValue)))
    }
  }

  /// All definitions.
  var definitions: [JSONObject.Member] { document["$defs"]?.object.members ?? [] }

  /// What the file is to hold.
  var text: String { document.text(indent: 0) + "\n" }

  /// Writes the file.
  func write() throws {
    try text.write(toFile: LineJudge.schema, atomically: true, encoding: .utf8)
  }

  /// The keys that a payload of this type of line can have and must have; several, where it has several shapes.
  func payloads(of type: String) -> [(keys: Set<String>, required: Set<String>)] {
    guard let payload = line(of: type)?["properties"]?.object["payload"] else { return [] }
    let shape = resolved(payload)
    let shapes = shape["properties"] == nil ? (shape["oneOf"]?.elements ?? []).map(resolved) : [shape]
    return shapes.map { shape in
      let required = (shape["required"]?.elements ?? []).compactMap {
        if case .string(let key) = $0 { key } else { nil }
      }
      return (Set((shape["properties"]?.object ?? JSONObject()).members.map(\.key)), Set(required))
    }
  }

  /// What the schema says of a type of line; it may say it of other types too.
  func line(of type: String) -> JSONObject? {
    lines.map(\.object).first { $0.isLine(of: type) }
  }

  /// Replaces what the schema says of a type of line; at the end, if it says nothing yet.
  mutating func replace(_ line: JSONObject, of type: String) {
    var lines = lines
    if let index = lines.firstIndex(where: { $0.object.isLine(of: type) }) {
      lines[index] = .object(line)
    } else {
      lines.append(.object(line))
    }
    self["input"] = .object((self["input"]?.object ?? JSONObject()).replacing("oneOf", with: .array(lines)))
  }

  private var lines: [JSONValue] { self["input"]?.object["oneOf"]?.elements ?? [] }

  /// The name of the definition that is this value.
  func definition(of value: JSONValue) -> String? {
    definitions.first { $0.value == value }?.key
  }

  private func resolved(_ value: JSONValue) -> JSONObject {
    let object = value.object
    guard case .string(let reference) = object["$ref"] else { return object }
    return resolved(self[String(reference.dropFirst("#/$defs/".count))] ?? .null)
  }

  /// What the schema says of all settings, and of a patch.
  ///
  /// - Parameter others: What an object has beside the settings.
  static func settings(areAllThere: Bool, beside others: [(name: String, schema: JSONValue)] = []) -> JSONValue {
    var properties = JSONObject()
    let settings = Settings.all.map { ($0.name, $0.values.schema(isWhole: areAllThere)) }
    for (name, schema) in (settings + others).sorted(by: { $0.0 < $1.0 }) { _ = properties.insert(schema, for: name) }
    let names = properties.members.map { JSONValue.string($0.key) }
    return .members(
      [
        ("type", .string("object")), ("properties", .object(properties)),
        ("required", .array(areAllThere ? names : [])),
        ("additionalProperties", .boolean(false)),
      ] + (areAllThere ? [] : [("minProperties", .integer(1))]))
  }
}

extension Setting.Values {
  fileprivate func schema(isWhole: Bool) -> JSONValue {
    switch self {
    case .boolean: .members([("type", .string("boolean"))])
    case .integer(Settings.Limits.volume): .reference("byteCount")
    case .integer(let range): .integers(range)
    case .limit(let range): .members([("anyOf", .array([.members([("const", .integer(0))]), .integers(range)]))])
    case .number(let range): .numbers(range)
    case .printable(let lengths):
      .members([
        ("type", .string("string")), ("minLength", .integer(Int64(lengths.lowerBound))),
        ("maxLength", .integer(Int64(lengths.upperBound))), ("pattern", .string("^[ -~]+$")),
      ])
    case .choice(let names): .members([("enum", .array(names.map(JSONValue.string)))])
    case .optionalChoice(let names):
      .members([("enum", .array(names.map(JSONValue.string) + [.null]))])
    case .names(let names):
      .members([
        ("type", .string("array")), ("uniqueItems", .boolean(true)),
        ("items", .members([("enum", .array(names.map(JSONValue.string)))])),
      ])
    case .timeZone:
      .members([
        ("type", .string("string")),
        ("pattern", .string("^[A-Za-z][A-Za-z0-9+_/-]{0,\(NameTimeZone.maximumBytes - 1)}$")),
      ])
    case .nameTemplate:
      .members([("type", .string("string")), ("maxLength", .integer(Int64(NameTemplate.maximumBytes)))])
    case .schedule: .reference("schedule")
    case .networkClasses: .reference(isWhole ? "networkClasses" : "networkClassesPatch")
    }
  }
}

extension JSONValue {
  fileprivate var elements: [JSONValue] { if case .array(let values) = self { values } else { [] } }

  var object: JSONObject { if case .object(let object) = self { object } else { JSONObject() } }

  static func members(_ members: [(String, JSONValue)]) -> JSONValue {
    var object = JSONObject()
    for (key, value) in members { _ = object.insert(value, for: key) }
    return .object(object)
  }

  static func reference(_ name: String) -> JSONValue { .members([("$ref", .string("#/$defs/\(name)"))]) }

  static func integers(_ range: ClosedRange<Int64>) -> JSONValue {
    .members(
      [("type", .string("integer"))] + (range.lowerBound == .min ? [] : [("minimum", .integer(range.lowerBound))])
        + (range.upperBound == .max ? [] : [("maximum", .integer(range.upperBound))]))
  }

  static func numbers(_ range: ClosedRange<Double>) -> JSONValue {
    .members([
      ("type", .string("number")), ("minimum", .shortest(range.lowerBound)), ("maximum", .shortest(range.upperBound)),
    ])
  }

  private static func shortest(_ number: Double) -> JSONValue {
    Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
  }

  /// The value as Python's `json.dumps(value, indent=1)` writes it.
  fileprivate func text(indent: Int) -> String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let text): text.quoted
    case .array(let values): block("[", values.map { $0.text(indent: indent + 1) }, "]", indent)
    case .object(let object): object.text(indent: indent)
    }
  }

  fileprivate func block(_ open: String, _ lines: [String], _ close: String, _ indent: Int) -> String {
    guard !lines.isEmpty else { return open + close }
    let blanks = "\n" + String(repeating: " ", count: indent + 1)
    return open + lines.map { blanks + $0 }.joined(separator: ",") + "\n" + String(repeating: " ", count: indent)
      + close
  }
}

extension JSONObject {
  fileprivate func isLine(of type: String) -> Bool {
    let types = self["properties"]?.object["type"]?.object
    return types?["const"] == .string(type) || types?["enum"]?.elements.contains(.string(type)) ?? false
  }

  func replacing(_ key: String, with value: JSONValue) -> JSONObject {
    var result = JSONObject()
    for member in members { _ = result.insert(member.key == key ? value : member.value, for: member.key) }
    _ = result.insert(value, for: key)
    return result
  }

  fileprivate func text(indent: Int) -> String {
    let lines = members.map { "\($0.key.quoted): \($0.value.text(indent: indent + 1))" }
    return JSONValue.object(self).block("{", lines, "}", indent)
  }
}

extension String {
  fileprivate var quoted: String {
    var writer = JSONWriter()
    writer.element(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
