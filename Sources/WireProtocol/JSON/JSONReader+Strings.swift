import PodfluxCore

/// Strings: most hold no escape and are taken over in one piece.
extension JSONReader {
  /// Reads a string; the position is at its first quote.
  mutating func readString() throws(Refusal) -> String {
    position += 1
    let start = position
    try skipPlainBytes()
    if current == UInt8(ascii: "\"") {
      position += 1
      return text(bytes[start..<position - 1])
    }
    return try readEscapedString(from: start)
  }

  private mutating func readEscapedString(from start: Int) throws(Refusal) -> String {
    var unescaped = Array(bytes[start..<position])
    while current != UInt8(ascii: "\"") {
      position += 1
      try readEscape(into: &unescaped)
      let plain = position
      try skipPlainBytes()
      unescaped += bytes[plain..<position]
    }
    position += 1
    return text(unescaped[...])
  }

  /// Goes to the next quote or backslash.
  private mutating func skipPlainBytes() throws(Refusal) {
    while let byte = current {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      guard byte >= 0x20 else { throw syntaxFault("an escape such as \\u0000 for a control character") }
      position += 1
    }
    throw syntaxFault("the closing quote of a string")
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(Refusal) {
    let letter = current
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter ?? 0)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): try readCodePoint(into: &text)
    default:
      position -= 1
      throw syntaxFault("one of \" \\ / b f n r t u behind a backslash")
    }
  }

  /// Reads the digits behind `\u`, and those of the second half of a surrogate pair.
  private mutating func readCodePoint(into text: inout [UInt8]) throws(Refusal) {
    let unit = try readHexDigits()
    var value = UInt32(unit)
    if UTF16.isLeadSurrogate(unit), bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
      let afterFirst = position
      position += 2
      let second = try readHexDigits()
      if UTF16.isTrailSurrogate(second) {
        value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
      } else {
        position = afterFirst
      }
    }
    guard let scalar = Unicode.Scalar(value) else {
      noteUnreadableString("half a surrogate pair stands alone in a string; escape both")
      return
    }
    text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
  }

  private mutating func readHexDigits() throws(Refusal) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw syntaxFault("four hexadecimal digits behind \\u")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }

  private mutating func text(_ bytes: ArraySlice<UInt8>) -> String {
    // For ASCII `String(decoding:)` has a short way; `String(validating:)` has none, and costs more than all else here.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    noteUnreadableString("a string is not valid UTF-8; send UTF-8 only")
    return ""
  }
}
