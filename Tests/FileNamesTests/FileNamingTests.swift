import FileNames
import Foundation
import PodfluxCore
import Testing

@Suite("The name of a download's file")
struct FileNamingTests {
  private static let noon20240229: Int64 = 1_709_208_000_000

  private func name(
    podcast: String? = nil, title: String? = nil, published: Int64? = nil, url: String = "https://h/e.mp3",
    disposition: String? = nil, mediaType: String? = nil, number: Int = 1, portably: Bool = true
  ) throws -> String {
    let facts = NamingFacts(
      podcast: podcast, title: title, day: published.map(CivilDate.init(milliseconds:)), url: url,
      contentDisposition: disposition, mediaType: mediaType)
    return try FileNaming(facts, portably: portably).candidate(number: number).description
  }

  @Test("consists of podcast, day, title and extension")
  func usesFacts() throws {
    #expect(
      try name(podcast: "Show", title: "Episode 1", published: Self.noon20240229) == "Show/2024-02-29 Episode 1.mp3")
    #expect(
      try name(podcast: "Show", title: "Episode 1", published: Self.noon20240229, number: 2)
        == "Show/2024-02-29 Episode 1 (2).mp3")
    #expect(try name(title: "Episode", mediaType: "audio/x-m4a") == "Episode.m4a")
  }

  @Test(
    "has the day, and none for years without four digits",
    arguments: [
      (0, "1970-01-01 e.mp3"), (-1, "1969-12-31 e.mp3"), (951_782_400_000, "2000-02-29 e.mp3"),
      (4_107_542_400_000, "2100-03-01 e.mp3"), (253_402_300_799_999, "9999-12-31 e.mp3"),
      (253_402_300_800_000, "e.mp3"), (-62_135_596_800_000, "0001-01-01 e.mp3"), (-62_135_596_800_001, "e.mp3"),
      (.max, "e.mp3"), (.min, "e.mp3"),
    ] as [(Int64, String)])
  func writesDays(milliseconds: Int64, expected: String) throws {
    #expect(try name(published: milliseconds) == expected)
  }

  @Test("falls back to the server's name, then the URL's, then a plain word")
  func fallsBack() throws {
    #expect(try name(disposition: "attachment; filename=\"From Server.mp3\"") == "From Server.mp3")
    #expect(try name(title: "  ...  ", url: "https://h/a/From%20URL.mp3?x=1") == "From URL.mp3")
    #expect(try name(url: "https://h/") == "download.bin")
    #expect(try name(published: 0, url: "https://h/") == "1970-01-01 download.bin")
    #expect(try name(url: "https://h/stream.php", mediaType: "audio/mpeg") == "stream.php.mp3")
    #expect(try name(url: "https://h/x.mp3", mediaType: "audio/mp4") == "x.m4a")
  }

  @Test(
    "is harmless for any title",
    arguments: [
      ("../../etc/passwd", "-..-etc-passwd"), ("a/b\\c:d", "a-b-c-d"), ("a\u{0}\n\t b", "a b"),
      ("a\u{202E}b", "ab"), ("e\u{200E}\u{301}", "\u{E9}"), ("  .hidden", "hidden"), ("\u{200D}.x", "x"),
      ("end. . ", "end"), ("CON", "_CON"), ("nul.tar", "_nul.tar"), ("com1 .x", "_com1 .x"), ("console", "console"),
      ("e\u{301}", "\u{E9}"), ("x.MP3", "x"), ("a\u{2028}b", "a b"), ("/\u{301}", "-\u{301}"),
    ])
  func cleansTitles(title: String, expected: String) throws {
    let result = try name(title: title)
    #expect(Array(result.utf8) == Array((expected + ".mp3").utf8))
  }

  @Test(
    "has nothing that SMB, NTFS or exFAT refuse, unless portable names are off",
    arguments: [
      ("Who is it?", "Who is it-", "Who is it?"), ("\"Quoted\"", "'Quoted'", "\"Quoted\""),
      ("a*b:c<d>e|f", "a-b-c-d-e-f", "a*b:c<d>e|f"), ("a\\b", "a-b", "a-b"), ("12:30", "12-30", "12:30"),
      ("Con", "_Con", "Con"), ("com\u{B9}", "_com\u{B9}", "com\u{B9}"), ("LPT9.live", "_LPT9.live", "LPT9.live"),
      ("CONIN$", "_CONIN$", "CONIN$"), ("conout$ .x", "_conout$ .x", "conout$ .x"), ("C ON", "C ON", "C ON"),
      ("aux .\u{1}y", "_aux . y", "aux . y"), ("COM10", "COM10", "COM10"),
      ("nul\u{200B}", "nul\u{200B}", "nul\u{200B}"),
    ])
  func portable(title: String, expected: String, asItIs: String) throws {
    #expect(try name(title: title) == expected + ".mp3")
    #expect(try name(title: title, portably: false) == asItIs + ".mp3")
    #expect(try name(podcast: title) == expected + "/e.mp3")
  }

  @Test(
    "lies in a harmless folder for any podcast's name",
    arguments: [
      (".podflux", "podflux/e.mp3"), ("..", "e.mp3"), ("", "e.mp3"), ("a/../b", "a-..-b/e.mp3"),
      ("\u{FF0E}podflux", "podflux/e.mp3"), ("Aux", "_Aux/e.mp3"), ("Show.", "Show/e.mp3"),
      ("Show.mp3", "Show.mp3/e.mp3"),
    ])
  func cleansPodcasts(podcast: String, expected: String) throws {
    #expect(try name(podcast: podcast) == expected)
  }

  @Test("is truncated between characters, and keeps number and extension", arguments: ["é", "👩‍👩‍👧‍👦", "日", "a"])
  func cutsNames(character: String) throws {
    for number in [1, 2, 1000] {
      let title = String(repeating: character, count: 300)
      let result = try LibraryPath(validating: try name(podcast: title, title: title, published: 0, number: number))
      let ending = number == 1 ? ".mp3" : " (\(number)).mp3"
      #expect(result.components.allSatisfy { $0.utf8.count <= 255 && $0.utf8.count > 220 })
      #expect(result.name.hasSuffix(ending))
      let title2 = result.name.dropFirst("1970-01-01 ".count).dropLast(ending.count)
      #expect(title2.allSatisfy { String($0) == character })
    }
  }

  @Test("leaves out a character that is too long for any name")
  func survivesHugeCharacter() throws {
    #expect(try name(title: "e" + String(repeating: "\u{302}", count: 400)) == "download.mp3")
  }

  @Test("is a valid path for any facts", arguments: [1, 2, 3, 4] as [UInt64])
  func isAlwaysValid(seed: UInt64) throws {
    var generator = SplitMix64(state: seed)
    for _ in 0..<2_000 {
      let facts = NamingFacts(
        podcast: hostileText(&generator), title: hostileText(&generator),
        day: Bool.random(using: &generator)
          ? CivilDate(milliseconds: Int64.random(in: .min ... .max, using: &generator)) : nil,
        url: "https://h/" + hostileText(&generator), contentDisposition: "x; filename=\"" + hostileText(&generator),
        mediaType: hostileText(&generator))
      let naming = FileNaming(facts)
      for number in [1, 2, Int.max] {
        let result = try naming.candidate(number: number)
        #expect((1...2).contains(result.components.count), "seed \(seed)")
        #expect(result == result.portable, "seed \(seed)")
        #expect(result.components.allSatisfy { $0.utf16.count <= 255 && $0.utf8.count <= 255 }, "seed \(seed)")
        #expect(Array(result.description.utf8) == Array(result.description.precomposedStringWithCanonicalMapping.utf8))
      }
    }
  }

  private func hostileText(_ generator: inout SplitMix64) -> String {
    let pieces = [
      ".", "..", "/", "\\", ":", " ", "\0", "\n", "\u{85}", "\u{202E}", "\u{2028}", "\u{FEFF}", "\u{200D}", "\u{301}",
      "e", "\u{FF0E}", "\u{2024}", "👩‍👩‍👧", "CON", ".podflux", "%2e", "%2F", "\"", ";", "?", "*<|>", "lpt\u{B3}", "\u{A0}",
      "\u{10FFFF}", "\u{1100}",
      "\u{1161}", "\u{0338}", "=", "\u{E000}", "mp3", String(repeating: "ß", count: 130), "\u{1F1E9}", "(2)", "a",
    ]
    let count = Int.random(in: 0...24, using: &generator)
    return (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
  }
}

/// A small generator determined by its seed (Steele, Lea, Flood 2014).
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
