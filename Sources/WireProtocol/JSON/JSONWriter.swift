import Flux
import PodfluxCore

/// Appends JSON to a buffer: no blanks, slashes not escaped, and members in the order in which they are given, which
/// is the alphabet's everywhere in this module.
struct JSONWriter {
  /// What has been written.
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  // MARK: Structure

  mutating func object(_ writeMembers: (inout JSONWriter) -> Void) {
    open("{")
    writeMembers(&self)
    close("}")
  }

  /// Begins a member; its value must follow.
  mutating func key(_ key: StaticString) {
    separate()
    append("\"")
    bytes += UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    append("\"")
    append(":")
    needsComma = false
  }

  /// The same for a key that is known at run time only, without quotes, backslashes and control characters.
  mutating func key(named key: String) {
    separate()
    append("\"")
    bytes += key.utf8
    append("\"")
    append(":")
    needsComma = false
  }

  mutating func object(_ key: StaticString, _ writeMembers: (inout JSONWriter) -> Void) {
    self.key(key)
    object(writeMembers)
  }

  mutating func array<Elements: Sequence>(
    _ key: StaticString, _ elements: Elements, _ write: (Elements.Element, inout JSONWriter) -> Void
  ) {
    self.key(key)
    self.elements(elements, write)
  }

  /// An array; the key before it is written already.
  mutating func elements<Elements: Sequence>(
    _ elements: Elements, _ write: (Elements.Element, inout JSONWriter) -> Void
  ) {
    open("[")
    for element in elements { write(element, &self) }
    close("]")
  }

  /// Ends a line.
  mutating func endLine() {
    append("\n")
    needsComma = false
  }

  /// An element of an array.
  mutating func element(_ text: String) {
    string(text)
  }

  /// An element of an array, or the value of a key, that is JSON already.
  mutating func element(json: [UInt8]) {
    separate()
    bytes += json
  }

  // MARK: Members

  mutating func member(_ key: StaticString, _ value: String?) {
    self.key(key)
    if let value { string(value) } else { literal("null") }
  }

  mutating func member(_ key: StaticString, _ value: Int64?) {
    self.key(key)
    if let value { integer(value) } else { literal("null") }
  }

  mutating func member(named key: String, _ value: Int64) {
    self.key(named: key)
    integer(value)
  }

  mutating func member(_ key: StaticString, _ value: Int) {
    member(key, Int64(value))
  }

  mutating func member(_ key: StaticString, _ value: Bool) {
    self.key(key)
    literal(value ? "true" : "false")
  }

  /// A number in as few digits as tell it from others; it must be finite.
  mutating func member(_ key: StaticString, _ value: Double) {
    precondition(value.isFinite, "JSON has no infinite numbers")
    self.key(key)
    let digits = "\(value)"
    literal(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
  }

  mutating func member(_ key: StaticString, _ value: Timestamp?) {
    self.key(key)
    self.value(value)
  }

  // MARK: Values of keys that are written already

  mutating func value(_ value: Timestamp?) {
    guard let value else { return literal("null") }
    separate()
    append("\"")
    InternetDate.append(value, to: &bytes)
    append("\"")
  }

  mutating func value(_ value: Int64?) {
    if let value { integer(value) } else { literal("null") }
  }

  /// Members that are JSON already.
  mutating func members(json: [UInt8]) {
    raw(json)
  }

  /// What is JSON already.
  mutating func raw(_ json: some Sequence<UInt8>) {
    separate()
    bytes += json
  }
}

// MARK: - Bytes

extension JSONWriter {
  private mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { append(",") }
    needsComma = true
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    bytes.append(UInt8(ascii: scalar))
  }

  private mutating func literal(_ text: String) {
    separate()
    bytes += text.utf8
  }

  private mutating func integer(_ value: Int64) {
    separate()
    if value < 0 { append("-") }
    let start = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func string(_ text: String) {
    separate()
    append("\"")
    var text = text
    text.withUTF8 { utf8 in
      if utf8.contains(where: Self.needsEscape) {
        for byte in utf8 { appendEscaped(byte) }
      } else {
        bytes += utf8
      }
    }
    append("\"")
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    guard Self.needsEscape(byte) else { return bytes.append(byte) }
    append("\\")
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x08: append("b")
    case 0x09: append("t")
    case 0x0A: append("n")
    case 0x0C: append("f")
    case 0x0D: append("r")
    default:
      bytes += "u00".utf8
      bytes.append(UInt8(ascii: "0") + byte >> 4)
      bytes += String(byte & 0x0F, radix: 16).utf8
    }
  }
}
