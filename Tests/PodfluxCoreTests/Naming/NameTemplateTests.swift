import Flux
import Testing

@testable import PodfluxCore

@Suite("A template for names")
struct NameTemplateTests {
  /// What a test's episode has; a field that is not here is missing.
  private static let values: [NameTemplate.Field: String] = [
    .podcast: "Show", .title: "Pilot", .date: "2026-03-06", .time: "06-30", .season: "2", .number: "7", .index: "12",
    .guid: "g-1", .type: "full", .ext: "mp3",
  ]

  private func path(_ template: String, without missing: Set<NameTemplate.Field> = []) throws -> String {
    let names = try NameTemplate(validating: template).names { missing.contains($0) ? nil : Self.values[$0] }
    return names.map { $0.map(\.text).joined() }.joined(separator: "/")
  }

  @Test(
    "places files in another folder",
    arguments: [
      ("", "Mine", "Mine/[{date} ]{title}"), ("{podcast}/{title}", "Mine", "Mine/{title}"),
      ("{title}", "a/b", "a/b/{title}"), ("{podcast}/S{season}/{title}", "{x}", "{{x}}/S{season}/{title}"),
      ("{podcast}[/Season {season}]/{title}", "Mine", "Mine[/Season {season}]/{title}"),
      ("[{season}/]{podcast}/{title}", "Mine", "Mine/{title}"), ("a/b/[{date} ]{title}", "c", "c/[{date} ]{title}"),
      ("{podcast}/a/{season}/{title}", "c", "c/{season}/{title}"),
      ("a/[[x]]/{title}", "b", "b/{title}"), ("[[{title}]]", "[M]", "[[M]]/[[{title}]]"),
    ])
  func folders(template: String, folder: String, expected: String) throws {
    #expect(try NameTemplate(validating: template).placed(in: folder).text == expected)
  }

  @Test(
    "puts the values of fields into its own text",
    arguments: [
      ("{podcast}/{title}", "Show/Pilot"), ("{podcast}/{date} {title}", "Show/2026-03-06 Pilot"),
      ("{date} {time} {title}.{ext}", "2026-03-06 06-30 Pilot"), ("{title} {ext}", "Pilot mp3"),
      ("{ext}/{title}.{ext}", "mp3/Pilot"), ("{title}", "Pilot"), ("{title}{title}", "PilotPilot"),
      ("S{season:2}E{number:3} {title}", "S02E007 Pilot"), ("{index:3} {title}", "012 Pilot"),
      ("{index:1} {title}", "12 Pilot"), ("{guid} ({type})", "g-1 (full)"),
      ("[S{season}E{number} ]{title}", "S2E7 Pilot"), ("{podcast}[/Season {season}]/{title}", "Show/Season 2/Pilot"),
      ("{{{title}}} [[{guid}]]", "{Pilot} [g-1]"), ("[[[{date}]]]{title}", "[2026-03-06]Pilot"),
    ])
  func values(template: String, expected: String) throws {
    #expect(try path(template) == expected)
  }

  @Test(
    "leaves a missing field empty, and a group of it out",
    arguments: [
      ("{podcast}/[{date} ]{title}", [.date], "Show/Pilot"), ("{date} {title}", [.date], " Pilot"),
      ("[S{season}E{number} ]{title}", [.season], "Pilot"), ("[S{season}][E{number}] {title}", [.season], "E7 Pilot"),
      ("{podcast}[/Season {season}]/{title}", [.season], "Show/Pilot"),
      ("{podcast}/{season}/{title}", [.season], "Show/Pilot"),
      ("{podcast}/{date}", [.date], "Show/"), ("{podcast}/[{guid}]", [.podcast, .guid], ""),
      ("{index:3} {title}", [.index], " Pilot"), ("[{type}: ]{title}", [.type], "Pilot"),
    ] as [(String, Set<NameTemplate.Field>, String)])
  func missing(template: String, missing: Set<NameTemplate.Field>, expected: String) throws {
    #expect(try path(template, without: missing) == expected)
  }

