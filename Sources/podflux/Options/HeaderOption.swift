import ArgumentParser
import WireProtocol

/// A value of `--header`: `Name: value`.
struct HeaderOption: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    guard let colon = argument.firstIndex(of: ":"), colon != argument.startIndex else { return nil }
    name = String(argument[..<colon])
    value = argument[argument.index(after: colon)...].drop { $0 == " " }.description
  }
}

extension [HeaderOption] {
  /// The member of a payload; nil without headers.
  var member: JSONValue? {
    isEmpty ? nil : object(map { (key: $0.name, value: .string($0.value)) })
  }
}

/// The members of a payload that have a value.
func members(_ values: KeyValuePairs<String, JSONValue?>) -> [(key: String, value: JSONValue)] {
  values.compactMap { key, value in value.map { (key, $0) } }
}

/// An object with these members.
func object(_ members: [(key: String, value: JSONValue)]) -> JSONValue {
  .object(JSONObject(members.map { JSONObject.Member(key: $0.key, value: $0.value) }))
}

extension String {
  var json: JSONValue { .string(self) }
}
