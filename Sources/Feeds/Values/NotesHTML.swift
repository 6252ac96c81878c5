import PodfluxCore

/// Show notes as HTML in which nothing can act.
///
/// The result is written anew: tags of the elements of `NotesElement` without attributes, links to `http`, `https` and
/// `mailto`, and escaped text, all of it well nested. So no reader has to agree with this one on what the source means.
/// It refuses nothing: what is unknown costs its tag and leaves its text, what no reader shows (scripts, styles,
/// frames) goes whole, and of a picture its alternative text stays.
package enum NotesHTML {
  /// The notes of an episode.
  ///
  /// Text without any tag of HTML gets paragraphs where it has empty lines, and line breaks. What is longer than
  /// `EpisodeNotes.maximumBytes` is cut, never within a tag, a reference or a character. Cost: linear in the source,
  /// twice.
  ///
  /// - Parameter source: HTML or plain text, as a feed has it.
  package static func notes(_ source: String) -> EpisodeNotes {
    EpisodeNotes(html(source, upTo: EpisodeNotes.maximumBytes))
  }

  static func html(_ source: String, upTo limit: Int) -> String {
    let bytes = Array(source.utf8)
    guard hasMarkup(bytes) else {
      var text = PlainNotes(limit: limit)
      scan(bytes, to: &text)
      return text.writer.finished()
    }
    var notes = MarkedNotes(limit: limit)
    scan(bytes, to: &notes)
    return notes.writer.finished()
  }

  /// Whether a text has any tag of HTML. Mostly it begins with one.
  private static func hasMarkup(_ bytes: [UInt8]) -> Bool {
    var (scanner, search) = (MarkupScanner(), MarkupSearch())
    var start = 0
    while start < bytes.count, !search.isFound {
      let end = min(start + FeedLimits.pieceBytes, bytes.count)
      scanner.scan(bytes.span.extracting(start..<end), to: &search)
      start = end
    }
    return search.isFound
  }

  private static func scan(_ bytes: [UInt8], to handler: inout some MarkupHandler) {
    var scanner = MarkupScanner()
    scanner.scan(bytes.span, to: &handler)
    scanner.finish(to: &handler)
  }
}

/// What the tags of HTML mean in notes.
private enum NotesTag {
  case element(NotesElement)
  /// Its tag goes, its content stays.
  case transparent
  /// The same, and it divides words.
  case blank
  case picture
  /// It goes with its content.
  case hidden

  /// What the name of a tag means; nil if HTML has no such element.
  init?(_ name: Span<UInt8>) {
    // No element of HTML has as long a name.
    guard name.count < 32, let tag = Self.byName[String(inLowerCase: name)] else { return nil }
    self = tag
  }

  private static let byName: [String: NotesTag] = {
    var tags: [String: NotesTag] = ["img": .picture]
    for element in NotesElement.allCases { tags[element.rawValue] = .element(element) }
    for name in [
      "address", "article", "aside", "caption", "center", "dd", "details", "dl", "dt", "fieldset", "figcaption",
      "figure", "footer", "form", "header", "main", "nav", "section", "summary", "table", "tbody", "tfoot", "thead",
      "tr",
    ] { tags[name] = .element(.div) }
    for name in ["td", "th", "option"] { tags[name] = .blank }
    for name in [
      "abbr", "bdi", "bdo", "big", "body", "button", "cite", "data", "del", "dfn", "embed", "font", "head", "html",
      "input", "ins", "kbd", "label", "link", "mark", "meta", "q", "s", "samp", "small", "span", "strike", "sub", "sup",
      "time", "tt", "u", "var", "wbr",
    ] { tags[name] = .transparent }
    for name in [
      "applet", "audio", "canvas", "iframe", "math", "noembed", "noframes", "noscript", "object", "script", "select",
      "style", "svg", "template", "textarea", "title", "video", "xmp",
    ] { tags[name] = .hidden }
    return tags
  }()
}

/// Whether a text has any tag of HTML.
private struct MarkupSearch: MarkupHandler {
  private(set) var isFound = false

  var wantsText: Bool { false }

  mutating func start(_ name: Range<Int>, in tag: Span<UInt8>, attributes: [AttributeRange]) -> MarkupContent {
    if !isFound { isFound = NotesTag(tag.extracting(name)) != nil }
    return .markup
  }

  mutating func text(_ bytes: Span<UInt8>) {}
  mutating func reference(to character: Unicode.Scalar) {}
  mutating func end(_ name: Span<UInt8>) {}
}

