import PodfluxCore

/// The elements that notes have.
enum NotesElement: String, CaseIterable, Sendable {
  case p, div, br, hr, a, ul, ol, li, em, strong, b, i, h1, h2, h3, h4, h5, h6, blockquote, code, pre

  /// Whether it has no content and no end tag.
  var isVoid: Bool { self == .br || self == .hr }

  /// Whether it is a block of text, which no paragraph contains.
  var isBlock: Bool {
    switch self {
    case .br, .a, .em, .strong, .b, .i, .code: false
    case .p, .div, .hr, .ul, .ol, .li, .h1, .h2, .h3, .h4, .h5, .h6, .blockquote, .pre: true
    }
  }

  var isHeading: Bool {
    switch self {
    case .h1, .h2, .h3, .h4, .h5, .h6: true
    default: false
    }
  }

  /// The length of the end tag in bytes; 0 for a void element, which has none.
  var endTagBytes: Int { isVoid ? 0 : rawValue.utf8.count + 3 }
}

/// Writes HTML of a bounded length, well nested. An element without content is not written. Once something does not fit
/// it takes nothing further.
struct NotesWriter {
  /// How many elements lie in each other at most. Deeper ones leave their content.
  static let maximumDepth = 32

  /// Whether something did not fit.
  private(set) var isFull = false
  private let limit: Int
  private var html: [UInt8] = []
  private var open: [NotesElement] = []
  /// The start tags of the innermost open elements, which are written with their content, one after another.
  private var tags: [[UInt8]] = []
  /// The bytes of the end tags of what is open and written.
  private var endBytes = 0
  /// Whether there is text that can be seen.
  private var isVisible = false

  /// - Parameter limit: In bytes.
  init(limit: Int) {
    self.limit = limit
  }

  /// Whether an element is open.
  var hasOpen: Bool { !open.isEmpty }

  /// The text; empty if nothing of it can be seen.
  func finished() -> String {
    guard isVisible else { return "" }
    var all = self
    all.close(to: 0)
    return String(decoding: all.html, as: UTF8.self)
  }

  // MARK: Elements

  /// Begins an element, after the end of what cannot contain it.
  ///
  /// - Parameter href: Where a link leads; one that leads nowhere leaves its content.
  mutating func start(_ element: NotesElement, href: String? = nil) {
    guard !isFull else { return }
    endWhatCannotContain(element)
    guard element != .a || href != nil else { return }
    guard open.count < Self.maximumDepth else { return }
    var tag = Array("<\(element.rawValue)".utf8)
    if let href {
      tag += Array(" href=\"".utf8)
      for byte in href.utf8 { Self.append(byte, to: &tag, inQuotes: true) }
      tag.append(UInt8(ascii: "\""))
    }
    tag.append(UInt8(ascii: ">"))
    guard element.isVoid else {
      open.append(element)
      return tags.append(tag)
    }
    if fits(tag.count) { html += tag }
  }

  /// Ends the innermost element of its kind, and all within. An end that matches no beginning means nothing.
  mutating func end(_ element: NotesElement) {
    guard !isFull, let index = open.lastIndex(of: element) else { return }
    close(to: index)
  }

  /// As readers of HTML do: a block ends a paragraph, an item the one before it, a heading a heading, a link a link.
  private mutating func endWhatCannotContain(_ element: NotesElement) {
    if element == .a { end(.a) }
    guard element.isBlock, let index = open.lastIndex(where: \.isBlock) else { return }
    let block = open[index]
    if block == .p || (element == .li && block == .li) || (element.isHeading && block.isHeading) {
      close(to: index)
      // The paragraph of an item that ends too.
      if element == .li, block == .p { endWhatCannotContain(.li) }
    }
  }

  private mutating func close(to count: Int) {
    while open.count > count, let element = open.popLast() {
      guard tags.popLast() == nil else { continue }
      html += Array("</\(element.rawValue)>".utf8)
      endBytes -= element.endTagBytes
    }
  }

  /// Whether there is room for so many bytes within what is open; its start tags are written.
  private mutating func fits(_ count: Int) -> Bool {
    let begun = open.suffix(tags.count)
    let tagBytes = tags.reduce(0) { $0 + $1.count }
    let ends = begun.reduce(0) { $0 + $1.endTagBytes }
    isFull = isFull || html.count + endBytes + tagBytes + ends + count > limit
    guard !isFull else { return false }
    for tag in tags { html += tag }
    tags.removeAll(keepingCapacity: true)
    endBytes += ends
    return true
  }

  // MARK: Text

  /// Adds text in whole characters. Control characters other than tab and line feed are dropped.
  mutating func text(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count, !isFull {
      var end = index
      while end < bytes.count, Self.isPlain(bytes[end]) { end += 1 }
      if end > index {
        plain(bytes.extracting(index..<end))
      } else {
        // U+0080 to U+00BF have two bytes.
        end = min(index + (bytes[index] == 0xC2 ? 2 : 1), bytes.count)
        special(bytes.extracting(index..<end))
      }
      index = end
    }
  }

  mutating func character(_ scalar: Unicode.Scalar) {
    var bytes: [UInt8] = []
    bytes.append(scalar: scalar.value)
    text(bytes.span)
  }

  /// Whether a byte stays as it is in any text.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), 0x7F, 0xC2: false
    default: byte >= 0x20
    }
  }

  private mutating func plain(_ bytes: Span<UInt8>) {
    // No character is longer.
    guard fits(min(bytes.count, 4)) else { return }
    var end = min(bytes.count, limit - endBytes - html.count)
    if end < bytes.count {
      isFull = true
      while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    }
    html.append(bytes, 0..<end)
    var index = 0
    while !isVisible, index < end {
      isVisible = bytes[index] != 0x20
      index += 1
    }
  }

  /// A character that is written otherwise, or may be none of a text.
  private mutating func special(_ bytes: Span<UInt8>) {
    var text: [UInt8] = []
    switch (bytes[0], bytes.count) {
    case (0xC2, 2):
      guard bytes[1] > 0x9F else { return }
      text = [bytes[0], bytes[1]]
      isVisible = isVisible || bytes[1] != 0xA0
    case (0x09, _), (0x0A, _): text = [bytes[0]]
    case (0..<0x20, _), (0x7F, _): return
    default:
      Self.append(bytes[0], to: &text)
      isVisible = true
    }
    if fits(text.count) { html += text }
  }

  /// Adds a byte of text, or of a value between double quotes.
  private static func append(_ byte: UInt8, to text: inout [UInt8], inQuotes: Bool = false) {
    switch byte {
    case UInt8(ascii: "&"): text += Array("&amp;".utf8)
    case UInt8(ascii: "<"): text += Array("&lt;".utf8)
    case UInt8(ascii: ">"): text += Array("&gt;".utf8)
    case UInt8(ascii: "\"") where inQuotes: text += Array("&quot;".utf8)
    default: text.append(byte)
    }
  }
}