  @Test(
    "fills up numbers only",
    arguments: [("204.5", "204.5"), ("7.5", "007.5"), ("B7", "B7"), ("", ""), ("1000", "1000")])
  func widths(number: String, expected: String) throws {
    let names = try NameTemplate(validating: "{title}{number:3}").names { $0 == .number ? number : "" }
    #expect(names.map { $0.map(\.text).joined() } == [expected])
  }

  @Test(
    "is refused with what is wrong and what would be right",
    arguments: [
      ("{titel}", .unknownField("titel")), ("{}", .unknownField("")), ("{Title}", .unknownField("Title")),
      ("{title", .unclosedField), ("{title[}", .unclosedField), ("{a{title}}", .unclosedField),
      ("title}", .strayBrace), ("{title}}", .strayBrace), ("[{date} {title}", .unclosedGroup),
      ("{title}]", .strayBracket), ("[{date} [{time}]]{title}", .nestedGroup), ("[x]{title}", .groupWithoutField),
      ("[{ext}]{title}", .groupWithoutField), ("[]{title}", .groupWithoutField), ("{index:0}", .badWidth("index:0")),
      ("{index:10}", .badWidth("index:10")), ("{index:}", .badWidth("index:")), ("{index:+3}", .badWidth("index:+3")),
      ("{title:3}", .needlessWidth("title")), ("{title}\n", .forbiddenCharacter(codePoint: 10)),
      ("a\\{title}", .forbiddenCharacter(codePoint: 0x5C)), ("\u{202E}{title}", .forbiddenCharacter(codePoint: 0x202E)),
      ("/{title}", .emptyName), ("{title}/", .emptyName), ("{podcast}//{title}", .emptyName),
      ("{title}/.{ext}", .emptyName),
      ("../{title}", .hiddenName), (".{title}", .hiddenName), ("{podcast}/.x{title}", .hiddenName),
      ("\u{FF0E}{title}", .hiddenName), ("{podcast}", .tellsNoEpisode), ("{title}/{season}", .tellsNoEpisode),
      ("{title}/x.{ext}", .tellsNoEpisode), (String(repeating: "a/", count: 16) + "{title}", .tooDeep(names: 17)),
      (String(repeating: "a", count: 506) + "{title}", .tooLong(bytes: 513)),
    ] as [(String, NameTemplateFault)])
  func faults(template: String, expected: NameTemplateFault) {
    #expect(throws: expected) { try NameTemplate(validating: template) }
    // One sentence that says both.
    let words = expected.description
    #expect(!words.isEmpty && !words.hasSuffix(".") && !words.contains("\n"), "\(words)")
  }

  @Test("of any text is read or refused, and read again from what it is")
  func anyText() {
    let alphabet: [Unicode.Scalar] = ["{", "}", "[", "]", "/", ".", ":", "3", " ", "t", "\u{301}", "\\", "\u{0}"]
    let words = ["{title}", "{date}", "{index:3}", "{ext}", "[{date} ]"]
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...9, using: &random) {
        if Int.random(in: 0...2, using: &random) == 0 {
          text += words[Int.random(in: 0..<words.count, using: &random)]
        } else {
          text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
        }
      }
      guard let template = try? NameTemplate(validating: text) else { continue }
      #expect(template.text == text)
      let names = template.names { Self.values[$0] }
      #expect(template.isStandard || names.allSatisfy { !$0.isEmpty }, "\(text)")
    }
  }

  @Test("of no text is the standard one")
  func standard() throws {
    #expect(try NameTemplate(validating: "") == .standard)
    #expect(NameTemplate.standard.isStandard)
    #expect(try !NameTemplate(validating: "{title}").isStandard)
    #expect(try NameTemplate(validating: "[{index:3} ]{title}").uses(.index))
    #expect(try !NameTemplate(validating: "{title}").uses(.index))
  }

  @Test(
    "has the time of day at an offset",
    arguments: [
      (0, 0, "00-00"), (0, 19_800, "05-30"), (0, -1_800, "23-30"), (86_399_999, 0, "23-59"), (-1, 0, "23-59"),
      (1_709_208_000_000, 3_600, "13-00"),
    ] as [(Int64, Int64, String)])
  func times(milliseconds: Int64, offset: Int64, expected: String) {
    #expect(PublicationDate(Timestamp(milliseconds: milliseconds)).timeText(offsetSeconds: offset) == expected)
  }
}
