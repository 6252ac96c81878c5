/// The declaration of one setting: its name, where `Settings` keeps it, and which values it takes.
///
/// `Settings.all` lists every setting. Code that treats all settings alike (storage, patches, checks, lines, schema,
/// documentation) goes through that list and needs no change when a setting is added:
///
///     for setting in Settings.all { print(setting.name, setting.value(in: settings)) }
package struct Setting: Sendable {
  /// The values that a setting takes.
  package enum Values: Hashable, Sendable {
    /// `true` or `false`.
    case boolean
    case integer(ClosedRange<Int64>)
    /// 0, which stands for no limit, or integers of a range.
    case limit(ClosedRange<Int64>)
    case number(ClosedRange<Double>)
    /// Printable ASCII of a number of bytes.
    case printable(bytes: ClosedRange<Int>)
    /// One of these names.
    case choice([String])
    /// One of these names, or none.
    case optionalChoice([String])
    /// `publisher`, or the IANA's name of a time zone.
    case timeZone
    /// A `NameTemplate`, or nothing.
    case nameTemplate
    /// Some of these names, each once, or none.
    case names([String])
    /// Windows of the week.
    case schedule
    /// A policy for each class of networks, and for podcasts.
    case networkClasses
  }

  /// A value of any setting. Names of choices and time zones are texts.
  package enum Value: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    /// None: `null`.
    case null
    case texts([String])
    case schedule([ScheduleWindow])
    case networkClasses(NetworkClasses)
  }

  /// The name in lines and in storage: that of the property.
  package let name: String
  /// The values that it takes.
  package let values: Values
  private let path: PartialKeyPath<Settings> & Sendable
  private let read: @Sendable (Settings) -> Value
  private let write: @Sendable (Value, inout Settings) -> Bool
  private let assign: @Sendable (Settings, inout Settings) -> Void

  private init<Property>(
    _ name: String, _ path: WritableKeyPath<Settings, Property> & Sendable, _ values: Values,
    read: @escaping @Sendable (Property) -> Value, write: @escaping @Sendable (Value) -> Property?
  ) {
    (self.name, self.values, self.path) = (name, values, path)
    self.read = { read($0[keyPath: path]) }
    self.write = { value, settings in
      guard let property = write(value) else { return false }
      settings[keyPath: path] = property
      return true
    }
    assign = { $1[keyPath: path] = $0[keyPath: path] }
  }

  /// The setting's value.
  package func value(in settings: Settings) -> Value { read(settings) }

  /// Sets the setting. Returns `false`, and changes nothing, for a value of another kind or an unknown name; the range
  /// is not checked.
  @discardableResult
  package func set(_ value: Value, in settings: inout Settings) -> Bool { write(value, &settings) }

  /// Gives the setting in some settings the value that it has in others.
  func copy(from source: Settings, to target: inout Settings) { assign(source, &target) }

  /// Whether `Settings` keeps the setting there.
  func isKept(at path: PartialKeyPath<Settings>) -> Bool { self.path == path }
}

extension Setting {
  init(_ name: String, _ path: WritableKeyPath<Settings, Bool> & Sendable) {
    self.init(name, path, .boolean, read: Value.boolean) { if case .boolean(let value) = $0 { value } else { nil } }
  }

  init(_ name: String, _ path: WritableKeyPath<Settings, Int> & Sendable, in range: ClosedRange<Int>) {
    let values = Values.integer(Int64(range.lowerBound)...Int64(range.upperBound))
    self.init(name, path, values, read: { .integer(Int64($0)) }, write: { $0.integer.flatMap(Int.init(exactly:)) })
  }

  init(_ name: String, _ path: WritableKeyPath<Settings, Int64> & Sendable, in range: ClosedRange<Int64>) {
    self.init(name, path, .integer(range), read: Value.integer, write: \.integer)
  }

  init(_ name: String, _ path: WritableKeyPath<Settings, Int64> & Sendable, zeroOrIn range: ClosedRange<Int64>) {
    self.init(name, path, .limit(range), read: Value.integer, write: \.integer)
  }

  init(_ name: String, _ path: WritableKeyPath<Settings, Double> & Sendable, in range: ClosedRange<Double>) {
    self.init(name, path, .number(range), read: Value.number) { if case .number(let value) = $0 { value } else { nil } }
  }

  init(_ name: String, _ path: WritableKeyPath<Settings, String> & Sendable, ofBytes range: ClosedRange<Int>) {
    self.init(name, path, .printable(bytes: range), read: Value.text, write: \.text)
  }

