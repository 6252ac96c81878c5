import Testing

@testable import Terminal

@Suite("Text from outside on a terminal")
struct PrintableTextTests {
  @Test(
    "What could steer a terminal is replaced",
    arguments: [
      ("\u{1B}[31mred", "�[31mred"), ("a\u{1B}]0;title\u{7}b", "a�]0;title�b"), ("a\u{9B}2Jb", "a�2Jb"),
      ("a\u{90}q\u{9C}b", "a�q�b"), ("one\ntwo", "one�two"), ("one\r\ntwo", "one��two"), ("a\tb", "a�b"),
      ("\u{0}", "�"),
      ("\u{7F}", "�"), ("a\u{8}b", "a�b"), ("a\u{85}b", "a�b"), ("a\u{2028}b\u{2029}c", "a�b�c"),
      ("gpj.\u{202E}exe", "gpj.�exe"), ("\u{202A}a\u{202C}", "�a�"), ("\u{2066}a\u{2069}", "�a�"),
      ("\u{200E}a\u{200F}", "�a�"), ("\u{61C}a", "�a"), ("a\u{E0041}\u{E007F}", "a��"), ("\u{E0001}", "�"),
    ])
  func steering(text: String, expected: String) {
    #expect(text.printable == expected)
    #expect(StyledText(text).text == expected)
  }

  @Test("Tags are a part of a flag, and of nothing else")
  func tags() {
    let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
    #expect("\(flag) 2026".printable == "\(flag) 2026")
    #expect("\(flag)\u{E0041}".printable == "\(flag)�")
    #expect("\u{1F3F4}a\u{E0067}".printable == "\u{1F3F4}a�")
  }

  @Test(
    "What a person can see stays",
    arguments: [
      "Night Trains", "Äpfel/Birnen: Größe & Maß", "日本語", "👨‍👩‍👧‍👦 🏳️‍🌈 👋🏽 🇦🇹 1️⃣", "می‌خواهم", "क्‍ष", "葛\u{E0100}", "�", "e\u{301}",
    ])
  func harmless(text: String) {
    #expect(text.printable == text)
    #expect(StyledText(text).text == text)
  }

  @Test("Fillers and invisible characters stay in messages and go from tables")
  func invisible() {
    let text = "po\u{AD}d\u{200B}f\u{2060}l\u{FEFF}u\u{3164}x\u{115F}"
    #expect(text.printable == text)
    #expect(StyledText(text).text == "podflux" && StyledText(text).width == 7)
  }

  @Test("A character with a thousand marks keeps a few")
  func marks() {
    let text = "a" + String(repeating: "\u{301}", count: 1000) + "b"
    let styled = StyledText(text)
    #expect(styled.width == 2 && styled.text.unicodeScalars.count == String.maximumScalars + 1)
  }

  @Test("No scalar of Unicode gets a control sequence, a line break or another direction through")
  func everything() {
    var text = ""
    // The planes between have ideographs and nothing else.
    for value in Array(UInt32(0)...0x2FFF) + Array(0xA000...0x1FFFF) + Array(0xE0000...0xE0FFF) {
      if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
    }
    for shown in [text.printable, StyledText(text).text] {
      let steering = shown.unicodeScalars.filter {
        $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || (0x2028...0x202E).contains($0.value)
          || (0x2066...0x2069).contains($0.value) || (0x200E...0x200F).contains($0.value) || $0.value == 0x61C
          || (0xE0000...0xE007F).contains($0.value)
      }
      #expect(steering.isEmpty)
    }
  }
}
