import Foundation
import Testing

@testable import WireProtocol

@Suite("Bytes of JSON")
struct JSONBytesTests {
  @Test("A byte that has to be escaped is found wherever it stands", arguments: 0..<27)
  func escapes(length: Int) throws {
    for byte in UInt8(0)...0x7F {
      for place in 0..<length {
        var bytes = [UInt8](repeating: UInt8(ascii: "a") + UInt8(length % 8), count: length)
        bytes[place] = byte
        let text = String(decoding: bytes, as: UTF8.self)
        var writer = JSONWriter()
        writer.object { $0.member("text", text) }
        let read = try JSONDecoder().decode([String: String].self, from: Data(writer.bytes))
        #expect(read == ["text": text])
        let isEscaped = byte < 0x20 || "\"\\".utf8.contains(byte)
        #expect((writer.bytes.count > #"{"text":""}"#.utf8.count + length) == isEscaped, "\(byte) at \(place)")
      }
    }
  }

  @Test("Bytes beyond ASCII stand for themselves")
  func letters() {
    var writer = JSONWriter()
    writer.array("texts", ["Zoë 😀 \u{7F}ÿ", "äöü ßäöü ß", ""]) { $1.element($0) }
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #""texts":["Zoë 😀 \#u{7F}ÿ","äöü ßäöü ß",""]"#)
  }

  @Test("Numbers have as many digits as they need")
  func numbers() {
    var powers: [Int64] = [0, .min, .max]
    var power: Int64 = 1
    for _ in 0..<18 {
      power *= 10
      powers += [power, power - 1, -power, 1 - power]
    }
    var writer = JSONWriter()
    writer.array("numbers", powers) { $1.element(json: Array("\($0)".utf8)) }
    let expected = writer.bytes
    writer.removeAll()
    writer.key("numbers")
    writer.elements(powers) { $1.value($0) }
    #expect(writer.bytes == expected)
  }
}
