import Testing

@testable import Feeds

@Suite("The charset of a document")
struct CharacterDecoderTests {
  private func text(_ bytes: [UInt8], charset: String? = nil, pieces size: Int) -> String {
    var decoder = CharacterDecoder(responseCharset: charset)
    var output: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      decoder.decode(Array(rest.prefix(size)).span, into: &output)
      rest = rest.dropFirst(size)
    }
    decoder.finish(into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private static let russian: [UInt8] = [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]

  @Test(
    "Bytes become text",
    arguments: [
      (Array("<é€😀>".utf8), nil, "<é€😀>"), ([0x3C, 0xE9, 0x3E], nil, "<é>"), ([0x3C, 0x93, 0x80, 0x94], nil, "<“€”"),
      ([0x3C, 0xC3], nil, "<Ã"), ([0x3C, 0xE2, 0x82], nil, "<â‚"), ([0x3C, 0xF0, 0x9F, 0x98], nil, "<ðŸ˜"),
      ([0x3C, 0xED, 0xA0, 0x80], nil, "<í\u{A0}€"), ([0x3C, 0xC0, 0x80], nil, "<À€"),
      ([0x3C, 0xF5, 0x80, 0x80, 0x80], nil, "<õ€€€"), ([0xEF, 0xBB, 0xBF, 0x61], nil, "a"), ([0xEF, 0xBB], nil, "ï»"),
      ([0xFF, 0xFE, 0x61, 0, 0x3D, 0xD8, 0, 0xDE], nil, "a😀"), ([0xFE, 0xFF, 0, 0x61, 0xD8, 0x3D], nil, "a\u{FFFD}"),
      ([0xFE, 0xFF, 0, 0x61, 0xDE, 0], nil, "a\u{FFFD}"), ([0xFE, 0xFF, 0, 0x61, 0], nil, "a\u{FFFD}"),
      ([0x3C] + russian, "windows-1251", "<Привет"), ([0x3C] + russian, "Windows-1251", "<Привет"),
      (Array("<Привет".utf8), "windows-1251", "<Привет"), (Array("<é à".utf8), "iso-8859-15", "<é à"),
      ([0x3C, 0xA4, 0xE9], "iso-8859-15", "<€é"), (Array("<é".utf8), "x-bogus", "<é"), ([], nil, ""),
      ([0x61], nil, "a"),
    ] as [([UInt8], String?, String)])
  func decoding(bytes: [UInt8], charset: String?, expected: String) {
    for size in [1, 2, 3, 5, 1000] {
      #expect(text(bytes, charset: charset, pieces: size) == expected, "in pieces of \(size)")
    }
  }

  @Test("The declaration is believed before the response, and a byte order mark before both")
  func precedence() {
    let declaration = Array("<?xml version='1.0' encoding='koi8-r'?>".utf8)
    let declared = declaration + [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4]
    #expect(text(declared, charset: "windows-1251", pieces: 7).hasSuffix(">Привет"))
    let marked = [0xEF, 0xBB, 0xBF] + declaration + Array("é".utf8)
    #expect(text(marked, charset: "windows-1251", pieces: 7).hasSuffix(">é"))
  }

  /// libFuzzer found it: a piece larger than the limit showed a declaration behind it, smaller pieces did not.
  @Test("A declaration counts within its limit only, in pieces of any size")
  func lateDeclaration() {
    let blanks = [UInt8](repeating: 0x20, count: FeedLimits.maximumDeclarationBytes)
    let long = Array("<?xml version='1.0' ".utf8) + blanks + Array("encoding='koi8-r'?>".utf8) + [0xF0]
    let late = blanks + Array("<?xml version='1.0' encoding='koi8-r'?>".utf8) + [0xF0]
    for bytes in [long, late] {
      for size in [1, 7, 50, 5000] {
        #expect(text(bytes, pieces: size).hasSuffix(">ð"), "in pieces of \(size)")
      }
    }
  }

  @Test("Every charset of the tables has 128 characters, and ASCII stays")
  func tables() {
    for label in ["windows-1250", "windows-1252", "iso-8859-2", "koi8-u", "macintosh", "ibm866", "windows-874"] {
      #expect(SingleByteCharset(label: label) != nil, "\(label)")
    }
    #expect(SingleByteCharset(label: "utf-7") == nil)
    #expect(text(Array("<a>".utf8), charset: "koi8-r", pieces: 1) == "<a>")
  }
}
