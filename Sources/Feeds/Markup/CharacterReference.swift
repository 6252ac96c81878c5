/// References to characters: `&amp;`, `&eacute;`, `&#233;`, `&#xE9;`.
///
/// Entities that a document declares are not among them: their declarations are skipped, and a reference to one is
/// plain text. So no entity can expand, and none can name a file or a host.
enum CharacterReference {
  /// What stands at an ampersand.
  enum Reading: Equatable {
    /// A reference of `length` bytes to a character; nil for one that no text can hold, such as U+0000.
    case character(Unicode.Scalar?, length: Int)
    /// An ampersand that begins no reference, as in `Tom & Jerry` or `?a=1&b=2`.
    case literal
    /// The bytes end before that is decided.
    case incomplete
  }

  /// Reads what stands at the ampersand at `start`.
  static func read(_ bytes: Span<UInt8>, at start: Int, isEnd: Bool) -> Reading {
    let end: Int
    switch semicolon(bytes, at: start, isEnd: isEnd) {
    case .found(let index): end = index
    case .absent: return .literal
    case .incomplete: return .incomplete
    }
    let length = end + 1 - start
    guard bytes[start + 1] == UInt8(ascii: "#") else {
      guard length - 2 <= NamedCharacters.maximumLength,
        let scalar = NamedCharacters.character(named: String(bytes, start + 1..<end))
      else { return .literal }
      return .character(scalar, length: length)
    }
    guard let code = number(bytes, start + 2..<end) else { return .literal }
    guard (0xD800...0xDBFF).contains(code) else { return .character(scalar(code), length: length) }
    // Software that counts in UTF-16 writes one character as two references.
    switch semicolon(bytes, at: end + 1, isEnd: isEnd) {
    case .found(let index):
      guard bytes[end + 2] == UInt8(ascii: "#"), let low = number(bytes, end + 3..<index),
        (0xDC00...0xDFFF).contains(low)
      else { break }
      let pair = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
      return .character(Unicode.Scalar(pair), length: index + 1 - start)
    case .incomplete: return .incomplete
    case .absent: break
    }
    return .character(scalar(code), length: length)
  }

  private enum Ending {
    case found(Int)
    case absent
    case incomplete
  }

  /// Where the reference that begins at `start` ends.
  private static func semicolon(_ bytes: Span<UInt8>, at start: Int, isEnd: Bool) -> Ending {
    guard start < bytes.count else { return isEnd ? .absent : .incomplete }
    guard bytes[start] == UInt8(ascii: "&") else { return .absent }
    let limit = min(bytes.count, start + FeedLimits.maximumReferenceBytes)
    var end = start + 1
    while end < limit, isNameByte(bytes[end]) || (end == start + 1 && bytes[end] == UInt8(ascii: "#")) { end += 1 }
    guard end < limit else { return end - start < FeedLimits.maximumReferenceBytes && !isEnd ? .incomplete : .absent }
    return bytes[end] == UInt8(ascii: ";") && end > start + 1 ? .found(end) : .absent
  }

  /// The text of a part of a span with its references replaced.
  static func decoded(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    let part = bytes.extracting(range)
    var (index, start) = (0, 0)
    var text: [UInt8] = []
    while true {
      index = part.firstIndex(of: UInt8(ascii: "&"), or: UInt8(ascii: "&"), from: index)
      guard index < part.count else { break }
      guard case .character(let scalar, let length) = read(part, at: index, isEnd: true) else {
        index += 1
        continue
      }
      text.append(part, start..<index)
      if let scalar { text.append(scalar: scalar.value) }
      index += length
      start = index
    }
    guard start > 0 else { return String(part, 0..<part.count) }
    text.append(part, start..<part.count)
    return String(decoding: text, as: UTF8.self)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  /// The number behind `#`: decimal, or hexadecimal behind an `x`. Beyond Unicode it is the largest number.
  private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32? {
    guard let first = range.first else { return nil }
    let isHexadecimal = bytes[first] | 0x20 == UInt8(ascii: "x")
    let digits = isHexadecimal ? range.dropFirst() : range
    guard !digits.isEmpty else { return nil }
    let radix: UInt32 = isHexadecimal ? 16 : 10
    var value: UInt32 = 0
    for index in digits {
      guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue, digit < radix else { return nil }
      value = min(value * radix + UInt32(digit), 0x110000)
    }
    return value
  }

  /// A code from 80 to 9F means windows-1252 (HTML, "numeric character reference end state").
  private static func scalar(_ code: UInt32) -> Unicode.Scalar? {
    switch code {
    case 0x09, 0x0A, 0x0D: return Unicode.Scalar(code)
    case 0..<0x20, 0x7F: return nil
    case 0x80...0x9F:
      var text: [UInt8] = []
      SingleByteCharset.western.append(UInt8(code), to: &text)
      return String(decoding: text, as: UTF8.self).unicodeScalars.first
    default: return Unicode.Scalar(code) ?? "\u{FFFD}"
    }
  }
}
