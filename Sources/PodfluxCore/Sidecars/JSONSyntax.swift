/// The syntax of JSON (RFC 8259): whether bytes from outside follow it, and how values are written.
enum JSONSyntax {
  /// How deep values may lie in each other.
  static let maximumDepth = 64

  /// Whether the bytes are one object, perhaps behind a byte order mark, and nothing else. Cost: linear in their
  /// number.
  static func isObject(_ bytes: [UInt8]) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    var reader = JSONScanner(bytes)
    return reader.isObject()
  }

  /// A text as a JSON string.
  static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// Walks over JSON without keeping any of it.
private struct JSONScanner {
  private let bytes: [UInt8]
  private var index = 0
  /// What ends the open arrays and objects.
  private var open: [UInt8] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func isObject() -> Bool {
    skipBlanks()
    guard next == UInt8(ascii: "{") else { return false }
    // Each round reads a value, and then what may follow one.
    repeat {
      guard value() else { return false }
    } while goesOn
    guard open.isEmpty else { return false }
    skipBlanks()
    return next == nil
  }

  private var goesOn = false

  /// Reads a value, or the beginning of one, and goes on to where the next one must stand.
  private mutating func value() -> Bool {
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"):
      guard enter(UInt8(ascii: "}")) else { return false }
      if !take(UInt8(ascii: "}")) {
        goesOn = true
        return member()
      }
      open.removeLast()
    case UInt8(ascii: "["):
      guard enter(UInt8(ascii: "]")) else { return false }
      if !take(UInt8(ascii: "]")) {
        goesOn = true
        return true
      }
      open.removeLast()
    case UInt8(ascii: "\""): guard string() else { return false }
    case UInt8(ascii: "t"): guard word("true") else { return false }
    case UInt8(ascii: "f"): guard word("false") else { return false }
    case UInt8(ascii: "n"): guard word("null") else { return false }
    default: guard number() else { return false }
    }
    return endOfValue()
  }

  private mutating func endOfValue() -> Bool {
    while let end = open.last {
      skipBlanks()
      if take(end) {
        open.removeLast()
        continue
      }
      guard take(UInt8(ascii: ",")) else { return false }
      goesOn = true
      return end == UInt8(ascii: "]") || member()
    }
    goesOn = false
    return true
  }

  private mutating func enter(_ end: UInt8) -> Bool {
    index += 1
    open.append(end)
    skipBlanks()
    return open.count <= JSONSyntax.maximumDepth
  }

  /// Reads the name of a member and its colon.
  private mutating func member() -> Bool {
    skipBlanks()
    guard string() else { return false }
    skipBlanks()
    return take(UInt8(ascii: ":"))
  }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func word(_ text: StaticString) -> Bool {
    let wanted = text.withUTF8Buffer { Array($0) }
    guard bytes[index...].starts(with: wanted) else { return false }
    index += wanted.count
    return true
  }

  private mutating func string() -> Bool {
    guard take(UInt8(ascii: "\"")) else { return false }
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"):
        guard let escaped = next else { return false }
        index += 1
        if escaped == UInt8(ascii: "u") {
          let digits = bytes[index...].prefix(4)
          guard digits.count == 4, digits.allSatisfy(Self.isHexadecimal) else { return false }
          index += 4
        } else if !"\"\\/bfnrt".utf8.contains(escaped) {
          return false
        }
      case ..<0x20: return false
      default: break
      }
    }
    return false
  }

  private mutating func number() -> Bool {
    _ = take(UInt8(ascii: "-"))
    let isZero = next == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, !isZero || whole == 1 else { return false }
    if take(UInt8(ascii: ".")), digits() == 0 { return false }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      return digits() > 0
    }
    return true
  }

  private mutating func digits() -> Int {
    let start = index
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    return index - start
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...102).contains(byte | 0x20)
  }
}