extension NotesWriter {
  /// What looks like a tag and is none of HTML. An address in angle brackets is text.
  fileprivate mutating func unknown(_ tag: Span<UInt8>) {
    let name = String(tag, 1..<tag.count).prefix { !$0.isWhitespace }
    guard name.contains("@") || name.contains("://") else { return }
    text(tag)
    character(">")
  }
}

/// Notes that are written in HTML.
private struct MarkedNotes: MarkupHandler {
  var writer: NotesWriter
  /// Whether the end that comes next is that of a link whose address, without quotes, ends with a slash: it is none.
  private var skipsEnd = false

  init(limit: Int) {
    writer = NotesWriter(limit: limit)
  }

  var wantsText: Bool { !writer.isFull }

  mutating func start(_ name: Range<Int>, in tag: Span<UInt8>, attributes: [AttributeRange]) -> MarkupContent {
    switch NotesTag(tag.extracting(name)) {
    case .element(.a):
      let href = value("href", in: tag, attributes)
      writer.start(.a, href: href.flatMap(Self.link))
      skipsEnd = href != nil && tag[tag.count - 1] == UInt8(ascii: "/")
    case .element(let element): writer.start(element)
    case .transparent: break
    case .blank: writer.character(" ")
    case .picture: if let alternative = value("alt", in: tag, attributes) { writer.text(Array(alternative.utf8).span) }
    case .hidden: return .raw
    case nil: writer.unknown(tag)
    }
    return .markup
  }

  mutating func text(_ bytes: Span<UInt8>) { writer.text(bytes) }

  mutating func reference(to character: Unicode.Scalar) { writer.character(character) }

  mutating func end(_ name: Span<UInt8>) {
    guard !skipsEnd else { return skipsEnd = false }
    switch NotesTag(name) {
    case .element(let element): writer.end(element)
    case .blank: writer.character(" ")
    case .transparent, .picture, .hidden, nil: break
    }
  }

  /// The value of the first attribute of a name (HTML, "attribute name state": a second one does not count).
  private func value(_ name: String, in tag: Span<UInt8>, _ attributes: [AttributeRange]) -> String? {
    guard let attribute = attributes.first(where: { String(tag, $0.name).lowercased() == name }) else { return nil }
    return CharacterReference.decoded(tag, attribute.value)
  }

  /// Where a link may lead: by web or mail. Nil for everything else, what is relative to nothing included.
  private static func link(_ text: String) -> String? {
    if let address = try? URLReference.resolve(text, base: nil) { return address.hasUser ? nil : address.description }
    let link = PlainText.cleaned(Array(text.utf8))
    guard link.prefix(mail.count).lowercased() == mail, link.utf8.count <= longestMailLink,
      link.utf8.allSatisfy({ $0 > 0x20 })
    else { return nil }
    return link
  }

  private static let mail = "mailto:"
  private static let longestMailLink = 2048
}

/// Notes that are plain text.
private struct PlainNotes: MarkupHandler {
  var writer: NotesWriter
  /// The line breaks since the last text.
  private var breaks = 0

  init(limit: Int) {
    writer = NotesWriter(limit: limit)
  }

  var wantsText: Bool { !writer.isFull }

  mutating func start(_ name: Range<Int>, in tag: Span<UInt8>, attributes: [AttributeRange]) -> MarkupContent {
    layOut()
    writer.unknown(tag)
    return .markup
  }

  mutating func text(_ bytes: Span<UInt8>) {
    var start = 0
    while start < bytes.count {
      let end = bytes.firstIndex(of: 0x0A, or: 0x0A, from: start)
      line(bytes.extracting(start..<end))
      if end < bytes.count { breaks += 1 }
      start = end + 1
    }
  }

  mutating func reference(to character: Unicode.Scalar) {
    guard character != "\n" else { return breaks += 1 }
    layOut()
    writer.character(character)
  }

  mutating func end(_ name: Span<UInt8>) {}

  /// A part of a line.
  private mutating func line(_ bytes: Span<UInt8>) {
    var start = 0
    if breaks > 0 || !writer.hasOpen {
      while start < bytes.count, TagSearch.isBlank(bytes[start]) { start += 1 }
    }
    guard start < bytes.count else { return }
    layOut()
    writer.text(bytes.extracting(start..<bytes.count))
  }

  /// Begins a line or a paragraph before text, if it begins one.
  private mutating func layOut() {
    if !writer.hasOpen || breaks > 1 {
      writer.start(.p)
    } else if breaks == 1 {
      writer.start(.br)
    }
    breaks = 0
  }
}
