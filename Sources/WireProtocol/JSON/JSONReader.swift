import PodfluxCore

/// Reads one line, or one argument of a command, strictly as JSON (RFC 8259) with unique keys (RFC 7493) and bounded
/// nesting.
///
/// Foundation's readers take the last of several equal keys, cannot tell 1 from 1.0 or true, and give no member back
/// when a later one is broken; a strict check on top of them would read each line twice. This one goes on behind a
/// fault that does not hide where the next value begins, so that the line's id can be echoed all the same.
struct JSONReader {
  /// How many objects and arrays may lie in each other, the line's own object among them.
  static let maximumDepth = 32

  /// A line's members, as far as they could be read, and the first fault.
  struct Document {
    var object = JSONObject()
    var fault: Refusal?
  }

  let bytes: [UInt8]
  /// What the bytes are, for people.
  let source: JSONSource
  var position = 0
  private var path: [JSONPathPart] = []
  private var fault: Refusal?
  /// How many strings held what is no text.
  private var unreadableStrings = 0

  init(_ bytes: [UInt8], from source: JSONSource = .line) {
    self.bytes = bytes
    self.source = source
  }

  /// Reads the whole line.
  mutating func readDocument() -> Document {
    var document = Document()
    do throws(Refusal) {
      skipBlanks()
      if isAtEnd { throw Refusal(.invalidLine, "\(source.name) is empty; \(source.adviceOnNothing)") }
      if current == UInt8(ascii: "{") {
        try readMembers(into: &document.object, depth: 1)
      } else {
        try refuseOtherValue()
      }
      try expectEnd()
      document.fault = fault
    } catch {
      document.fault = fault ?? error
    }
    return document
  }

  private mutating func refuseOtherValue() throws(Refusal) {
    let value: JSONValue
    do throws(Refusal) {
      value = try readValue(depth: 0)
      try expectEnd()
    } catch {
      // A person may be typing.
      throw Refusal(error.code, "\(error.message); \(source.advice)")
    }
    throw fault ?? Refusal(.invalidLine, "\(source.name) is \(value.kindName); \(source.advice)")
  }

  private mutating func expectEnd() throws(Refusal) {
    skipBlanks()
    if !isAtEnd { throw syntaxFault("the end of \(source.name)") }
  }
}

// MARK: - Values

extension JSONReader {
  private mutating func readValue(depth: Int) throws(Refusal) -> JSONValue {
    skipBlanks()
    guard let byte = current else { throw syntaxFault("a value") }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return try readContainer(depth: depth + 1)
    case UInt8(ascii: "\""):
      // A string that cannot be read becomes null: as an id it would be echoed as another id.
      let before = unreadableStrings
      let string = try readString()
      return unreadableStrings == before ? .string(string) : .null
    case UInt8(ascii: "t"): return try readWord("true", as: .boolean(true))
    case UInt8(ascii: "f"): return try readWord("false", as: .boolean(false))
    case UInt8(ascii: "n"): return try readWord("null", as: .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
    default: throw syntaxFault("a value")
    }
  }

  private mutating func readContainer(depth: Int) throws(Refusal) -> JSONValue {
    guard depth <= Self.maximumDepth else {
      note(
        Refusal(
          .limitExceeded,
          "\(source.name) is nested too deep; nest at most \(Self.maximumDepth) objects and arrays"))
      try skipContainer()
      return .null
    }
    guard current == UInt8(ascii: "{") else { return .array(try readElements(depth: depth)) }
    var object = JSONObject()
    try readMembers(into: &object, depth: depth)
    return .object(object)
  }

  private mutating func readMembers(into object: inout JSONObject, depth: Int) throws(Refusal) {
    position += 1
    if skip(UInt8(ascii: "}")) { return }
    repeat {
      skipBlanks()
      guard current == UInt8(ascii: "\"") else { throw syntaxFault("a key in double quotes") }
      let key = try readString()
      path.append(.key(key))
      try expect(UInt8(ascii: ":"), "a colon behind the key")
      if !object.insert(try readValue(depth: depth), for: key) {
        note(Refusal(.invalidJSON, "the key occurs twice in its object; give each key once", path: renderedPath))
      }
      path.removeLast()
    } while skip(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"), "a comma or the end of the object")
  }

  private mutating func readElements(depth: Int) throws(Refusal) -> [JSONValue] {
    position += 1
    var elements: [JSONValue] = []
    if skip(UInt8(ascii: "]")) { return elements }
    repeat {
      path.append(.index(elements.count))
      elements.append(try readValue(depth: depth))
      path.removeLast()
    } while skip(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"), "a comma or the end of the array")
    return elements
  }

  /// Goes behind an object or array without looking into it, and without going deeper itself.
  private mutating func skipContainer() throws(Refusal) {
    var open = 0
    repeat {
      switch current {
      case nil: throw syntaxFault("the end of an object or array")
      case UInt8(ascii: "\""): _ = try readString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        open += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        open -= 1
        position += 1
      default: position += 1
      }
    } while open > 0
  }

  private mutating func readWord(_ word: String, as value: JSONValue) throws(Refusal) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else { throw syntaxFault("true, false or null") }
    position += word.utf8.count
    return value
  }

  /// Reads a number (RFC 8259 section 6): no leading zeros, digits around a point, an exponent after `e`.
  private mutating func readNumber() throws(Refusal) -> JSONValue {
    let start = position
    advance(over: UInt8(ascii: "-"))
    let firstDigit = current
    let digits = skipDigits()
    guard digits == 1 || (digits > 1 && firstDigit != UInt8(ascii: "0")) else { throw syntaxFault("a number") }
    var isInteger = true
    if advance(over: UInt8(ascii: ".")) {
      isInteger = false
      guard skipDigits() > 0 else { throw syntaxFault("a digit behind the point") }
    }
    if advance(over: UInt8(ascii: "e")) || advance(over: UInt8(ascii: "E")) {
      isInteger = false
      if !advance(over: UInt8(ascii: "+")) { advance(over: UInt8(ascii: "-")) }
      guard skipDigits() > 0 else { throw syntaxFault("a digit in the exponent") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    return .number(Double(text) ?? .infinity)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position - start
  }
}

// MARK: - Bytes and faults

extension JSONReader {
  var isAtEnd: Bool { position >= bytes.count }

  var current: UInt8? { isAtEnd ? nil : bytes[position] }

  private mutating func skipBlanks() {
    while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A { position += 1 }
  }

  @discardableResult
  private mutating func advance(over byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    skipBlanks()
    return advance(over: byte)
  }

  private mutating func expect(_ byte: UInt8, _ name: String) throws(Refusal) {
    guard skip(byte) else { throw syntaxFault(name) }
  }

  /// Where the reader is in the line's structure.
  var renderedPath: String? {
    path.isEmpty ? nil : path.reduce("") { $1.appended(to: $0) }
  }

  /// Keeps a fault behind which reading can go on; only the first counts.
  mutating func note(_ refusal: Refusal) {
    fault = fault ?? refusal
  }

  /// Keeps that a string holds what is no text.
  mutating func noteUnreadableString(_ words: String) {
    unreadableStrings += 1
    note(Refusal(.invalidJSON, words, path: renderedPath))
  }

  /// A fault behind which nothing can be read.
  func syntaxFault(_ expected: String) -> Refusal {
    Refusal(.invalidJSON, "\(source.place(of: position, in: bytes)) where JSON needs \(expected)")
  }
}
