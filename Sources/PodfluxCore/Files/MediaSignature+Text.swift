extension MediaSignature {
  /// HTML, a feed, other XML, JSON or plain text.
  static func ofText(_ prefix: MediaPrefix) -> MediaSignature? {
    if let markup = ofMarkup(prefix) { return markup }
    guard isPlainText(prefix.bytes) else { return nil }
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = prefix.skippingBlanks(from: prefix.has(byteOrderMark) ? byteOrderMark.count : 0)
    return prefix[start] == UInt8(ascii: "{") || prefix[start] == UInt8(ascii: "[") ? .json : .text
  }

  /// Whether these are UTF-8, at least one byte, without control characters except white space. The last character may
  /// be incomplete.
  private static func isPlainText(_ bytes: [UInt8]) -> Bool {
    let whole = bytes.dropLast(cutBytes(bytes))
    guard !whole.isEmpty,
      whole.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || MediaPrefix.blanks.contains($0) })
    else {
      return false
    }
    return String(validating: whole, as: UTF8.self) != nil
  }

  /// How many bytes at the end belong to an incomplete character.
  private static func cutBytes(_ bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.count - count]
      // A continuation byte does not tell the character's length.
      if byte & 0xC0 == 0x80 { continue }
      let length = byte.leadingOneBitCount
      return (2...4).contains(length) && length > count ? count : 0
    }
    return 0
  }
}

extension UInt8 {
  fileprivate var leadingOneBitCount: Int { (~self).leadingZeroBitCount }
}
