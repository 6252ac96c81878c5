import Testing

@testable import FileStore

@Suite("A name on a case-insensitive disk")
struct FoldedNameTests {
  @Test(
    "equals names that differ in case or normalization only",
    arguments: [
      ("Show", "show"), ("SHOW.MP3", "show.mp3"), ("\u{C9}t\u{E9}", "e\u{301}t\u{C9}"), ("Stra\u{DF}e", "STRASSE"),
      ("\u{1E9E}", "\u{DF}"), ("\u{39F}\u{394}\u{39F}\u{3A3}", "\u{3BF}\u{3B4}\u{3BF}\u{3C2}"),
      ("\u{401}\u{416}", "\u{435}\u{308}\u{436}"),
      ("\u{212A}", "k"), ("\u{1C4}", "\u{1C5}"), ("\u{FB03}", "ffi"), ("\u{130}", "i\u{307}"),
      ("\u{1E69}", "s\u{307}\u{323}"), ("\u{AB70}", "\u{13A0}"),
      ("\u{10400}", "\u{10428}"), ("\u{AC00}", "\u{1100}\u{1161}"),
    ])
  func same(left: String, right: String) {
    #expect(FoldedName(left.utf8) == FoldedName(right.utf8))
    #expect(FoldedName(left.utf8).fingerprint == FoldedName(right.utf8).fingerprint)
  }

  @Test(
    "differs from names with other letters or accents",
    arguments: [("Show", "Shows"), ("e", "\u{E9}"), ("a", "b"), ("\u{438}", "\u{439}"), ("[", "{"), ("@", "`")])
  func other(left: String, right: String) {
    #expect(FoldedName(left.utf8) != FoldedName(right.utf8))
  }

  @Test("has its ASCII letters folded if it is not UTF-8")
  func raw() {
    #expect(FoldedName([0x41, 0xFF]) == FoldedName([0x61, 0xFF]))
    #expect(FoldedName([0x41, 0xFF]) != FoldedName([0x41, 0xFE]))
  }

  @Test("equals names with the same simple case mappings, as Windows compares them")
  func simpleCase() {
    for value in 0x80...0x1FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let name = String(scalar)
      for other in [scalar.properties.uppercaseMapping, scalar.properties.lowercaseMapping] {
        let pair = "\(scalar.escaped(asASCII: true)) \(other)"
        #expect(FoldedName(name.utf8) == FoldedName(other.utf8), "\(pair)")
      }
    }
  }
}
