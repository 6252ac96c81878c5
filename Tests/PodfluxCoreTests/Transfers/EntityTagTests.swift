import PodfluxCore
import Testing

@Suite("An entity tag")
struct EntityTagTests {
  @Test(
    "is strong or weak, and written back", arguments: [("\"a!~é\"", false), ("W/\"a\"", true), ("\"\"", false)])
  func wellFormed(text: String, isWeak: Bool) throws {
    let tag = try #require(EntityTag(text))
    #expect(tag.isWeak == isWeak)
    #expect(tag.fieldValue == text)
  }

  @Test(
    "is refused if malformed",
    arguments: [
      "", "a", "\"", "\"a", "a\"", "w/\"a\"", "W/a", "W/", "\"a\"b\"", "\"a b\"", "\"a\r\nX: y\"", "\"a\u{7F}\"",
      "\"\u{0}\"",
      "\"" + String(repeating: "x", count: EntityTag.maxBytes) + "\"",
    ])
  func malformed(text: String) {
    #expect(EntityTag(text) == nil)
  }

  @Test("names the same bytes only if both are strong")
  func comparison() throws {
    let (strong, weak) = (try #require(EntityTag("\"a\"")), try #require(EntityTag("W/\"a\"")))
    #expect(strong.namesSameBytes(as: strong))
    #expect(!strong.namesSameBytes(as: weak) && !weak.namesSameBytes(as: weak))
    #expect(!strong.namesSameBytes(as: try #require(EntityTag("\"b\""))))
  }
}
