/// Splits UTF-8 into tags and text, piece by piece, with the patience that real feeds need.
///
/// It is no XML parser: it refuses nothing. An ampersand that begins no reference is an ampersand, a `<` before a blank
/// is a `<`, attributes may lack their quotes, end tags need not match. Doctypes are skipped, with the entities in
/// them. Tags are judged when they are complete; of text nothing is kept back but the beginning of a reference. So
/// the result does not depend on how the document is cut into pieces.
///
/// Each byte is looked at a bounded number of times, and `buffer` holds at most one tag.
struct MarkupScanner: Sendable {
  private var buffer: [UInt8] = []
  private var state = State.text
  /// How much of the tag at the front of the buffer has been searched for its end.
  private var search = TagSearch()
  private var attributes: [AttributeRange] = []

  private enum State: Sendable {
    case text
    case cdata
    case comment
    case instruction
    /// Inside of `<!DOCTYPE`: the depth of its brackets, and its open quote.
    case declaration(brackets: Int, quote: UInt8?)
    /// The rest of a tag that is longer than a tag may be; its start has been delivered.
    case longTag(name: [UInt8])
    case raw(name: [UInt8])
  }

  /// The bytes that it keeps for what has not ended.
  var retainedBytes: Int { buffer.count }

  /// Reads a further piece.
  mutating func scan(_ piece: Span<UInt8>, to handler: inout some MarkupHandler) {
    run(adding: piece, isEnd: false, to: &handler)
  }

  /// Reads what was kept back: the document has ended. A tag that has not ended is dropped.
  mutating func finish(to handler: inout some MarkupHandler) {
    let none: [UInt8] = []
    run(adding: none.span, isEnd: true, to: &handler)
  }

  private mutating func run(adding piece: Span<UInt8>, isEnd: Bool, to handler: inout some MarkupHandler) {
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    bytes.append(piece, 0..<piece.count)
    let consumed = consume(bytes.span, isEnd: isEnd, handler: &handler)
    bytes.removeSubrange(..<(isEnd ? bytes.count : consumed))
    buffer = bytes
  }

  /// Returns how many bytes need not be seen again.
  private mutating func consume(_ bytes: Span<UInt8>, isEnd: Bool, handler: inout some MarkupHandler) -> Int {
    var index = 0
    while index < bytes.count {
      let next: Int?
      switch state {
      case .text: next = text(bytes, from: index, isEnd: isEnd, handler: &handler)
      case .cdata: next = cdata(bytes, from: index, isEnd: isEnd, handler: &handler)
      case .comment: next = skip(bytes, from: index, to: Self.commentEnd)
      case .instruction: next = skip(bytes, from: index, to: Self.instructionEnd)
      case .declaration(let brackets, let quote):
        next = skipDeclaration(bytes, from: index, brackets: brackets, quote: quote)
      case .longTag(let name): next = skipTag(bytes, from: index, name: name, handler: &handler)
      case .raw(let name): next = raw(bytes, from: index, name: name)
      }
      // A step without an end consumes what it can, and waits for the next piece.
      guard let next else { return index }
      if next < 0 { return ~next }
      index = next
    }
    return index
  }

  // MARK: Text

  private mutating func text(
    _ bytes: Span<UInt8>, from start: Int, isEnd: Bool, handler: inout some MarkupHandler
  ) -> Int? {
    let wantsText = handler.wantsText
    let index = bytes.firstIndex(of: UInt8(ascii: "<"), or: UInt8(ascii: wantsText ? "&" : "<"), from: start)
    if wantsText, index > start { handler.text(bytes.extracting(start..<index)) }
    guard index < bytes.count else { return index }
    if bytes[index] == UInt8(ascii: "<") {
      return markup(bytes, from: index, isEnd: isEnd, handler: &handler) ?? ~index
    }
    switch CharacterReference.read(bytes, at: index, isEnd: isEnd) {
    case .character(let scalar, let length):
      if let scalar { handler.reference(to: scalar) }
      return index + length
    case .literal:
      handler.text(bytes.extracting(index..<index + 1))
      return index + 1
    case .incomplete: return ~index
    }
  }

