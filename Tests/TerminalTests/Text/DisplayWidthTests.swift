import Terminal
import Testing

@Suite("The width of text in a terminal")
struct DisplayWidthTests {
  @Test(
    "Letters, marks, wide characters and signs",
    arguments: [
      ("", 0), ("a", 1), ("Night Trains", 12), ("~", 1), ("é", 1), ("e\u{301}", 1), ("Äpfel", 5), ("A\u{308}pfel", 5),
      ("Größe & Maß", 11), ("Привет", 6), ("Ελληνικά", 8), ("שלום", 4), ("שָׁלוֹם", 4), ("مرحبا", 5),
      ("\u{600}١٢", 3), ("नमस्ते", 4), ("हिन्दी", 5), ("สวัสดี", 4), ("ไทย", 3), ("தமிழ்", 4), ("z̷̢͈͗a̴", 2),
      // East Asian: wide, fullwidth, halfwidth.
      ("日本語", 6), ("深夜電車", 8), ("ラジオ", 6), ("\u{FF97}\u{FF7C}\u{FF9E}\u{FF75}", 4), ("か\u{3099}", 2), ("が", 2),
      ("한국어", 6),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("ＡＢＣ", 6), ("！", 2), ("｡", 1), ("「夜」", 6), ("　", 2), ("￥", 2), ("¥", 1),
      ("〈a〉", 5), ("𠀀", 2), ("𰻞", 2), ("𛀁", 2), ("ㄅ", 2), ("㈱", 2), ("䷀", 2), ("☰", 2), ("ꀀ", 2), ("﹏", 2),
      ("NHKラジオ第1", 12),
      // Ambiguous: 1.
      ("±", 1), ("×", 1), ("§", 1), ("“shall”", 7), ("…", 1), ("—", 1), ("①", 1), ("Ⅳ", 1), ("°", 1), ("α", 1),
      ("━╸╌", 3), ("→", 1), ("✓✗", 2), ("█", 1), ("♥", 1), ("☎", 1), ("€", 1),
      // Private use and unassigned scalars; the replacement character.
      ("\u{E000}", 1), ("\u{378}", 1), ("\u{FFFD}", 1),
    ])
  func letters(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test(
    "Emoji take two columns, however they are composed",
    arguments: [
      ("😀", 2), ("🎧", 2), ("⌚", 2), ("☕", 2), ("⚡", 2), ("✅", 2), ("🈁", 2), ("🀄", 2), ("❤", 1), ("❤\u{FE0F}", 2),
      ("☎\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 2), ("#\u{FE0F}\u{20E3}", 2), ("1\u{20E3}", 1), ("👋🏽", 2), ("🇦🇹", 2),
      ("🇦🇹🇩🇪", 4), ("🇦", 2), ("👨‍👩‍👧‍👦", 2), ("🏳️‍🌈", 2), ("🏴‍☠️", 2), ("👩🏽‍❤️‍💋‍👨🏿", 2), ("🧑‍🚀", 2),
      ("🤷🏻‍♀️", 2), ("🎙 Pod", 5), ("🎙\u{FE0F} Pod", 6), ("🫠", 2), ("a👍b", 4),
    ])
  func emoji(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test(
    "Text is cut between characters, and never wider than asked",
    arguments: [
      ("Night Trains", 12, "Night Trains"), ("Night Trains", 11, "Night Trai…"), ("Night Trains", 1, "…"),
      ("Night Trains", 0, ""), ("", 0, ""), ("", 5, ""), ("ab", -1, ""), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
      ("日本語", 4, "日…"), ("日本語", 3, "日…"), ("日本語", 2, "…"), ("日本語", 1, "…"), ("a日b", 3, "a…"), ("a日b", 4, "a日b"),
      ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("e\u{301}e\u{301}e\u{301}", 3, "e\u{301}e\u{301}e\u{301}"),
      ("👨‍👩‍👧‍👦👋🏽🇦🇹", 6, "👨‍👩‍👧‍👦👋🏽🇦🇹"), ("👨‍👩‍👧‍👦👋🏽🇦🇹", 5, "👨‍👩‍👧‍👦👋🏽…"),
      ("👨‍👩‍👧‍👦👋🏽🇦🇹", 4, "👨‍👩‍👧‍👦…"), ("👨‍👩‍👧‍👦👋🏽🇦🇹", 3, "👨‍👩‍👧‍👦…"), ("👨‍👩‍👧‍👦👋🏽🇦🇹", 2, "…"),
      ("क्षत्रिय", 3, "क्ष…"),
    ])
  func truncation(text: String, limit: Int, expected: String) {
    let cut = text.truncated(toWidth: limit)
    #expect(cut == expected)
    #expect(cut.displayWidth <= max(0, limit))
    let styled = StyledText(text).truncated(toWidth: limit)
    #expect(styled.text == expected && styled.width == cut.displayWidth)
  }

  @Test("Padding counts columns, not characters")
  func padding() {
    #expect("日本".padded(toWidth: 6) + "|" == "日本  |")
    #expect("日本".padded(toWidth: 6, .trailing) == "  日本")
    #expect("👨‍👩‍👧‍👦".padded(toWidth: 3) == "👨‍👩‍👧‍👦 ")
    #expect("too long".padded(toWidth: 3) == "too long")
  }

  @Test("A text of several styles is cut as if it were one, where its pieces meet too")
  func styledTruncation() {
    let line = StyledText("日本", .good) + StyledText("ab", .bad) + StyledText("語", .plain)
    #expect(line.width == 8)
    let expected = [
      8: "日本ab語", 7: "日本ab…", 6: "日本a…", 5: "日本…", 4: "日…", 3: "日…", 2: "…", 1: "…", 0: "",
    ]
    for (limit, text) in expected.sorted(by: { $0.key < $1.key }) {
      let cut = line.truncated(toWidth: limit)
      #expect(cut.text == text && cut.width == text.displayWidth, "\(limit)")
    }
    #expect(line.truncated(toWidth: 6).rendered(usesColor: true) == "\u{1B}[32m日本\u{1B}[0m\u{1B}[31ma…\u{1B}[0m")
    #expect(line.rendered(usesColor: false) == "日本ab語")
  }
}
