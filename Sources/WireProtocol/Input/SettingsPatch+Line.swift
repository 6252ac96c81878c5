import PodfluxCore

/// Settings in lines, as `Settings.all` declares them.
extension SettingsPatch {
  private static let keys = Settings.byName.map(\.name)

  init(_ fields: Fields) throws(Refusal) {
    try MemberRule.any(of: Self.keys).check(fields)
    self.init()
    for setting in Settings.all {
      guard let field = fields[setting.name] else { continue }
      switch setting.values {
      case .networkClasses: network = try NetworkClasses.Patch(field)
      default: set(setting, to: try field.value(among: setting.values))
      }
    }
  }
}

extension Settings {
  /// The settings in the order of lines.
  static let byName = all.sorted { $0.name < $1.name }
}

extension Field {
  fileprivate func value(among values: Setting.Values) throws(Refusal) -> Setting.Value {
    switch values {
    case .boolean: .boolean(try boolean())
    case .integer(let range): .integer(try integer(in: range))
    case .limit(let range): .integer(try limit(in: range))
    case .number(let range): .number(try number(in: range))
    case .printable(let lengths): .text(try printable(ofBytes: lengths))
    case .choice(let names): .text(try name(among: names))
    case .optionalChoice(let names): try optionalName(among: names)
    case .timeZone: .text(try nameTimeZone().text)
    case .nameTemplate: .text(try nameTemplate().text)
    case .names(let names): .texts(try self.names(among: names))
    case .schedule: .schedule(try schedule())
    case .networkClasses: preconditionFailure("a patch changes classes of networks one by one")
    }
  }

  private func optionalName(among names: [String]) throws(Refusal) -> Setting.Value {
    switch value {
    case .null: return .null
    case .string(let name) where names.contains(name): return .text(name)
    default: throw mustBe(Setting.Values.optionalChoice(names).requirement)
    }
  }

  private func names(among known: [String]) throws(Refusal) -> [String] {
    let refusal = mustBe(Setting.Values.names(known).requirement)
    guard case .array = value else { throw refusal }
    var names: [String] = []
    for element in try elements(atMost: known.count) {
      guard case .string(let name) = element.value, known.contains(name), !names.contains(name) else { throw refusal }
      names.append(name)
    }
    return names
  }

  private func limit(in range: ClosedRange<Int64>) throws(Refusal) -> Int64 {
    guard case .integer(let limit) = value, limit == 0 || range.contains(limit) else {
      throw mustBe(Setting.Values.limit(range).requirement)
    }
    return limit
  }

  private func printable(ofBytes lengths: ClosedRange<Int>) throws(Refusal) -> String {
    let text = try string()
    guard lengths.contains(text.utf8.count), text.isPrintableASCII else {
      throw mustBe(Setting.Values.printable(bytes: lengths).requirement)
    }
    return text
  }

  /// The codec cannot know which time zones the machine has.
  private func nameTimeZone() throws(Refusal) -> NameTimeZone {
    guard let zone = NameTimeZone(try string()) else {
      throw mustBe(Setting.Values.timeZone.requirement)
    }
    return zone
  }
}

extension JSONWriter {
  /// All settings, as a snapshot shows them.
  mutating func members(of settings: Settings) {
    for setting in Settings.byName { member(setting, setting.value(in: settings)) }
  }

  /// The settings that a patch changes.
  mutating func members(of patch: SettingsPatch) {
    for setting in Settings.byName {
      if setting.values == .networkClasses {
        guard let network = patch.network else { continue }
        key(named: setting.name)
        object { $0.members(of: network) }
      } else if let value = patch.value(of: setting) {
        member(setting, value)
      }
    }
  }

  private mutating func member(_ setting: Setting, _ value: Setting.Value) {
    key(named: setting.name)
    switch value {
    case .boolean(let value): self.value(value)
    case .integer(let value): self.value(value)
    case .number(let value): self.value(value)
    case .text(let text): element(text)
    case .null: self.value(nil as Int64?)
    case .texts(let texts): elements(texts) { $1.element($0) }
    case .schedule(let windows): self.value(windows)
    case .networkClasses(let classes): object { $0.members(of: classes) }
    }
  }
}