  /// What begins with `<`; nil if that is not decided yet.
  private mutating func markup(
    _ bytes: Span<UInt8>, from start: Int, isEnd: Bool, handler: inout some MarkupHandler
  ) -> Int? {
    guard start + 1 < bytes.count else { return literal(bytes, at: start, isEnd: isEnd, handler: &handler) }
    switch bytes[start + 1] {
    case UInt8(ascii: "/"): return endTag(bytes, from: start, isEnd: isEnd, handler: &handler)
    case UInt8(ascii: "?"):
      state = .instruction
      return start + 2
    case UInt8(ascii: "!"): return declaration(bytes, from: start, isEnd: isEnd)
    case let byte where TagSearch.isNameStart(byte):
      return startTag(bytes, from: start, isEnd: isEnd, handler: &handler)
    default: return literal(bytes, at: start, isEnd: true, handler: &handler)
    }
  }

  /// A `<` that begins nothing.
  private func literal(_ bytes: Span<UInt8>, at start: Int, isEnd: Bool, handler: inout some MarkupHandler) -> Int? {
    guard isEnd else { return nil }
    if handler.wantsText { handler.text(bytes.extracting(start..<start + 1)) }
    return start + 1
  }

  private mutating func cdata(
    _ bytes: Span<UInt8>, from start: Int, isEnd: Bool, handler: inout some MarkupHandler
  ) -> Int? {
    var index = start
    while index < bytes.count {
      index = bytes.firstIndex(of: UInt8(ascii: "]"), or: UInt8(ascii: "]"), from: index)
      if index < bytes.count {
        switch match(Self.cdataEnd, in: bytes, at: index) {
        case .found:
          if handler.wantsText, index > start { handler.text(bytes.extracting(start..<index)) }
          state = .text
          return index + Self.cdataEnd.count
        case .incomplete where !isEnd:
          if handler.wantsText, index > start { handler.text(bytes.extracting(start..<index)) }
          return ~index
        case .incomplete, .absent: index += 1
        }
      }
    }
    if handler.wantsText { handler.text(bytes.extracting(start..<index)) }
    return index
  }

  // MARK: What is skipped

  private static let cdataStart = Array("<![CDATA[".utf8)
  private static let cdataEnd = Array("]]>".utf8)
  private static let commentStart = Array("<!--".utf8)
  private static let commentEnd = Array("-->".utf8)
  private static let instructionEnd = Array("?>".utf8)

  private enum Match { case found, absent, incomplete }

  private func match(_ pattern: [UInt8], in bytes: Span<UInt8>, at start: Int) -> Match {
    for (offset, byte) in pattern.enumerated() {
      guard start + offset < bytes.count else { return .incomplete }
      guard bytes[start + offset] == byte else { return .absent }
    }
    return .found
  }

  private mutating func declaration(_ bytes: Span<UInt8>, from start: Int, isEnd: Bool) -> Int? {
    switch match(Self.commentStart, in: bytes, at: start) {
    case .found:
      state = .comment
      return start + Self.commentStart.count
    case .incomplete where !isEnd: return nil
    case .absent, .incomplete: break
    }
    switch match(Self.cdataStart, in: bytes, at: start) {
    case .found:
      state = .cdata
      return start + Self.cdataStart.count
    case .incomplete where !isEnd: return nil
    case .absent, .incomplete: break
    }
    state = .declaration(brackets: 0, quote: nil)
    return start + 2
  }

  /// Skips to the end of a pattern.
  private mutating func skip(_ bytes: Span<UInt8>, from start: Int, to pattern: [UInt8]) -> Int? {
    var index = start
    while index < bytes.count {
      index = bytes.firstIndex(of: pattern[0], or: pattern[0], from: index)
      if index < bytes.count {
        switch match(pattern, in: bytes, at: index) {
        case .found:
          state = .text
          return index + pattern.count
        case .incomplete: return ~index
        case .absent: index += 1
        }
      }
    }
    return index
  }

