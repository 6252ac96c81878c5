import PodfluxCore
import Testing
import WireProtocol

@Suite("The id of a line")
struct RequestIDTests {
  @Test(
    "is a text or an integer",
    arguments: [
      (#""a""#, RequestID.string("a")), (#""""#, .string("")), ("7", .integer(7)), ("-0", .integer(0)),
      ("-9223372036854775808", .integer(.min)), (#""\u00e9\n""#, .string("é\n")),
    ])
  func kinds(json: String, id: RequestID) throws {
    let line = decode(#"{"type":"snapshot","meta":{"id":\#(json)}}"#)
    #expect(line.id == id)
    #expect(throws: Never.self) { try line.content.get() }
  }

  @Test(
    "is known although the line is refused",
    arguments: [
      #"{"type":"no such thing","meta":{"id":7}}"#,
      #"{"meta":{"id":7}}"#,
      #"{"meta":{"id":7,"other":1},"type":"snapshot"}"#,
      #"{"meta":{"id":7},"meta":{"id":8},"type":"snapshot"}"#,
      #"{"type":"snapshot","payload":{"a":1,"a":2},"meta":{"id":7}}"#,
      #"{"type":"snapshot","payload":{"a":"\ud800"},"meta":{"id":7}}"#,
      #"{"type":"snapshot","payload":{"a":1e999},"meta":{"id":7}}"#,
      #"{"type":"snapshot","extra":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["]"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],"meta":{"id":7}}"#,
      #"{"meta":{"id":7},"type":"snap"#,
      #"{"meta":{"id":7},"type":snapshot}"#,
      #"{"meta":{"id":7},"type":"snapshot"}}"#,
    ])
  func echo(text: String) {
    let line = decode(text)
    #expect(line.id == .integer(7))
    #expect(throws: Refusal.self) { try line.content.get() }
  }

  @Test("is unknown for a line that was cut off")
  func cutOff() {
    let line = LineDecoder().tooLong(number: 3)
    #expect(line.id == nil)
    #expect(line.number == 3)
    #expect(throws: Refusal(.lineTooLong, "the line is longer than 1048576 bytes; send several shorter ones")) {
      try line.content.get()
    }
  }

  private func decode(_ text: String) -> DecodedLine {
    LineDecoder().decode(Array(text.utf8), number: 1)
  }

  @Test("An id that is no text is echoed as none, and not as another one", arguments: [[0xFF], Array("\\ud800".utf8)])
  func noText(bytes: [UInt8]) {
    let line = Array(#"{"type":"snapshot","meta":{"id":""#.utf8) + bytes + Array(#""}}"#.utf8)
    let decoded = LineDecoder().decode(line, number: 1)
    #expect(decoded.id == nil)
    guard case .failure(let refusal) = decoded.content else {
      Issue.record("the line is taken")
      return
    }
    #expect(refusal.code == .invalidJSON)
  }
}
