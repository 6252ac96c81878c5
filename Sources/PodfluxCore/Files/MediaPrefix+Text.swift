/// Reads first bytes as markup: ASCII, ignoring case.
extension MediaPrefix {
  static let blanks: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20]

  /// UTF-16 narrowed to one byte per unit, recognized by a byte order mark or by how markup begins (XML 1.0 appendix
  /// F.1). Non-ASCII units become non-ASCII bytes.
  var narrowed: MediaPrefix {
    guard let order = utf16 else { return self }
    return MediaPrefix(
      stride(from: order.start, to: count - 1, by: 2).map { position in
        let (high, low) = order.isBigEndian ? (position, position + 1) : (position + 1, position)
        return bytes[high] == 0 ? bytes[low] : 0xFF
      })
  }

  private var utf16: (start: Int, isBigEndian: Bool)? {
    guard let first = self[0], let second = self[1] else { return nil }
    func mayBegin(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "<") || Self.blanks.contains(byte) }
    switch (first, second) {
    case (0xFE, 0xFF): return (2, true)
    case (0xFF, 0xFE): return (2, false)
    case (0, let byte) where mayBegin(byte): return (0, true)
    case (let byte, 0) where mayBegin(byte): return (0, false)
    default: return nil
    }
  }

  /// The first position at or after this one without white space.
  func skippingBlanks(from position: Int) -> Int {
    var position = position
    while let byte = self[position], Self.blanks.contains(byte) { position += 1 }
    return position
  }

  /// Whether this text is at a position, ignoring case.
  ///
  /// - Parameters:
  ///   - beginning: ASCII, in lower case.
  ///   - isName: Whether it must be a complete name: `<metadata` does not begin with the name `<meta`.
  func begins(_ beginning: String, at position: Int, asName isName: Bool = false) -> Bool {
    guard position <= count, !isName || self[position + beginning.utf8.count].map(Self.isPartOfName) != true else {
      return false
    }
    return bytes[position...].prefix(beginning.utf8.count).elementsEqual(beginning.utf8) { Self.lowercased($0) == $1 }
  }

  /// The position after the first occurrence of this text from a position on; nil if there is none.
  ///
  /// - Parameter text: ASCII, in lower case.
  func end(of text: String, from position: Int) -> Int? {
    guard position <= count else { return nil }
    return (position..<count).first { begins(text, at: $0) }.map { $0 + text.utf8.count }
  }

  /// The position after the document type declaration that begins here; nil if it is incomplete (XML 1.0 section 2.8).
  func endOfDocumentType(from position: Int) -> Int? {
    var depth = 0
    for position in position..<count {
      switch bytes[position] {
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where depth <= 0: return position + 1
      default: break
      }
    }
    return nil
  }

  /// Whether an element's name may contain this byte.
  static func isPartOfName(_ byte: UInt8) -> Bool {
    byte >= 0x80 || nameBytes.contains(lowercased(byte))
  }

  private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-_:.".utf8)

  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
