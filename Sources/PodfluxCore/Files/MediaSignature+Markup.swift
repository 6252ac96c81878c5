extension MediaSignature {
  /// HTML, a feed, or other XML; nil for other content and for elements that prove nothing.
  ///
  /// Feeds begin in many ways (XML 1.0 section 2.8): with a byte order mark, blank lines, a declaration, style sheets,
  /// comments, a document type. The name of the root element decides.
  static func ofMarkup(_ prefix: MediaPrefix) -> MediaSignature? {
    let markup = MarkupBeginning(prefix)
    switch markup.root {
    case .page: return .html
    case .element(let name, _):
      if let feed = ofFeed(root: name, markup.text) { return feed }
      if pageElements.contains(name) { return .html }
      if name == "svg" { return .xml }
    case .beyondSight, .none: break
    }
    switch markup.opening {
    case .declaration: return .xml
    // Most often a captive portal's page.
    case .comment: return .html
    case .other: return nil
    }
  }

  /// Whether the prefix is markup that does not yet show its root element: with more bytes `init(_:)` may give another
  /// signature. Cost: linear in their number.
  static func isUndecided(_ prefix: some Collection<UInt8>) -> Bool {
    guard prefix.count < length else { return false }
    let markup = MarkupBeginning(MediaPrefix(prefix))
    switch markup.root {
    case .beyondSight: return true
    case .element("rdf", let end): return markup.text.end(of: ">", from: end) == nil
    case .element(_, let end): return end == markup.text.count
    case .page, .none: return false
    }
  }

  private static let pageElements: Set = ["html", "head", "body", "script", "title", "meta"]

  /// The kind of feed with such a root element (RSS 2.0; RSS 1.0 section 5.2; RFC 4287 section 4.1.1; OPML 2.0).
  private static func ofFeed(root name: String, _ text: MediaPrefix) -> MediaSignature? {
    switch name {
    case "rss": .rss
    // Not every RDF document is RSS 0.90 or 1.0.
    case "rdf": rdfNamespaces.contains { text.end(of: $0, from: 0) != nil } ? .rss : nil
    case "feed": .atom
    case "opml": .opml
    default: nil
    }
  }

  private static let rdfNamespaces = ["//purl.org/rss/1.0/", "//my.netscape.com/rdf/simple/0.9/"]
}

/// The beginning of markup: what precedes its root element, and that element's name.
private struct MarkupBeginning {
  /// What the prefix shows of the root element.
  enum Root: Equatable {
    /// The document type is HTML.
    case page
    /// Its local name, in lower case, and the position after it.
    case element(String, end: Int)
    /// The root element, if there is one, begins after the prefix.
    case beyondSight
    /// There is none: the content is no markup.
    case none
  }

  /// The first construct.
  enum Opening {
    case declaration, comment, other
  }

  /// The first bytes, one for each character.
  let text: MediaPrefix
  let opening: Opening
  let root: Root

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  init(_ prefix: MediaPrefix) {
    text = prefix.narrowed
    let start = text.skippingBlanks(from: text.has(Self.byteOrderMark) ? Self.byteOrderMark.count : 0)
    opening =
      text.begins("<!--", at: start) ? .comment : text.begins("<?xml", at: start, asName: true) ? .declaration : .other
    root = Self.root(of: text, from: start)
  }

  private static func root(of text: MediaPrefix, from start: Int) -> Root {
    var position = start
    while position < text.count {
      guard text.begins("<", at: position) else { return .none }
      let end: Int?
      if text.begins("<?", at: position) {
        // Some files lack the second question mark.
        end = text.end(of: "?>", from: position) ?? text.end(of: ">", from: position)
      } else if text.begins("<!--", at: position) {
        end = text.end(of: "-->", from: position)
      } else if text.begins("<!doctype html", at: position, asName: true) {
        return .page
      } else if text.begins("<!doctype", at: position, asName: true) {
        end = text.endOfDocumentType(from: position)
      } else {
        return element(of: text, from: position)
      }
      guard let end else { return .beyondSight }
      position = text.skippingBlanks(from: end)
    }
    return .beyondSight
  }

  private static func element(of text: MediaPrefix, from start: Int) -> Root {
    let nameStart = start + 1
    var end = nameStart
    while let byte = text[end], MediaPrefix.isPartOfName(byte) { end += 1 }
    guard end > nameStart else {
      // This may be a truncated comment or document type.
      let isCut = text.begins("<!", at: start) && text.count - start < "<!doctype".utf8.count
      return isCut || end == text.count ? .beyondSight : .none
    }
    let name = text.bytes[nameStart..<end].split(separator: UInt8(ascii: ":")).last ?? []
    return .element(String(decoding: name.map(MediaPrefix.lowercased), as: UTF8.self), end: end)
  }
}
