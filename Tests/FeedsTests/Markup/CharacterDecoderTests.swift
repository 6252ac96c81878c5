import Flux
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

  @Test(
    "Charsets of several bytes, by all labels of theirs",
    arguments: [
      (["gb2312", "GBK", "gb18030", "chinese", "x-gbk"], [0xD6, 0xD0, 0x81, 0x39, 0xEE, 0x39, 0xA8, 0xA1], "中㐀ā"),
      (["big5", "Big5-HKSCS", "cn-big5"], [0xA4, 0xA4, 0x88, 0x62, 0xA5, 0x5C], "中Ê\u{304}功"),
      (["shift_jis", "Shift-JIS", "sjis", "windows-31j"], [0x93, 0xFA, 0x83, 0x5C, 0xB1, 0x5C], "日ソｱ\\"),
      (["euc-jp", "x-euc-jp"], [0xC6, 0xFC, 0x8E, 0xB1, 0x8F, 0xB0, 0xA1], "日ｱ丂"),
      (
        ["euc-kr", "ks_c_5601-1987", "windows-949", "korean"],
        [0xC7, 0xD1, 0x8C, 0x63, 0xA2, 0xE8, 0xC7, 0xD1], "한똠\u{327E}한"
      ),
      (
        ["iso-2022-jp", "csISO2022JP"],
        [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x4A, 0x41, 0x1B, 0x28, 0x49, 0x31], "日Aｱ"
      ),
    ] as [([String], [UInt8], String)])
  func multiByte(labels: [String], bytes: [UInt8], expected: String) {
    for label in labels {
      for size in [1, 2, 3, 5, 1000] {
        #expect(text([0x3C] + bytes, charset: label, pieces: size) == "<" + expected, "\(label) in pieces of \(size)")
      }
    }
  }

  @Test("UTF-32 with a mark, or without one")
  func utf32() {
    for size in [1, 3, 4, 1000] {
      #expect(text([0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0, 0, 0xF6, 1, 0], pieces: size) == "<😀")
      let broken: [UInt8] = [0, 0, 0, 0x3C, 0, 1, 0xF6, 0, 0, 0, 0xD8, 0, 0xFF, 0, 0, 0, 1]
      #expect(text(broken, pieces: size) == "<😀\u{FFFD}\u{FFFD}\u{FFFD}")
    }
  }

  @Test("A text in UTF-8 that is labelled as GB 2312 is one, unless it begins with what is a character there")
  func mislabelled() {
    for size in [1, 2, 3, 5, 1000] {
      #expect(text(Array("<中文 Foo’s é".utf8), charset: "gb2312", pieces: size) == "<中文 Foo’s é")
      #expect(text(Array("<Foo’s 中文".utf8), charset: "gb2312", pieces: size) == "<Foo’s 中文")
      #expect(text(Array("<é".utf8), charset: "gb2312", pieces: size) == "<茅")
    }
  }

  @Test("Any bytes of any charset are text, the same in any pieces", arguments: [UInt64(1), 2, 3])
  func anyBytes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let escapes: [[UInt8]] = [
      [0x1B], [0x1B, 0x24, 0x42], [0x1B, 0x28, 0x42], [0x1B, 0x28, 0x49], [0x1B, 0x24, 0x28, 0x51], [0x1B, 0x24, 0x41],
    ]
    for charset in ["gb18030", "big5", "shift_jis", "euc-jp", "iso-2022-jp", "euc-kr"] {
      for _ in 0..<300 {
        var bytes: [UInt8] = [0x3C, 0xB1]
        for _ in 0..<Int.random(in: 0...60, using: &random) {
          let kind = Int.random(in: 0...9, using: &random)
          bytes += kind == 0 ? escapes.randomElement(using: &random) ?? [] : [UInt8.random(in: 0...255, using: &random)]
        }
        let whole = text(bytes, charset: charset, pieces: 1000)
        for size in [1, 2, 3, 7] {
          #expect(text(bytes, charset: charset, pieces: size) == whole, "\(charset), seed \(seed): \(bytes)")
        }
      }
    }
  }

  @Test("A copy of a decoder reads on by itself, also between the bytes of a character and behind an escape sequence")
  func copies() {
    var decoder = CharacterDecoder(responseCharset: "iso-2022-jp")
    var (output, other): ([UInt8], [UInt8]) = ([], [])
    decoder.decode(([0x3C, 0x1B, 0x24, 0x42, 0x46] as [UInt8]).span, into: &output)
    decoder.decode(([0x7C] as [UInt8]).span, into: &output)
    var copy = decoder
    other = output
    copy.decode(([0x4B, 0x5C] as [UInt8]).span, into: &other)
    copy.finish(into: &other)
    decoder.decode(([0x1B, 0x28, 0x42, 0x41] as [UInt8]).span, into: &output)
    decoder.finish(into: &output)
    #expect(String(decoding: other, as: UTF8.self) == "<日本" && String(decoding: output, as: UTF8.self) == "<日A")
  }
}
