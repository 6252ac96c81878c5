import PodfluxCore

/// The members of an object of which every key is known.
struct Fields {
  let object: JSONObject
  let path: String

  /// Refuses an object with any other key than these.
  init(_ object: JSONObject, at path: String, knowing known: [String]) throws(Refusal) {
    self.object = object
    self.path = path
    for member in object.members where !known.contains(member.key) {
      let known = known.filter(PayloadDescriber.isShown)
      let list = known.isEmpty ? "leave it empty" : "known are " + known.joined(separator: ", ")
      throw Refusal(
        .unknownField, "there is no field \"\(member.key.clipped)\" here; \(list)",
        path: JSONPathPart.key(member.key).appended(to: path))
    }
  }

  /// The value of a key; nil if it is not there.
  subscript(key: String) -> Field? {
    object[key].map { Field(value: $0, container: path, part: .key(key)) }
  }

  /// The value of a key that must be there.
  func required(_ key: String) throws(Refusal) -> Field {
    guard let field = self[key] else {
      throw Refusal(.missingField, "\"\(key)\" is missing; give it", path: JSONPathPart.key(key).appended(to: path))
    }
    return field
  }
}

/// A value and where it stands.
struct Field {
  let value: JSONValue
  let container: String
  let part: JSONPathPart

  /// Where it stands: `payload.ids[3]`.
  var path: String { part.appended(to: container) }

  func refusal(_ code: Refusal.Code, _ message: String) -> Refusal {
    Refusal(code, message, path: path)
  }

  /// The value is of the right kind or not, but in any case not this.
  func mustBe(_ expected: String) -> Refusal {
    refusal(.invalidValue, "\(path) must be \(expected)")
  }

  private func mustBe(kind expected: String) -> Refusal {
    refusal(.invalidValue, "\(path) must be \(expected), not \(value.kindName)")
  }
}

// MARK: - Kinds of values

extension Field {
  func string() throws(Refusal) -> String {
    guard case .string(let string) = value else { throw mustBe(kind: "a string") }
    return string
  }

  func boolean() throws(Refusal) -> Bool {
    guard case .boolean(let boolean) = value else { throw mustBe(kind: "true or false") }
    return boolean
  }

  func object() throws(Refusal) -> JSONObject {
    guard case .object(let object) = value else { throw mustBe(kind: "an object") }
    return object
  }

  /// The elements of an array of at most so many.
  func elements(atMost limit: Int) throws(Refusal) -> [Field] {
    guard case .array(let values) = value else { throw mustBe(kind: "an array") }
    guard values.count <= limit else {
      throw refusal(.limitExceeded, "\(path) has \(values.count) elements; give at most \(limit)")
    }
    let path = path
    return values.enumerated().map { Field(value: $1, container: path, part: .index($0)) }
  }

  /// A number written without fraction and exponent.
  func integer(in range: ClosedRange<Int64>) throws(Refusal) -> Int64 {
    let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
    guard case .integer(let integer) = value else { throw mustBe(kind: expected) }
    guard range.contains(integer) else { throw mustBe(expected) }
    return integer
  }

  /// A number written without fraction and exponent.
  func integer(in range: ClosedRange<Int>) throws(Refusal) -> Int {
    Int(try integer(in: Int64(range.lowerBound)...Int64(range.upperBound)))
  }

  /// Any number.
  func number(in range: ClosedRange<Double>) throws(Refusal) -> Double {
    let expected = "a number from \(range.lowerBound) to \(range.upperBound)"
    let number: Double
    switch value {
    case .integer(let integer): number = Double(integer)
    case .number(let fraction): number = fraction
    default: throw mustBe(kind: expected)
    }
    guard range.contains(number) else { throw mustBe(expected) }
    return number
  }

  /// The value, which must be one of these names.
  func name(among names: [String]) throws(Refusal) -> String {
    let name = try string()
    guard names.contains(name) else { throw mustBe("one of " + names.joined(separator: ", ")) }
    return name
  }

  /// The choice with this name.
  func choice<Choice: RawRepresentable<String>>(of choices: [Choice]) throws(Refusal) -> Choice {
    let name = try string()
    guard let choice = choices.first(where: { $0.rawValue == name }) else {
      throw mustBe("one of " + choices.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  /// The name of any of an enumeration.
  func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(Refusal) -> Choice {
    try choice(of: Array(Choice.allCases))
  }
}
