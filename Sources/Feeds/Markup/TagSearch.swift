/// Finds the end of a start tag, over several pieces, and splits the tag.
struct TagSearch: Sendable {
  /// How many bytes of the tag have been searched.
  private var searched = 1
  private var place = Place.outside
  private var previous: UInt8 = 0

  private enum Place: Sendable {
    case outside
    case behindEquals
    case unquoted
    case quoted(UInt8)
  }

  /// Whether the tag ends with a slash. It may: `<a href=x/>` is empty too.
  var endsWithSlash: Bool { previous == UInt8(ascii: "/") }

  /// The bytes searched so far are dropped: the search goes on at the front of the next ones.
  mutating func beginRest() {
    searched = 0
  }

  /// The index of the `>` that ends the tag, or of a `<` that cuts it off; nil if neither is before the limit.
  mutating func end(in bytes: Span<UInt8>, tag start: Int, limit: Int) -> Int? {
    let bytes = bytes.extracting(..<limit)
    var index = start + searched
    while index < limit {
      switch place {
      case .outside:
        let next = bytes.firstIndex(of: UInt8(ascii: "="), or: UInt8(ascii: ">"), or: UInt8(ascii: "<"), from: index)
        if let last = (index..<next).last(where: { !Self.isBlank(bytes[$0]) }) { previous = bytes[last] }
        index = next
        guard index < limit else { continue }
        guard bytes[index] == UInt8(ascii: "=") else { return index }
        place = .behindEquals
        previous = UInt8(ascii: "=")
      case .quoted(let quote):
        index = bytes.firstIndex(of: quote, or: quote, from: index)
        guard index < limit else { continue }
        place = .outside
        previous = quote
      case .behindEquals, .unquoted:
        let byte = bytes[index]
        guard byte != UInt8(ascii: ">"), byte != UInt8(ascii: "<") else { return index }
        advance(over: byte)
      }
      index += 1
    }
    searched = max(limit - start, searched)
    return nil
  }

  /// Goes on behind a byte of a value, or of the blanks before it.
  private mutating func advance(over byte: UInt8) {
    if Self.isBlank(byte) {
      if case .unquoted = place { place = .outside }
      return
    }
    previous = byte
    guard case .behindEquals = place else { return }
    place = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") ? .quoted(byte) : .unquoted
  }

  /// The name in a tag that begins with `<`.
  static func name(of tag: Span<UInt8>) -> Range<Int> {
    let limit = min(tag.count, FeedLimits.maximumNameBytes)
    var end = 1
    while end < limit, !isBlank(tag[end]), tag[end] != UInt8(ascii: "/") {
      end += 1
    }
    return 1..<end
  }

  /// The name, and the attributes, of a tag that begins with `<` and has lost its `>`.
  static func split(_ tag: Span<UInt8>, into attributes: inout [AttributeRange]) -> Range<Int> {
    if !attributes.isEmpty { attributes.removeAll(keepingCapacity: true) }
    let name = name(of: tag)
    var index = name.upperBound
    while attributes.count < FeedLimits.maximumAttributes {
      while index < tag.count, isBlank(tag[index]) || tag[index] == UInt8(ascii: "/") { index += 1 }
      guard index < tag.count else { break }
      let start = index
      while index < tag.count, !isBlank(tag[index]), tag[index] != UInt8(ascii: "=") { index += 1 }
      let attribute = start..<index
      while index < tag.count, isBlank(tag[index]) { index += 1 }
      guard index < tag.count, tag[index] == UInt8(ascii: "=") else {
        attributes.append(AttributeRange(name: attribute, value: index..<index))
        continue
      }
      index += 1
      while index < tag.count, isBlank(tag[index]) { index += 1 }
      attributes.append(AttributeRange(name: attribute, value: value(in: tag, at: &index)))
    }
    return name
  }

  private static func value(in tag: Span<UInt8>, at index: inout Int) -> Range<Int> {
    guard index < tag.count else { return index..<index }
    let quote = tag[index]
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      let start = index + 1
      index = tag.firstIndex(of: quote, or: quote, from: start)
      if let blank = lostQuote(in: tag, value: start..<index) {
        index = blank
        return start..<blank
      }
      defer { index = min(index + 1, tag.count) }
      return start..<index
    }
    let start = index
    while index < tag.count, !isBlank(tag[index]) { index += 1 }
    let isLast = index == tag.count && index > start && tag[index - 1] == UInt8(ascii: "/")
    return start..<(isLast ? index - 1 : index)
  }

  /// Where a value ends that lacks its second quote, as in `url="x length="5"`: before the name of the next attribute.
  private static func lostQuote(in tag: Span<UInt8>, value: Range<Int>) -> Int? {
    guard value.count > 2, tag[value.upperBound - 1] == UInt8(ascii: "=") else { return nil }
    var index = value.upperBound - 2
    while index > value.lowerBound, isNameStart(tag[index]) || tag[index] == UInt8(ascii: "-") { index -= 1 }
    return isBlank(tag[index]) && index < value.upperBound - 2 ? index : nil
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  static func isNameStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: ":"), 0x80...:
      true
    default: false
    }
  }
}
