import Flux
import PodfluxCore
import WireProtocol

/// A line, or a part of one, that is not what the protocol says.
package struct MalformedLine: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Members of lines that an engine has sent: each is checked before it is believed. A member that is missing or null is
/// nil.
extension JSONObject {
  package func string(_ key: String) throws(MalformedLine) -> String? {
    switch self[key] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    case let other?: throw Self.mistake(key, "a string", other)
    }
  }

  package func integer(_ key: String) throws(MalformedLine) -> Int64? {
    switch self[key] {
    case nil, .null?: return nil
    case .integer(let number)?: return number
    case let other?: throw Self.mistake(key, "an integer", other)
    }
  }

  package func boolean(_ key: String) throws(MalformedLine) -> Bool? {
    switch self[key] {
    case nil, .null?: return nil
    case .boolean(let value)?: return value
    case let other?: throw Self.mistake(key, "true or false", other)
    }
  }

  package func object(_ key: String) throws(MalformedLine) -> JSONObject? {
    switch self[key] {
    case nil, .null?: return nil
    case .object(let object)?: return object
    case let other?: throw Self.mistake(key, "an object", other)
    }
  }

  package func moment(_ key: String) throws(MalformedLine) -> Timestamp? {
    guard let text = try string(key) else { return nil }
    guard let moment = InternetDate.parse(text) else { throw MalformedLine("\"\(key)\" is no date") }
    return moment
  }

  /// The objects of an array; none if it is missing.
  package func objects(_ key: String) throws(MalformedLine) -> [JSONObject] {
    var objects: [JSONObject] = []
    for value in try array(key) {
      guard case .object(let object) = value else { throw Self.mistake(key, "an array of objects", value) }
      objects.append(object)
    }
    return objects
  }

  /// The texts of an array; none if it is missing.
  package func strings(_ key: String) throws(MalformedLine) -> [String] {
    var texts: [String] = []
    for value in try array(key) {
      guard case .string(let text) = value else { throw Self.mistake(key, "an array of strings", value) }
      texts.append(text)
    }
    return texts
  }

  /// A name of an enumeration; nil too for a name that a later engine may have.
  package func choice<Choice: RawRepresentable<String>>(_ key: String) throws(MalformedLine) -> Choice? {
    try string(key).flatMap(Choice.init(rawValue:))
  }

  /// A member that must be there.
  package func required<Value>(
    _ key: String, _ read: (JSONObject) -> (String) throws(MalformedLine) -> Value?
  ) throws(MalformedLine) -> Value {
    guard let value = try read(self)(key) else { throw MalformedLine("\"\(key)\" is missing") }
    return value
  }

  private func array(_ key: String) throws(MalformedLine) -> [JSONValue] {
    switch self[key] {
    case nil, .null?: return []
    case .array(let values)?: return values
    case let other?: throw Self.mistake(key, "an array", other)
    }
  }

  private static func mistake(_ key: String, _ expected: String, _ value: JSONValue) -> MalformedLine {
    MalformedLine("\"\(key)\" is \(value.kindName) instead of \(expected)")
  }
}
