extension MediaSignature {
  /// HTML, XML, JSON or plain text.
  static func ofText(_ prefix: MediaPrefix) -> MediaSignature? {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = skippingWhiteSpace(prefix, from: prefix.has(byteOrderMark) ? byteOrderMark.count : 0)
    if isAny(of: pageBeginnings, prefix, at: start) { return .html }
    if isAny(of: xmlBeginnings, prefix, at: start) { return isXHTML(prefix, from: start) ? .html : .xml }
    guard isPlainText(prefix.bytes) else { return nil }
    return prefix[start] == UInt8(ascii: "{") || prefix[start] == UInt8(ascii: "[") ? .json : .text
  }

  /// In lower case.
  private static let pageBeginnings = [
    "<!doctype html", "<html", "<head", "<body", "<script", "<title", "<meta", "<!--",
  ].map { Array($0.utf8) }

  /// In lower case.
  private static let xmlBeginnings = ["<?xml", "<rss", "<feed", "<opml", "<svg"].map { Array($0.utf8) }

  private static let whiteSpace: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20]

  private static func skippingWhiteSpace(_ prefix: MediaPrefix, from position: Int) -> Int {
    var position = position
    while let byte = prefix[position], whiteSpace.contains(byte) { position += 1 }
    return position
  }

  /// Whether one of these stands there, whatever its case.
  private static func isAny(of beginnings: [[UInt8]], _ prefix: MediaPrefix, at position: Int) -> Bool {
    guard position < prefix.count else { return false }
    return beginnings.contains { beginning in
      let bytes = prefix.bytes[position...].prefix(beginning.count)
      // `<metadata` is no `<meta`.
      let isWhole = !isLetter(beginning.last) || !isPartOfName(prefix[position + beginning.count])
      return isWhole && bytes.elementsEqual(beginning) { lowercased($0) == $1 }
    }
  }

  private static func isLetter(_ byte: UInt8?) -> Bool {
    byte.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased($0)) } ?? false
  }

  /// Whether the name of an element goes on with this byte.
  private static func isPartOfName(_ byte: UInt8?) -> Bool {
    isLetter(byte) || byte.map { Set("0123456789-_:.".utf8).contains($0) || $0 >= 0x80 } ?? false
  }

  /// Whether a page follows the XML declaration: many portals send XHTML.
  private static func isXHTML(_ prefix: MediaPrefix, from start: Int) -> Bool {
    guard prefix.has("<?", at: start), let end = prefix.bytes[start...].firstIndex(of: UInt8(ascii: ">")) else {
      return false
    }
    return isAny(of: pageBeginnings.dropLast(), prefix, at: skippingWhiteSpace(prefix, from: end + 1))
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Whether these are one byte or more of UTF-8 without control characters but white space. A last character that is cut
  /// off does not matter.
  private static func isPlainText(_ bytes: [UInt8]) -> Bool {
    let whole = bytes.dropLast(cutBytes(bytes))
    guard !whole.isEmpty, whole.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || whiteSpace.contains($0) }) else {
      return false
    }
    return String(validating: whole, as: UTF8.self) != nil
  }

  /// How many bytes at the end begin a character of which more would have to follow.
  private static func cutBytes(_ bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.count - count]
      // A byte that goes on with a character says nothing of how long it is.
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
