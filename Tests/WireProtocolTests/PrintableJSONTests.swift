import Foundation
import PodfluxCore
import Testing

@testable import WireProtocol

@Suite("JSON on a terminal")
struct PrintableJSONTests {
  @Test("What could steer the terminal is escaped, and nothing else")
  func unprintable() {
    for value in UInt32(0x20)...0xFFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let digits = String(value, radix: 16)
      let escape = #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
      let expected = scalar.isUnprintable ? "a" + escape + "b" : "a" + String(scalar) + "b"
      let isRight = Array("a\(scalar)b".utf8).printableJSON.elementsEqual(expected.utf8)
      #expect(isRight, "U+\(digits)")
    }
  }

  @Test("No scalar beyond the first plane is unprintable: one escape has four digits")
  func planes() {
    let found = (UInt32(0x10000)...0x10FFFF).filter { Unicode.Scalar($0)?.isUnprintable == true }
    #expect(found.isEmpty)
  }

  @Test("The JSON says the same, and bytes that are cut stay as they are")
  func same() throws {
    let texts = ["Zoë 😀", "\u{9B}31m\u{7F}", "\u{202E}evil\u{2069}", "\u{61C}\u{2028}"]
    let bytes = Array(try JSONEncoder().encode(texts)).printableJSON
    #expect(try JSONDecoder().decode([String].self, from: Data(bytes)) == texts)
    let unprintable = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter(\.isUnprintable)
    #expect(unprintable.isEmpty)
    let cuts: [[UInt8]] = [[0xE2], [0xE2, 0x80], [0xC2], [0xD8]]
    for cut in cuts { #expect(cut.printableJSON == cut) }
  }
}
