import PodfluxCore

/// Reads, writes or describes the members of a payload, as the payload's form names them.
///
/// A form is one function, `exchange(with:)` of a payload or `exchanged(with:)` of an enumeration, generic over the
/// coder: `PayloadReader` fills the payload from a line, `JSONWriter` writes it, `PayloadDescriber` lists its members
/// for checks and documentation. So each member is declared once, and each coder gets its own specialized code. A form
/// names its members in the order of the alphabet, in which lines have them.
protocol PayloadCoder {
  /// What can go wrong: a `Refusal` when reading, nothing otherwise.
  associatedtype Fault: Error

  /// The line's type, and one sentence about the action.
  mutating func type(_ type: String, _ sentence: StaticString)

  /// A member that must be there.
  mutating func required<Value>(_ key: String, _ value: inout Value, _ form: ValueForm<Value>) throws(Fault)

  /// A member that may be left out: nil.
  mutating func optional<Value>(_ key: String, _ value: inout Value?, _ form: ValueForm<Value>) throws(Fault)

  /// A member that may be left out, which stands for a value. With that value the line does not have it.
  mutating func optional<Value: Equatable>(
    _ key: String, _ value: inout Value, _ form: ValueForm<Value>, omitting standard: Value
  ) throws(Fault)

  /// A member that may be left out, which stands for a value. Lines of the engine always have it.
  mutating func optional<Value>(
    _ key: String, _ value: inout Value, _ form: ValueForm<Value>, standard: Value
  ) throws(Fault)

  /// A member that repeats for readers of the stream what another one says: written, and not read.
  mutating func derived<Value>(_ key: String, _ value: Value, _ form: ValueForm<Value>)

  /// A member in the form in which the core stores the value.
  mutating func stored<Value: Codable>(_ key: String, _ value: inout Value?) throws(Fault)

  /// The settings that change.
  mutating func settings(_ patch: inout SettingsPatch) throws(Fault)

  /// What the members must be together; a reader checks it.
  mutating func require(_ rule: MemberRule) throws(Fault)

  /// Checks what the members must be together and no rule says; only a reader does.
  func check(_ check: (Fields) throws(Refusal) -> Void) throws(Fault)
}

/// A payload, or an object in one, that has a form.
protocol FormedPayload: Sendable {
  /// Any value; a reader replaces its required members.
  static var template: Self { get }
  /// The names of the members.
  static var keys: [String] { get }
  /// Its name among the definitions of the protocol's schema, if several lines have it.
  static var definition: String? { get }
  /// Exchanges the members with a coder.
  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault)
}

/// How one value is read and written.
struct ValueForm<Value>: Sendable {
  private let describe: @Sendable () -> String
  private let state: @Sendable () -> ValueSchema
  let read: @Sendable (Field) throws(Refusal) -> Value
  let write: @Sendable (Value, inout JSONWriter) -> Void

  init(
    _ kind: @autoclosure @escaping @Sendable () -> String,
    _ schema: @autoclosure @escaping @Sendable () -> ValueSchema,
    read: @escaping @Sendable (Field) throws(Refusal) -> Value,
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    (describe, state, self.read, self.write) = (kind, schema, read, write)
  }

  /// The kind of the value in words, for the reference and for refusals.
  var kind: String { describe() }

  /// What the protocol's schema says of the value.
  var schema: ValueSchema { state() }

  /// An array of values of one form.
  static func array<Element>(
    _ kind: @autoclosure @escaping @Sendable () -> String, of element: ValueForm<Element>, atMost limit: Int
  ) -> Self where Value == [Element] {
    Self(
      kind(), .array(of: element.schema, count: 0...limit),
      read: { f throws(Refusal) in try f.elements(atMost: limit, element.read) },
      write: { values, writer in writer.elements(values, element.write) })
  }
}

// MARK: - Reading

/// Fills a payload from the members of a line.
struct PayloadReader: PayloadCoder {
  let fields: Fields
  /// The line, for members in stored form.
  var line: [UInt8] = []

  mutating func type(_ type: String, _ sentence: StaticString) {}

  mutating func required<Value>(
    _ key: String, _ value: inout Value, _ form: ValueForm<Value>
  ) throws(Refusal) {
    value = try form.read(try fields.required(key))
  }

  mutating func optional<Value>(
    _ key: String, _ value: inout Value?, _ form: ValueForm<Value>
  ) throws(Refusal) {
    guard let field = fields[key] else { return value = nil }
    value = try form.read(field)
  }

  mutating func optional<Value: Equatable>(
    _ key: String, _ value: inout Value, _ form: ValueForm<Value>, omitting standard: Value
  ) throws(Refusal) {
    try optional(key, &value, form, standard: standard)
  }

  mutating func optional<Value>(
    _ key: String, _ value: inout Value, _ form: ValueForm<Value>, standard: Value
  ) throws(Refusal) {
    guard let field = fields[key] else { return value = standard }
    value = try form.read(field)
  }

  mutating func derived<Value>(_ key: String, _ value: Value, _ form: ValueForm<Value>) {}

  mutating func stored<Value: Codable>(_ key: String, _ value: inout Value?) throws(Refusal) {
    guard let field = fields[key] else { return value = nil }
    value = try field.decoded(key, from: line)
  }

  mutating func settings(_ patch: inout SettingsPatch) throws(Refusal) {
    patch = try SettingsPatch(fields)
  }

  mutating func require(_ rule: MemberRule) throws(Refusal) {
    try rule.check(fields)
  }

  func check(_ check: (Fields) throws(Refusal) -> Void) throws(Refusal) {
    try check(fields)
  }
}

// MARK: - Writing

