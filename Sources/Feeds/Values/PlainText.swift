/// Text without markup, for titles and names.
enum PlainText {
  /// The text of a field that may contain HTML: tags of HTML are dropped, references replaced, control characters
  /// dropped, runs of blanks become one blank.
  ///
  /// A `<` that begins no tag of HTML is text: `List<Int>`, `a < b`. A title that is escaped once too often loses that
  /// too, which costs a title such as "What `&amp;` means".
  static func text(ofHTML html: [UInt8]) -> String {
    let bytes = html.span
    guard bytes.firstIndex(of: UInt8(ascii: "<"), or: UInt8(ascii: "&"), from: 0) < bytes.count else {
      return trimmed(html)
    }
    var text: [UInt8] = []
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "<"):
        if let (end, separates) = tag(bytes, at: index) {
          if separates { text.append(0x20) }
          index = end
          continue
        }
        text.append(bytes[index])
      case UInt8(ascii: "&"):
        if case .character(let scalar, let length) = CharacterReference.read(bytes, at: index, isEnd: true) {
          if let scalar { text.append(scalar: scalar.value) }
          index += length
          continue
        }
        text.append(bytes[index])
      case let byte: text.append(byte)
      }
      index += 1
    }
    return trimmed(text)
  }

  /// The text with control characters dropped and each run of blanks as one blank, none at the ends.
  static func trimmed(_ bytes: [UInt8]) -> String {
    if isTrim(bytes) { return String(decoding: bytes, as: UTF8.self) }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var (index, isBlankDue) = (0, false)
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      // U+0080 to U+009F in UTF-8, control characters too, and U+00A0, which `&nbsp;` leaves.
      if byte == 0xC2, index < bytes.count, (0x80...0xA0).contains(bytes[index]) {
        if bytes[index] == 0xA0 { isBlankDue = true }
        index += 1
      } else if byte == 0x20 || (0x09...0x0D).contains(byte) {
        isBlankDue = true
      } else if byte > 0x20, byte != 0x7F {
        if isBlankDue, !text.isEmpty { text.append(0x20) }
        isBlankDue = false
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether nothing needs to be trimmed, as in most titles.
  private static func isTrim(_ bytes: [UInt8]) -> Bool {
    var previous: UInt8 = 0x20
    for byte in bytes {
      guard byte > 0x20 && byte != 0x7F || byte == 0x20 && previous != 0x20, byte > 0xA0 || previous != 0xC2 else {
        return false
      }
      previous = byte
    }
    return previous != 0x20
  }

  /// The text without control characters and without blanks at its ends; line breaks stay.
  static func cleaned(_ bytes: [UInt8]) -> String {
    guard let start = bytes.firstIndex(where: { $0 > 0x20 && $0 != 0x7F }),
      let end = bytes.lastIndex(where: { $0 > 0x20 && $0 != 0x7F })
    else { return "" }
    let part = bytes[start...end]
    if !part.contains(where: isControl) { return String(decoding: part, as: UTF8.self) }
    return String(decoding: part.filter { !isControl($0) }, as: UTF8.self)
  }

  /// Whether a byte is a control character other than those that lay out text.
  private static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x0A && byte != 0x09 && byte != 0x0D || byte == 0x7F
  }

  /// Where a tag of HTML or a comment ends, and whether it separates words.
  private static func tag(_ bytes: Span<UInt8>, at start: Int) -> (end: Int, separates: Bool)? {
    var index = start + 1
    if index < bytes.count, bytes[index] == UInt8(ascii: "/") { index += 1 }
    let nameStart = index
    while index < bytes.count, index - nameStart <= longestName, isLetterOrDigit(bytes[index]) { index += 1 }
    guard index > nameStart else { return nil }
    let name = String(bytes, nameStart..<index).lowercased()
    guard let separates = tags[name] else { return nil }
    while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
      if bytes[index] == UInt8(ascii: "<") { return nil }
      index += 1
    }
    return index < bytes.count ? (index + 1, separates) : nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private static let longestName = 10
  /// The elements of HTML that occur in titles, and whether they separate words.
  private static let tags: [String: Bool] = {
    var tags: [String: Bool] = [:]
    for name in [
      "p", "br", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "td", "tr", "table",
      "blockquote", "pre", "section", "article", "img",
    ] { tags[name] = true }
    for name in [
      "a", "abbr", "b", "big", "cite", "code", "del", "em", "font", "i", "ins", "mark", "q", "s", "small",
      "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr", "center", "tbody", "time", "label",
    ] { tags[name] = false }
    return tags
  }()
}