  init<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: WritableKeyPath<Settings, Choice> & Sendable
  ) {
    self.init(
      name, path, .choice(Choice.allCases.map(\.rawValue)), read: { .text($0.rawValue) },
      write: { $0.text.flatMap(Choice.init(rawValue:)) })
  }

  init<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: WritableKeyPath<Settings, Choice?> & Sendable
  ) {
    self.init(
      name, path, .optionalChoice(Choice.allCases.map(\.rawValue)),
      read: { $0.map { Value.text($0.rawValue) } ?? .null },
      write: { value in
        if value == .null { return .some(nil) }
        return value.text.flatMap(Choice.init(rawValue:)).map(Choice?.some)
      })
  }

  init(_ name: String, _ path: WritableKeyPath<Settings, NameTimeZone> & Sendable) {
    self.init(name, path, .timeZone, read: { .text($0.text) }, write: { $0.text.flatMap(NameTimeZone.init) })
  }

  init(_ name: String, _ path: WritableKeyPath<Settings, NameTemplate> & Sendable) {
    self.init(
      name, path, .nameTemplate, read: { .text($0.text) },
      write: { $0.text.flatMap { try? NameTemplate(validating: $0) } })
  }

  init(_ name: String, _ path: WritableKeyPath<Settings, SidecarKinds> & Sendable) {
    self.init(name, path, .names(SidecarKind.allCases.map(\.rawValue)), read: { .texts($0.names) }) {
      if case .texts(let names) = $0 { SidecarKinds(names: names) } else { nil }
    }
  }

  init(_ name: String, _ path: WritableKeyPath<Settings, [ScheduleWindow]> & Sendable) {
    self.init(name, path, .schedule, read: Value.schedule) { if case .schedule(let value) = $0 { value } else { nil } }
  }

  init(_ name: String, _ path: WritableKeyPath<Settings, NetworkClasses> & Sendable) {
    self.init(name, path, .networkClasses, read: Value.networkClasses) {
      if case .networkClasses(let value) = $0 { value } else { nil }
    }
  }
}

extension Setting.Value {
  fileprivate var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  fileprivate var text: String? { if case .text(let value) = self { value } else { nil } }
}

extension Setting.Values {
  /// Whether a value of the right kind is among them.
  func contain(_ value: Setting.Value) -> Bool {
    switch (self, value) {
    case (.integer(let range), .integer(let value)): range.contains(value)
    case (.limit(let range), .integer(let value)): value == 0 || range.contains(value)
    case (.number(let range), .number(let value)): range.contains(value)
    case (.printable(let lengths), .text(let value)): lengths.contains(value.utf8.count) && value.isPrintableASCII
    case (.choice(let names), .text(let value)), (.optionalChoice(let names), .text(let value)): names.contains(value)
    case (.optionalChoice, .null): true
    case (.timeZone, .text(let value)): NameTimeZone(value) != nil
    case (.nameTemplate, .text(let value)): (try? NameTemplate(validating: value)) != nil
    case (.names(let known), .texts(let names)): names.allSatisfy(known.contains) && Set(names).count == names.count
    case (.schedule, .schedule(let windows)):
      windows.count <= ScheduleWindow.maximumCount && windows.allSatisfy(\.isWithinLimits)
    case (.networkClasses, .networkClasses(let classes)): classes.isWithinLimits
    case (.boolean, .boolean): true
    default: false
    }
  }

  /// What a value must be to be among them, in words.
  package var requirement: String {
    switch self {
    case .boolean: "true or false"
    case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .limit(let range): "0 for no limit, or an integer from \(range.lowerBound) to \(range.upperBound)"
    case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .printable(let lengths): "\(lengths.lowerBound) to \(lengths.upperBound) printable ASCII characters"
    case .choice(let names): "one of " + names.joined(separator: ", ")
    case .optionalChoice(let names): "one of " + names.joined(separator: ", ") + ", or null"
    case .timeZone: "publisher, or the IANA's name of a time zone such as Europe/Vienna"
    case .nameTemplate: "a template for names such as {podcast}/[{date} ]{title}, or an empty text"
    case .names(let names): "an array of some of " + names.joined(separator: ", ") + ", each of them once, or of none"
    case .schedule: "at most \(ScheduleWindow.maximumCount) windows of the week, each of them within its limits"
    case .networkClasses: "classes of which user, auto, feeds and artwork have a policy other than inherit"
    }
  }
}

extension String {
  /// Whether the text has no other characters than ASCII's from space to tilde.
  package var isPrintableASCII: Bool {
    utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
