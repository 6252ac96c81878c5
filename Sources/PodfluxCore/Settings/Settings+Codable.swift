/// The stored form: an object with a member for each setting.
extension Settings: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
  }

  /// Reads stored settings. A setting that is newer than they are has its default; an unknown member is ignored.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    self.init()
    for setting in Self.all {
      let name = Name(stringValue: setting.name)
      guard let value = try container.value(of: setting, forKey: name) else { continue }
      guard setting.set(value, in: &self) else {
        throw DecodingError.dataCorruptedError(
          forKey: name, in: container, debugDescription: "\(setting.name) does not take this value")
      }
    }
  }

  /// Writes every setting.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for setting in Self.all {
      let name = Name(stringValue: setting.name)
      switch setting.value(in: self) {
      case .boolean(let value): try container.encode(value, forKey: name)
      case .integer(let value): try container.encode(value, forKey: name)
      case .number(let value): try container.encode(value, forKey: name)
      case .text(let value): try container.encode(value, forKey: name)
      case .null: try container.encodeNil(forKey: name)
      case .texts(let value): try container.encode(value, forKey: name)
      case .schedule(let value): try container.encode(value, forKey: name)
      case .networkClasses(let value): try container.encode(value, forKey: name)
      }
    }
  }
}

extension KeyedDecodingContainer {
  /// The stored value of a setting; nil if there is none.
  fileprivate func value(of setting: Setting, forKey key: Key) throws -> Setting.Value? {
    switch setting.values {
    case .boolean: try decodeIfPresent(Bool.self, forKey: key).map(Setting.Value.boolean)
    case .integer, .limit: try decodeIfPresent(Int64.self, forKey: key).map(Setting.Value.integer)
    case .number: try decodeIfPresent(Double.self, forKey: key).map(Setting.Value.number)
    case .printable, .choice, .optionalChoice, .timeZone, .nameTemplate:
      try decodeIfPresent(String.self, forKey: key).map(Setting.Value.text)
    case .names: try decodeIfPresent([String].self, forKey: key).map(Setting.Value.texts)
    case .schedule: try decodeIfPresent([ScheduleWindow].self, forKey: key).map(Setting.Value.schedule)
    case .networkClasses: try decodeIfPresent(NetworkClasses.self, forKey: key).map(Setting.Value.networkClasses)
    }
  }
}
