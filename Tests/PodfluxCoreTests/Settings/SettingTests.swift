import Foundation
import Testing

@testable import PodfluxCore

@Suite("The declaration of a setting")
struct SettingTests {
  @Test("is there for each property, under its name and in its order")
  func complete() {
    #expect(Settings.all.map(\.name) == Mirror(reflecting: Settings()).children.compactMap(\.label))
  }

  @Test("lets a patch change this setting and no other")
  func patches() {
    for setting in Settings.all {
      let patch = Self.patch(setting)
      let changed = patch.applied(to: Settings())
      for other in Settings.all {
        let isSame = other.value(in: changed) == other.value(in: Settings())
        #expect(isSame == (other.name != setting.name), "\(setting.name), \(other.name)")
      }
      #expect(patch != SettingsPatch())
      #expect(patch.applied(to: changed) == changed)
    }
  }

  @Test("keeps a property and its row together: a patch says of a property what it says of the setting")
  func properties() {
    var patch = SettingsPatch()
    patch.maxFileBytes = 13
    patch.orphans = .delete
    #expect(patch.maxFileBytes == 13)
    #expect(patch.orphans == .delete)
    #expect(patch.checksum == nil)
    let named = Settings.all.filter { patch.value(of: $0) != nil }
    #expect(named.map(\.name) == ["maxFileBytes", "orphans"])
    patch.maxFileBytes = nil
    patch.orphans = nil
    #expect(patch == SettingsPatch())
  }

  @Test("stores each value, and reads it back")
  func storage() throws {
    var settings = Settings()
    for setting in Settings.all { settings = Self.patch(setting).applied(to: settings) }
    let json = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(Settings.self, from: json) == settings)
    let stored = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(Set(stored.keys) == Set(Settings.all.map(\.name)))
  }

  @Test("gives older settings the default, and refuses a value of another kind")
  func older() throws {
    #expect(try JSONDecoder().decode(Settings.self, from: Data("{}".utf8)) == Settings())
    for bad in [#"{"orphans":"keep"}"#, #"{"checksum":1}"#, #"{"maxConcurrent":"4"}"#, #"{"nameTimeZone":""}"#] {
      #expect(throws: DecodingError.self, "\(bad)") { try JSONDecoder().decode(Settings.self, from: Data(bad.utf8)) }
    }
  }

  @Test("takes the default and the ends of its range, and nothing beyond")
  func ranges() {
    #expect(Settings().isWithinLimits)
    for setting in Settings.all {
      for (value, isGood) in Self.edges(of: setting.values) {
        var settings = Settings()
        setting.set(value, in: &settings)
        let keepsRules = Settings.rules.allSatisfy { $0.holds(for: settings) }
        #expect(settings.isWithinLimits == (isGood && keepsRules), "\(setting.name) = \(value)")
      }
    }
  }

  // MARK: Values

  private static func patch(_ setting: Setting) -> SettingsPatch {
    var patch = SettingsPatch()
    if setting.values == .networkClasses {
      patch.network = NetworkClasses.Patch()
      patch.network?.auto = .any
    } else {
      patch.set(setting, to: other(than: setting.value(in: Settings()), among: setting.values))
    }
    return patch
  }

  private static func other(than value: Setting.Value, among values: Setting.Values) -> Setting.Value {
    switch values {
    case .boolean: value == .boolean(true) ? .boolean(false) : .boolean(true)
    case .integer(let range), .limit(let range):
      value == .integer(range.upperBound) ? .integer(range.lowerBound) : .integer(range.upperBound)
    case .number(let range): .number(range.upperBound)
    case .printable: .text("x")
    case .optionalChoice(let names): .text(names[0])
    case .choice(let names): .text(names.first { .text($0) != value } ?? "")
    case .names(let names): .texts(value == .texts(names) ? [] : names)
    case .timeZone: .text("Europe/Vienna")
    case .nameTemplate: .text("{podcast}/{title}")
    case .schedule: .schedule([ScheduleWindow(from: 0, to: 60)])
    case .networkClasses: value
    }
  }

  private static func edges(of values: Setting.Values) -> [(Setting.Value, isGood: Bool)] {
    switch values {
    case .integer(let range):
      [range.lowerBound, range.upperBound].map { (.integer($0), true) }
        + [range.lowerBound - 1, range.upperBound + 1].map { (.integer($0), false) }
    case .limit(let range):
      [0, range.lowerBound, range.upperBound].map { (.integer($0), true) }
        + [1, range.lowerBound - 1, range.upperBound + 1].map { (.integer($0), false) }
    case .number(let range):
      [(.number(range.lowerBound), true), (.number(range.upperBound + 1), false), (.number(.nan), false)]
    case .printable(let lengths):
      [(.text(""), false), (.text(String(repeating: "a", count: lengths.upperBound)), true)]
    case .schedule: [(.schedule([]), true), (.schedule([ScheduleWindow(from: 1440, to: 0)]), false)]
    case .optionalChoice(let names): [(Setting.Value.null, true), (.text(names[0]), true)]
    case .boolean, .choice, .names, .timeZone, .nameTemplate, .networkClasses: []
    }
  }
}