  private mutating func skipDeclaration(
    _ bytes: Span<UInt8>, from start: Int, brackets: Int, quote: UInt8?
  ) -> Int? {
    var (brackets, quote) = (brackets, quote)
    for index in start..<bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == open { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "["): brackets = 1
      case UInt8(ascii: "]"): brackets = 0
      case UInt8(ascii: ">") where brackets == 0:
        state = .text
        return index + 1
      default: break
      }
    }
    state = .declaration(brackets: brackets, quote: quote)
    return bytes.count
  }

  /// Skips the text of a script up to `</script`.
  private mutating func raw(_ bytes: Span<UInt8>, from start: Int, name: [UInt8]) -> Int? {
    for index in start..<bytes.count where bytes[index] == UInt8(ascii: "<") {
      guard index + 1 + name.count < bytes.count else { return ~index }
      guard bytes[index + 1] == UInt8(ascii: "/") else { continue }
      if name.indices.allSatisfy({ bytes[index + 2 + $0] | 0x20 == name[$0] | 0x20 }) {
        state = .text
        return index
      }
    }
    return bytes.count
  }

  // MARK: Tags

  private func endTag(
    _ bytes: Span<UInt8>, from start: Int, isEnd: Bool, handler: inout some MarkupHandler
  ) -> Int? {
    let nameStart = start + 2
    let limit = min(bytes.count, nameStart + FeedLimits.maximumNameBytes)
    let index = bytes.extracting(..<limit).firstIndex(of: UInt8(ascii: ">"), or: UInt8(ascii: "<"), from: nameStart)
    guard index < limit else {
      guard limit < nameStart + FeedLimits.maximumNameBytes else { return limit }
      return isEnd ? bytes.count : nil
    }
    var nameEnd = nameStart
    while nameEnd < index, !TagSearch.isBlank(bytes[nameEnd]) { nameEnd += 1 }
    handler.end(bytes.extracting(nameStart..<nameEnd))
    return bytes[index] == UInt8(ascii: ">") ? index + 1 : index
  }

  private mutating func startTag(
    _ bytes: Span<UInt8>, from start: Int, isEnd: Bool, handler: inout some MarkupHandler
  ) -> Int? {
    let limit = min(bytes.count, start + FeedLimits.maximumTagBytes)
    guard let end = search.end(in: bytes, tag: start, limit: limit) else {
      guard limit == start + FeedLimits.maximumTagBytes else { return isEnd ? bytes.count : nil }
      let tag = bytes.extracting(start..<limit)
      deliver(tag, isEmpty: false, handler: &handler)
      var name: [UInt8] = []
      name.append(tag, TagSearch.name(of: tag))
      search.beginRest()
      state = .longTag(name: name)
      return limit
    }
    let isClosed = end < bytes.count && bytes[end] == UInt8(ascii: ">")
    let isEmpty = search.endsWithSlash
    search = TagSearch()
    deliver(bytes.extracting(start..<end), isEmpty: isEmpty, handler: &handler)
    return isClosed ? end + 1 : end
  }

  /// Delivers a start tag, and the end of its element if it is empty.
  private mutating func deliver(_ tag: Span<UInt8>, isEmpty: Bool, handler: inout some MarkupHandler) {
    let name = TagSearch.split(tag, into: &attributes)
    let content = handler.start(name, in: tag, attributes: attributes)
    if isEmpty {
      handler.end(tag.extracting(name))
    } else if content == .raw {
      var rawName: [UInt8] = []
      rawName.append(tag, name)
      state = .raw(name: rawName)
    }
  }

  private mutating func skipTag(
    _ bytes: Span<UInt8>, from start: Int, name: [UInt8], handler: inout some MarkupHandler
  ) -> Int? {
    guard let end = search.end(in: bytes, tag: start, limit: bytes.count) else {
      search.beginRest()
      return bytes.count
    }
    if search.endsWithSlash { handler.end(name.span) }
    search = TagSearch()
    state = .text
    return bytes[end] == UInt8(ascii: ">") ? end + 1 : end
  }
}
