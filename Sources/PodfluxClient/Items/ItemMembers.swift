import Flux
import PodfluxCore
import WireProtocol

/// The members of an item, by the fields that a query can ask for: their names are those of the enumeration.
struct ItemMembers<Field: RawRepresentable<String>> {
  let json: JSONObject

  func string(_ field: Field) throws(MalformedLine) -> String? { try json.string(field.rawValue) }
  func integer(_ field: Field) throws(MalformedLine) -> Int64? { try json.integer(field.rawValue) }
  func boolean(_ field: Field) throws(MalformedLine) -> Bool? { try json.boolean(field.rawValue) }
  func moment(_ field: Field) throws(MalformedLine) -> Timestamp? { try json.moment(field.rawValue) }
  func object(_ field: Field) throws(MalformedLine) -> JSONObject? { try json.object(field.rawValue) }
  func failure(_ field: Field) throws(MalformedLine) -> Failure? { try Failure(member: field.rawValue, of: json) }

  func choice<Choice: RawRepresentable<String>>(_ field: Field) throws(MalformedLine) -> Choice? {
    try json.choice(field.rawValue)
  }

  /// A text that must be there.
  func required(_ field: Field) throws(MalformedLine) -> String {
    try json.required(field.rawValue, JSONObject.string)
  }
}
