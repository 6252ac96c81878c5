import PodfluxCore

@testable import WireProtocol

/// The tables of the documentation, made from the declarations.
enum ReferenceTables {
  /// Every setting: its values, its default and its meaning.
  static func settings() throws -> String {
    let sentences = try DocComments(of: "struct Settings", in: "PodfluxCore/Settings/Settings.swift")
    return table(
      ["setting", "values", "default", "meaning"],
      Settings.all.map { setting in
        [
          "`\(setting.name)`", setting.values.text, setting.value(in: Settings()).text(among: setting.values),
          sentences[setting.name],
        ]
      })
  }

  /// Every line that a client can send, and every fact of the stream of actions.
  static func actions() -> String {
    let lines = table(
      ["type", "payload", "effect"],
      RequestForm.all.map { ["`\($0.type)`", payload($0.members), $0.sentence] })
    let facts = table(
      ["type", "payload", "meaning"],
      ActionForm.facts.map { ["`\($0.type)`", payload($0.schema.members), $0.sentence] })
    return "A client sends these; `?` marks a member that may be left out.\n\n\(lines)\n\n"
      + "The engine dispatches these facts itself; the stream of actions and the journal show them.\n\n\(facts)"
  }

  /// Every code of a refusal, and every code of a failed download.
  static func errors() throws -> String {
    let refusals = try DocComments(of: "enum Code", in: "PodfluxCore/Engine/Refusal.swift")
    let failures = try DocComments(of: "enum Code", in: "PodfluxCore/Downloads/DownloadError.swift")
    return "Codes of refusals:\n\n" + codes(Refusal.Code.allCases, refusals)
      + "\n\nCodes of failed downloads:\n\n" + codes(DownloadError.Code.allCases, failures)
  }

  /// Every reason for which a download waits.
  static func waitingReasons() throws -> String {
    let sentences = try DocComments(of: "enum WaitingReason", in: "PodfluxCore/Conditions/Traits.swift")
    return codes(WaitingReason.allCases, sentences, head: "reason")
  }

  /// Every key of a download in a snapshot.
  static func itemFields() -> String { ItemField.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + "." }

  private static func codes<Code: RawRepresentable<String>>(
    _ codes: [Code], _ sentences: DocComments, head: String = "code"
  ) -> String {
    table([head, "meaning"], codes.map { ["`\($0.rawValue)`", sentences["\($0)"]] })
  }

  private static func payload(_ members: [PayloadDescriber.Member]) -> String {
    let (optional, required) = (
      members.filter { $0.presence == .optional }, members.filter { $0.presence != .optional }
    )
    return (required + optional).map { member in
      let mark = member.presence == .optional ? "?" : ""
      return "`\(member.key)`\(mark)" + (member.kind.isEmpty ? "" : " (\(member.kind))")
    }.joined(separator: ", ")
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
    case .optionalChoice(let names): (names.map { "`\($0)`" } + ["`null`"]).joined(separator: ", ")
    case .names(let names): "an array of some of " + names.map { "`\($0)`" }.joined(separator: ", ")
    case .timeZone: "`publisher`, or the IANA's name of a time zone"
    case .nameTemplate: "a template, or an empty text"
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
    case .null: "`null`"
    case .texts(let texts): texts.isEmpty ? "none" : texts.map { "`\($0)`" }.joined(separator: ", ")
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
