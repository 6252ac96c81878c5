/// The text of an element that is gathered, with the markup in it.
struct TextCapture: Sendable {
  /// Its place in the stack.
  var index: Int
  var limit: Int
  /// Whether its text is markup already, so that what was a reference must become one again.
  var isMarkup: Bool
  /// Whether nothing of it is kept.
  var isDropped = false
  var text: [UInt8] = []
  var isCut = false

  /// Whether more text is of use.
  var wantsText: Bool { !isCut && !isDropped }

  mutating func append(_ bytes: Span<UInt8>) {
    guard !isDropped else { return }
    let room = limit - text.count
    if bytes.count > room { isCut = true }
    text.append(bytes, 0..<min(bytes.count, room))
  }

  mutating func append(_ literal: StaticString) {
    literal.withUTF8Buffer { append($0.span) }
  }

  mutating func append(reference character: Unicode.Scalar) {
    switch character {
    case "<" where isMarkup: append("&lt;")
    case ">" where isMarkup: append("&gt;")
    case "&" where isMarkup: append("&amp;")
    default:
      var bytes: [UInt8] = []
      bytes.append(scalar: character.value)
      append(bytes.span)
    }
  }

  /// Drops the beginning of a character that was cut from the end of the text.
  mutating func dropPartOfCharacter() {
    guard isCut, let lead = text.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return }
    let available = text.count - lead
    let isWhole = UTF8Sequence.length(at: lead, in: text.span, available: available) == .complete(available)
    if !isWhole { text.removeSubrange(lead...) }
  }
}