/// Writes the members of a payload.
extension JSONWriter: PayloadCoder {
  mutating func type(_ type: String, _ sentence: StaticString) {
    lineType = type
  }

  mutating func required<Value>(_ key: String, _ value: inout Value, _ form: ValueForm<Value>) {
    self.key(named: key)
    form.write(value, &self)
  }

  mutating func optional<Value>(_ key: String, _ value: inout Value?, _ form: ValueForm<Value>) {
    guard let value else { return }
    self.key(named: key)
    form.write(value, &self)
  }

  mutating func optional<Value: Equatable>(
    _ key: String, _ value: inout Value, _ form: ValueForm<Value>, omitting standard: Value
  ) {
    guard value != standard else { return }
    self.key(named: key)
    form.write(value, &self)
  }

  mutating func optional<Value>(
    _ key: String, _ value: inout Value, _ form: ValueForm<Value>, standard: Value
  ) {
    self.key(named: key)
    form.write(value, &self)
  }

  mutating func derived<Value>(_ key: String, _ value: Value, _ form: ValueForm<Value>) {
    self.key(named: key)
    form.write(value, &self)
  }

  mutating func stored<Value: Codable>(_ key: String, _ value: inout Value?) {
    guard let value else { return }
    member(named: key, encoded: value)
  }

  mutating func settings(_ patch: inout SettingsPatch) {
    members(of: patch)
  }

  mutating func require(_ rule: MemberRule) {}

  func check(_ check: (Fields) throws(Refusal) -> Void) {}
}

// MARK: - Describing

/// Lists the members of a payload.
struct PayloadDescriber: PayloadCoder {
  /// A member of a payload.
  struct Member: Hashable {
    enum Presence: Hashable {
      case required, optional, derived
    }

    var key: String
    var kind: String
    var schema: ValueSchema
    var presence: Presence
  }

  /// The members that only the engine's own lines may have: no message and no table names them to clients.
  static let ownMembers: Set<String> = ["secretReference"]

  /// Whether clients are told of a member.
  static func isShown(_ key: String) -> Bool { !ownMembers.contains(key) }

  /// Whether clients are told of a member, and may give it.
  func isTaken(_ key: String) -> Bool {
    Self.isShown(key) && !members.contains { $0.key == key && $0.schema == .nothing }
  }

  private(set) var type = ""
  private(set) var sentence = ""
  private(set) var members: [Member] = []
  private(set) var rules: [MemberRule] = []

  /// The members and rules recorded so far.
  var schema: PayloadSchema { PayloadSchema(members: members, rules: rules) }

  /// The names of the members; those first that a refusal names first, the others in the order of the alphabet.
  func keys(naming leading: [String]) -> [String] {
    let names = members.map(\.key)
    precondition(leading.allSatisfy(names.contains), "\(type) has no member for each of \(leading)")
    return leading + names.filter { !leading.contains($0) }
  }

  mutating func type(_ type: String, _ sentence: StaticString) {
    (self.type, self.sentence) = (type, sentence.description)
  }

  mutating func required<Value>(_ key: String, _ value: inout Value, _ form: ValueForm<Value>) {
    members.append(Member(key: key, kind: form.kind, schema: form.schema, presence: .required))
  }

  mutating func optional<Value>(_ key: String, _ value: inout Value?, _ form: ValueForm<Value>) {
    members.append(Member(key: key, kind: form.kind, schema: form.schema, presence: .optional))
  }

  mutating func optional<Value: Equatable>(
    _ key: String, _ value: inout Value, _ form: ValueForm<Value>, omitting standard: Value
  ) {
    optional(key, &value, form, standard: standard)
  }

  mutating func optional<Value>(
    _ key: String, _ value: inout Value, _ form: ValueForm<Value>, standard: Value
  ) {
    members.append(Member(key: key, kind: form.kind, schema: form.schema, presence: .optional))
  }

  mutating func derived<Value>(_ key: String, _ value: Value, _ form: ValueForm<Value>) {
    members.append(Member(key: key, kind: form.kind, schema: form.schema, presence: .derived))
  }

  mutating func stored<Value: Codable>(_ key: String, _ value: inout Value?) {
    members.append(Member(key: key, kind: "the stored form", schema: .anything, presence: .optional))
  }

  mutating func settings(_ patch: inout SettingsPatch) {
    members += Settings.byName.map { Member(key: $0.name, kind: "", schema: .anything, presence: .optional) }
  }

  mutating func require(_ rule: MemberRule) {
    rules.append(rule)
  }

  func check(_ check: (Fields) throws(Refusal) -> Void) {}
}

extension FormedPayload {
  static var definition: String? { nil }

  /// The members of the template, for `keys`.
  static var templateKeys: [String] { templateKeys() }

  /// The members of the template, for `keys`; those first that a refusal names first.
  static func templateKeys(naming leading: [String] = []) -> [String] { description.keys(naming: leading) }

  fileprivate static var description: PayloadDescriber {
    var (value, describer) = (template, PayloadDescriber())
    value.exchange(with: &describer)
    return describer
  }

  /// Reads an object.
  init(_ object: JSONObject, at path: String) throws(Refusal) {
    var reader = PayloadReader(fields: try Fields(object, at: path, knowing: Self.keys))
    self = Self.template
    try exchange(with: &reader)
  }
}

extension ValueForm where Value: FormedPayload {
  /// An object that has a form of its own.
  static var object: Self {
    Self(
      "an object of "
        + Value.keys.filter(Value.description.isTaken).map { "`\($0)`" }.joined(separator: ", "),
      .object(Value.description.schema, named: Value.definition),
      read: { field throws(Refusal) in try Value(field.object(), at: field.path) },
      write: { value, writer in
        var value = value
        writer.object { value.exchange(with: &$0) }
      })
  }
}
