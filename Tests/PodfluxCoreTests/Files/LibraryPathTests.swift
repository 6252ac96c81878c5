import PodfluxCore
import Testing

@Suite("A path inside a library")
struct LibraryPathTests {
  @Test(
    "accepts usual file names",
    arguments: [
      "a", "Show/Episode 1.mp3", "Ünïcödé/日本語.m4a", "👩‍👩‍👧/e\u{301}.mp3", "CON", "12:30", "…and more.mp3",
    ])
  func acceptsNames(text: String) throws {
    let path = try LibraryPath(validating: text)
    #expect(path.description == text)
    #expect(path.components.joined(separator: "/") == text)
  }

  @Test(
    "has a form that SMB, NTFS and exFAT accept",
    arguments: [
      ("a", "a"), ("Show/Episode 1.mp3", "Show/Episode 1.mp3"), ("12:30/Who?.mp3", "12-30/Who-.mp3"),
      ("con/Aux.mp3", "_con/_Aux.mp3"), ("a\"b<c>d|e*f", "a'b-c-d-e-f"), ("NUL .x/COM\u{B2}", "_NUL .x/_COM\u{B2}"),
      ("?.?/*", "-.-/-"), ("console", "console"),
    ])
  func portable(text: String, expected: String) throws {
    let path = try LibraryPath(validating: text).portable
    #expect(path.description == expected)
    #expect(try LibraryPath(validating: path.description) == path.portable)
  }

  @Test("has a portable form of at most the length of a name", arguments: [255, 254])
  func portableLength(bytes: Int) throws {
    let name = "con." + String(repeating: "x", count: bytes - 4)
    let portable = try LibraryPath(validating: name).portable
    #expect(portable.description.utf8.count == 255)
    #expect(portable == portable.portable)
  }

  @Test(
    "refuses text that could leave the library, hide, or deceive",
    arguments: [
      ("", .empty), ("/etc/passwd", .absolute), ("/", .absolute),
      ("a//b", .emptyComponent(number: 2)), ("a/", .emptyComponent(number: 2)),
      (".", .hidden(number: 1)), ("a/..", .hidden(number: 2)), ("../a", .hidden(number: 1)),
      (".podflux/x", .hidden(number: 1)), (".PodFlux/x", .hidden(number: 1)), ("a/.b", .hidden(number: 2)),
      ("\u{200C}.podflux/x", .hidden(number: 1)), ("\u{FF0E}podflux", .hidden(number: 1)),
      ("\u{2024}\u{2024}/x", .hidden(number: 1)), ("\u{200D}", .hidden(number: 1)),
      (".\u{301}/x", .hidden(number: 1)), ("a/\u{301}b\\", .refusedCharacter(codePoint: 0x5C, component: 2)),
      ("a\\b", .refusedCharacter(codePoint: 0x5C, component: 1)),
      ("a\0b", .refusedCharacter(codePoint: 0, component: 1)),
      ("x/a\r\nb", .refusedCharacter(codePoint: 0x0D, component: 2)),
      ("a\u{7F}", .refusedCharacter(codePoint: 0x7F, component: 1)),
      ("a\u{85}b", .refusedCharacter(codePoint: 0x85, component: 1)),
      ("a\u{2028}b", .refusedCharacter(codePoint: 0x2028, component: 1)),
      ("a\u{202E}3pm.exe", .refusedCharacter(codePoint: 0x202E, component: 1)),
      ("a /b", .trailingBlankOrDot(number: 1)), ("a/b.", .trailingBlankOrDot(number: 2)),
      ("a/b\u{A0}", .trailingBlankOrDot(number: 2)),
    ] as [(String, LibraryPathError)])
  func refusesUnsafePaths(text: String, reason: LibraryPathError) {
    #expect(throws: reason) { try LibraryPath(validating: text) }
    #expect(reason.description.contains(";"), "a refusal says what was wrong; and what would be right")
  }

  @Test("judges a text of ASCII as it judges the same text beside another letter")
  func judgesPlainTexts() {
    var texts = [""]
    for _ in 0..<5 {
      texts += texts.flatMap { text in ["a", " ", ".", "/", "\\", "\u{1}", "\u{7F}"].map { text + $0 } }
      texts = Array(Set(texts))
    }
    for text in texts where !text.isEmpty {
      let isPath = (try? LibraryPath(validating: text)) != nil
      #expect(isPath == ((try? LibraryPath(validating: text + "/é")) != nil), "\(text.debugDescription)")
      #expect(isPath == ((try? LibraryPath(validating: "é/" + text)) != nil), "\(text.debugDescription)")
    }
  }

  @Test("counts bytes, not characters, at each of its limits, also where all are ASCII")
  func keepsLimits() throws {
    let longest = String(repeating: "é", count: 127) + "x"
    #expect(longest.utf8.count == LibraryPath.maximumComponentBytes)
    _ = try LibraryPath(validating: longest)
    #expect(throws: LibraryPathError.componentTooLong(number: 2)) { try LibraryPath(validating: "a/" + longest + "x") }

    let plain = String(repeating: "x", count: LibraryPath.maximumComponentBytes)
    _ = try LibraryPath(validating: plain + "/" + plain)
    #expect(throws: LibraryPathError.componentTooLong(number: 1)) { try LibraryPath(validating: plain + "x/a") }
    #expect(throws: LibraryPathError.componentTooLong(number: 2)) { try LibraryPath(validating: "a/" + plain + "x") }

    let deepest = Array(repeating: "a", count: LibraryPath.maximumComponents).joined(separator: "/")
    _ = try LibraryPath(validating: deepest)
    #expect(throws: LibraryPathError.tooDeep) { try LibraryPath(validating: deepest + "/a") }
    #expect(throws: LibraryPathError.tooLong) {
      try LibraryPath(validating: String(repeating: "a", count: LibraryPath.maximumBytes + 1))
    }
  }

  @Test("splits at a slash that is one character with an accent after it")
  func splitsAtEverySlash() throws {
    let path = try LibraryPath(validating: "a/\u{301}b")
    #expect(path.components == ["a", "\u{301}b"])
  }

  @Test("knows its folder and its name")
  func knowsItsParts() throws {
    let path = try LibraryPath(validating: "a/b/c.mp3")
    #expect(path.name == "c.mp3")
    #expect(path.folder?.description == "a/b")
    #expect(try LibraryPath(validating: "c.mp3").folder == nil)
  }

  @Test("distinguishes NFC and NFD, as the file system does")
  func comparesBytes() throws {
    let composed = try LibraryPath(validating: "\u{E9}")
    let decomposed = try LibraryPath(validating: "e\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
  }
}
