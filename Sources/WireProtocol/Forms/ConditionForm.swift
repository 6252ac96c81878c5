import PodfluxCore
import Texts

/// The keys of one object that say a condition, each what it says: the keys are joined by AND.
///
/// An object has each key once. What wants a key that is taken already is said as what is excluded: to meet a part is
/// not to meet what excludes it.
///
/// | condition | said as |
/// |---|---|
/// | a and b | a and not (not b) |
/// | not a, and not b | not (a or b) |
protocol ConditionForm: FormedPayload {
  associatedtype Condition: ExcludableCondition

  var any: [Condition]? { get set }
  var not: Condition? { get set }
  /// What is excluded and has no key as yet.
  var excluded: [Condition] { get set }

  /// What each key says, in the same order for the same keys.
  var parts: [Condition?] { get }
  /// Says a part under its key.
  mutating func add(_ part: Condition)
}

/// A condition that others are made of.
protocol ExcludableCondition: Sendable {
  static func all(_ conditions: [Self]) -> Self
  static func any(_ conditions: [Self]) -> Self
  static func not(_ condition: Self) -> Self
}

extension Condition: ExcludableCondition {}
extension EpisodeCondition: ExcludableCondition {}

extension ConditionForm {
  init(_ condition: Condition) {
    self = Self.template
    add(condition)
    if let first = excluded.first { not = excluded.count == 1 ? first : .any(excluded) }
  }

  /// A key that is alone is the condition. It can be written down again as what it was read from.
  var condition: Condition {
    let parts = parts.compactMap(\.self)
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  mutating func say<Value>(_ value: Value, as key: WritableKeyPath<Self, Value?>, of part: Condition) {
    if self[keyPath: key] == nil { self[keyPath: key] = value } else { excluded.append(.not(part)) }
  }

  /// Says a range, of which each end has a key.
  mutating func say<End>(
    _ ends: (End?, End?), as keys: (WritableKeyPath<Self, End?>, WritableKeyPath<Self, End?>), of part: Condition
  ) {
    guard ends.0 == nil || self[keyPath: keys.0] == nil, ends.1 == nil || self[keyPath: keys.1] == nil else {
      return excluded.append(.not(part))
    }
    if let least = ends.0 { self[keyPath: keys.0] = least }
    if let most = ends.1 { self[keyPath: keys.1] = most }
  }
}

extension ValueForm {
  /// A condition that stands in no other one.
  static func condition<Form: ConditionForm>(
    _ kind: String, by form: Form.Type
  ) -> Self where Value == Form.Condition {
    let part = part(by: form)
    return Self(
      kind, ValueForm<Form>.object.schema,
      read: { f throws(Refusal) in
        var count = ConditionCount(path: f.path)
        try count.add(f, depth: 1)
        return try part.read(f)
      }, write: part.write)
  }

  /// A condition that stands in another one of this form, so that it is counted there.
  static func part<Form: ConditionForm>(by form: Form.Type) -> Self where Value == Form.Condition {
    Self(
      "a condition", .definition(Form.definition ?? ""),
      read: { f throws(Refusal) in try Form(f.object(), at: f.path).condition },
      write: { condition, writer in
        var form = Form(condition)
        writer.object { form.exchange(with: &$0) }
      })
  }

  /// Conditions of which one is to be met.
  static func alternatives<Form: ConditionForm>(by form: Form.Type) -> Self where Value == [Form.Condition] {
    let (part, limit) = (ValueForm<Form.Condition>.part(by: form), Condition.Limits.parts)
    return Self(
      "1 to \(limit) conditions", .array(of: part.schema, count: 1...limit),
      read: { f throws(Refusal) in
        var conditions: [Form.Condition] = []
        for element in try f.alternatives(atMost: limit) { conditions.append(try part.read(element)) }
        return conditions
      }, write: { $1.elements($0, part.write) })
  }
}

extension ConditionCount {
  /// Counts the keys of a condition, and of those that stand in it.
  fileprivate mutating func add(_ field: Field, depth: Int) throws(Refusal) {
    let (object, path) = (try field.object(), field.path)
    try Self.check(depth: depth, at: path)
    try add(max(1, object.members.count))
    if let not = object["not"] { try add(Field(value: not, container: path, part: .key("not")), depth: depth + 1) }
    guard let any = object["any"] else { return }
    let alternatives = Field(value: any, container: path, part: .key("any"))
    for element in try alternatives.alternatives(atMost: Condition.Limits.parts) { try add(element, depth: depth + 1) }
  }
}

// MARK: - Values

extension ValueForm {
  /// A value, or an array of values of which one is to be met.
  static func oneOrMore<Element>(of element: ValueForm<Element>) -> Self where Value == [Element] {
    let limit = Condition.Limits.values
    return Self(
      element.kind + ", or an array of them", .oneOrMore(of: element.schema, atMost: limit),
      read: { f throws(Refusal) in
        guard case .array = f.value else { return [try element.read(f)] }
        var values: [Element] = []
        for value in try f.alternatives(atMost: limit) { values.append(try element.read(value)) }
        return values
      }, write: { $1.elements($0, element.write) })
  }

  /// Names of an enumeration of which one is to be met, each once and in the order in which they came.
  static func choices<Choice: RawRepresentable<String> & CaseIterable & Hashable & Sendable>() -> Self
  where Value == [Choice] {
    let names = oneOrMore(of: ValueForm<Choice>.choice)
    return Self(
      names.kind, names.schema,
      read: { f throws(Refusal) in
        var known: Set<Choice> = []
        return try names.read(f).filter { known.insert($0).inserted }
      }, write: names.write)
  }
}

extension ValueForm<String> {
  /// A URL as items show it, also one of a feed that cannot be fetched.
  static var shownAddress: Self {
    Self(
      "an http or https URL", .definition("url"),
      read: { f throws(Refusal) in try ValueForm<WebAddress>.foreignAddress.read(f).redacted },
      write: { $1.element($0) })
  }

  /// A text that titles contain.
  static var titlePart: Self {
    Self(
      "text of 1 to \(Condition.Limits.textBytes) bytes", .definition("searchText"),
      read: { f throws(Refusal) in
        let text = try f.text(ofBytes: 1...Condition.Limits.textBytes)
        // Each title has it.
        guard !FoldedText.of(text).isEmpty else { throw f.mustBe("a text with a character that can be seen") }
        return text
      }, write: { $1.element($0) })
  }
}

extension ValueForm<Timestamp> {
  static var moment: Self {
    Self(
      "a date and time of RFC 3339", .definition("inputMoment"), read: { f throws(Refusal) in try f.moment() },
      write: { $1.value($0) })
  }
}

extension ValueForm<Int> {
  /// How many days ago.
  static var days: Self { whole(in: Condition.Limits.days) }
}

extension Field {
  /// The elements of an array of at least one and at most so many: nothing is met by none of them, so that no array is
  /// empty but by mistake.
  fileprivate func alternatives(atMost limit: Int) throws(Refusal) -> [Field] {
    let elements = try elements(atMost: limit)
    guard !elements.isEmpty else { throw mustBe("at least one alternative; leave the key out to allow everything") }
    return elements
  }
}
