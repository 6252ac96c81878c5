import Flux
import PodfluxCore

/// Appends JSON to a buffer: no blanks, slashes not escaped, and members in the order in which they are given, which
/// is the alphabet's everywhere in this module.
struct JSONWriter {
  /// The bytes written so far.
  private(set) var bytes: [UInt8] = []
  /// Whether a publication date has the offset that its publisher has given, which a journal must tell; for clients all
  /// moments are UTC's (the article Protocol).
  let keepsOffsets: Bool
  /// Whether secrets in addresses and headers are written as they are, which only an engine may be sent.
  let keepsSecrets: Bool
  /// The type of the line whose payload was written last.
  var lineType = ""
  private var needsComma = false

  init(keepsOffsets: Bool = false, keepsSecrets: Bool = false) {
    self.keepsOffsets = keepsOffsets
    self.keepsSecrets = keepsSecrets
  }

  /// The bytes around a key: a comma, quotes and a colon.
  private static let keyMarks = 4
  /// The bytes around a text.
  private static let quotes = 2

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  // MARK: Structure

  mutating func object(_ writeMembers: (inout JSONWriter) -> Void) {
    open("{")
    writeMembers(&self)
    close("}")
  }

  /// Begins objects that are JSON already but for a number in them; `endObject()` must follow for each.
  mutating func begin(_ head: some Sequence<UInt8>, _ number: Int64, _ tail: [UInt8]) {
    separate()
    bytes += head
    needsComma = false
    integer(number)
    bytes += tail
    needsComma = false
  }

  /// Ends an object that `begin` has begun.
  mutating func endObject() {
    close("}")
  }

  /// Begins a member; its value must follow.
  mutating func key(_ key: StaticString) {
    bytes.append(upTo: key.utf8CodeUnitCount + Self.keyMarks) { [needsComma] piece in
      piece.put(key: key, needsComma: needsComma)
    }
    needsComma = false
  }

  /// The same for a key that is known at run time only, without quotes, backslashes and control characters.
  mutating func key(named key: String) {
    var key = key
    key.withUTF8 { utf8 in
      bytes.append(upTo: utf8.count + Self.keyMarks) { [needsComma] piece in
        if needsComma { piece.put(",") }
        piece.put(text: utf8)
        piece.put(":")
      }
    }
    needsComma = false
  }

  /// A key that may hold anything.
  mutating func key(escaping key: String) {
    string(key)
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

  /// Begins a line with a seal that is blank as yet, instead of its brace.
  mutating func beginSealed() {
    bytes += LineSeal.blank
  }

  /// Makes the seal of the line that begins at a place and ends here.
  mutating func seal(from start: Int) {
    LineSeal.seal(&bytes, from: start)
  }

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
    guard var value else {
      self.key(key)
      return literal("null")
    }
    value.withUTF8 { utf8 in
      guard !utf8.containsEscapable else {
        self.key(key)
        return string(utf8)
      }
      bytes.append(upTo: key.utf8CodeUnitCount + Self.keyMarks + utf8.count + Self.quotes) { [needsComma] piece in
        piece.put(key: key, needsComma: needsComma)
        piece.put(text: utf8)
      }
      needsComma = true
    }
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
    self.value(value)
  }

  /// A number in as few digits as tell it from others; it must be finite.
  mutating func member(_ key: StaticString, _ value: Double) {
    self.key(key)
    self.value(value)
  }

  mutating func member(_ key: StaticString, _ value: Timestamp?) {
    self.key(key)
    self.value(value)
  }

  mutating func member(_ key: StaticString, _ value: PublicationDate) {
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

  mutating func value(_ value: PublicationDate) {
    separate()
    append("\"")
    if keepsOffsets { InternetDate.append(value, to: &bytes) } else { InternetDate.append(value.moment, to: &bytes) }
    append("\"")
  }

  mutating func value(_ value: Bool) {
    literal(value ? "true" : "false")
  }

  mutating func value(_ value: Double) {
    precondition(value.isFinite, "JSON has no infinite numbers")
    let digits = "\(value)"
    literal(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
  }

  mutating func value(_ value: Int64?) {
    if let value { integer(value) } else { literal("null") }
  }

  /// Writes a value that is JSON already.
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
    let digits = Self.digits(of: value.magnitude)
    bytes.append(upTo: digits + 1) { piece in
      if value < 0 { piece.put("-") }
      piece.put(value.magnitude, digits: digits)
    }
  }

  private static func digits(of number: UInt64) -> Int {
    var (count, limit) = (1, UInt64(10))
    while number >= limit {
      count += 1
      // The magnitude of an Int64 has 19 digits at most, and 20 are room enough for the limit.
      limit *= 10
    }
    return count
  }

  private mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string($0) }
  }

  private mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
    separate()
    if utf8.containsEscapable {
      append("\"")
      for byte in utf8 { appendEscaped(byte) }
      append("\"")
    } else {
      bytes.append(upTo: utf8.count + Self.quotes) { $0.put(text: utf8) }
    }
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    guard byte.isEscapable else { return bytes.append(byte) }
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
