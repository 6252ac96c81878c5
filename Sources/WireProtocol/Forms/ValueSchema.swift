/// The JSON values that a form takes, as the protocol's JSON Schema states them.
///
/// It is never stricter than the form's reader: lengths, which readers count in bytes, are characters there, and what
/// only code can tell is left out.
enum ValueSchema: Hashable, Sendable {
  /// What only code can tell.
  case anything
  /// No value: the member has to be left out.
  case nothing
  /// A definition of the schema, by its name.
  case definition(String)
  case boolean
  /// `true`, and nothing else.
  case onlyTrue
  /// An integer; without the ends that are those of 64 bits.
  case integer(ClosedRange<Int64>)
  case number(ClosedRange<Double>)
  /// A string of so many characters, or of any number, that matches a pattern.
  case string(ClosedRange<Int>? = nil, pattern: String? = nil)
  case choice([String])
  /// An array; with a string that has to be among its elements, if there is one.
  indirect case array(of: ValueSchema, count: ClosedRange<Int>, including: String? = nil)
  /// A value, or an array of so many values.
  indirect case oneOrMore(of: ValueSchema, atMost: Int)
  /// An object; as a definition of the schema, if it has a name.
  indirect case object(PayloadSchema, named: String?)

  /// A string of so many characters, none of which is a control character.
  static func text(_ lengths: ClosedRange<Int>) -> Self {
    .string(lengths, pattern: #"^[^\u0000-\u001f\u007f-\u009f]*$"#)
  }

  static func choice(of names: some Sequence<some RawRepresentable<String>>) -> Self { .choice(names.map(\.rawValue)) }
}

/// The members of a payload, or of an object in one, and what they must be together.
struct PayloadSchema: Hashable, Sendable {
  var members: [PayloadDescriber.Member]
  var rules: [MemberRule]

  /// Whether `{}` is none.
  var needsMembers: Bool { members.contains { $0.presence == .required } || rules.contains(where: \.needsMembers) }
}
