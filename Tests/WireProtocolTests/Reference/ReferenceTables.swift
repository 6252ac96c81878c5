import PodfluxCore

@testable import WireProtocol

/// The tables of the documentation, made from the declarations.
enum ReferenceTables {
  /// Every setting: its values, its default and its meaning.
  static func settings() throws -> String {
    let sentences = try DocComments(of: "PodfluxCore/Settings/Settings.swift")
    return table(
      ["setting", "values", "default", "meaning"],
      Settings.all.map { setting in
        [
          "`\(setting.name)`", setting.values.text, setting.value(in: Settings()).text(among: setting.values),
          sentences[setting.name],
        ]
      })
  }

  /// A table of Markdown.
  static func table(_ head: [String], _ rows: [[String]]) -> String {
    ([head, head.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}

extension Setting.Values {
  fileprivate var text: String {
    switch self {
    case .boolean: "`true`, `false`"
    case .integer(let range): "\(range.lowerBound.shown)–\(range.upperBound.shown)"
    case .limit(let range): "0, \(range.lowerBound.shown)–\(range.upperBound.shown)"
    case .number(let range): "\(range.lowerBound)–\(range.upperBound)"
    case .printable(let lengths): "\(lengths.lowerBound)–\(lengths.upperBound) printable ASCII characters"
    case .choice(let names): names.map { "`\($0)`" }.joined(separator: ", ")
    case .timeZone: "`publisher`, or the IANA's name of a time zone"
    case .schedule:
      "at most \(ScheduleWindow.maximumCount) windows `{\"days\":[\"mon\"],\"from\":\"22:00\",\"to\":\"06:00\"}`"
    case .networkClasses: "`unmetered` or `any` for each of `user`, `auto`, `feeds`, `artwork`; `podcasts` by name"
    }
  }
}

extension Setting.Value {
  fileprivate func text(among values: Setting.Values) -> String {
    switch self {
    case .boolean(let value): "`\(value)`"
    case .integer(let value): value.shown
    case .number(let value): "\(value)"
    case .text(let text): "`\(text)`"
    case .schedule: "no window"
    case .networkClasses: "`unmetered` for each"
    }
  }
}

extension Int64 {
  /// The number, in binary units where it has so many of them: 512 MiB.
  fileprivate var shown: String {
    for (shift, unit) in [(50, "PiB"), (40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] where self >= 1 << shift {
      if self % (1 << shift) == 0 { return "\(self >> shift) \(unit)" }
    }
    return "\(self)"
  }
}
