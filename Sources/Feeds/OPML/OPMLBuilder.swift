import PodfluxCore

/// Builds a list of subscriptions from tags and text.
struct OPMLBuilder: Sendable {
  /// Whether the document has shown to be OPML.
  private(set) var isOPML = false
  /// Whether nothing further counts.
  private(set) var isOver = false

  private var document = OPMLDocument()
  /// What the document is if it is no OPML.
  private var error = OPMLError.empty
  private var outlines = 0
  private var textBytes = 0
  private var known: Set<EnclosureKey> = []
  /// For each open outline the group of those in it.
  private var groups: [String?] = []
  /// How many outlines are open beyond the deepest.
  private var deeperOutlines = 0
  private var title: TextCapture?

  /// Reads no further: the document is none that could be OPML.
  mutating func giveUp() {
    isOver = true
  }

  func finished() throws(OPMLError) -> OPMLDocument {
    guard isOPML else { throw error }
    return document
  }

  // MARK: Outlines

  /// What of an outline's attributes is read.
  private struct Outline {
    var url: String?
    var text: String?
    var title: String?

    init(_ tag: Span<UInt8>, attributes: [AttributeRange]) {
      for attribute in attributes where attribute.value.count <= FeedLimits.maximumAttributeBytes {
        switch String(inLowerCase: tag.extracting(attribute.name)) {
        case "xmlurl": url = url ?? Self.value(attribute, in: tag)
        case "text": text = text ?? Self.value(attribute, in: tag)
        case "title": title = title ?? Self.value(attribute, in: tag)
        default: break
        }
      }
    }

    /// The value without blanks around it; nil if it has none.
    private static func value(_ attribute: AttributeRange, in tag: Span<UInt8>) -> String? {
      let decoded = CharacterReference.decoded(tag, attribute.value)
      let value = PlainText.trimmed(Array(decoded.utf8))
      return value.isEmpty ? nil : value
    }
  }

  private mutating func open(_ outline: Outline) {
    let group = groups.last ?? nil
    if let url = outline.url {
      addFeed(url, title: outline.title ?? outline.text, group: group)
      push(group)
    } else {
      push(subgroup(named: outline.text ?? outline.title, of: group))
    }
  }

  private mutating func push(_ group: String?) {
    if groups.count < OPMLLimits.maximumDepth { groups.append(group) } else { deeperOutlines += 1 }
  }

  private mutating func pop() {
    if deeperOutlines > 0 { deeperOutlines -= 1 } else { _ = groups.popLast() }
  }

  private func subgroup(named name: String?, of group: String?) -> String? {
    guard let part = name.flatMap({ OPMLGroup.path(of: [$0.cut(toBytes: OPMLLimits.maximumTitleBytes)]) }) else {
      return group
    }
    let path = group.map { $0 + "/" + part } ?? part
    return path.utf8.count <= OPMLLimits.maximumGroupBytes ? path : group
  }

  private mutating func addFeed(_ url: String, title: String?, group: String?) {
    let address: WebAddress
    do {
      address = try URLReference.resolve(url, base: nil)
    } catch {
      reject(url, fault: error)
      return
    }
    guard known.insert(EnclosureKey(address)).inserted else { return }
    let title = title == url ? nil : title?.cut(toBytes: OPMLLimits.maximumTitleBytes)
    textBytes += address.description.utf8.count + (title?.utf8.count ?? 0) + (group?.utf8.count ?? 0)
    guard textBytes <= OPMLLimits.maximumTextBytes else {
      cut()
      return
    }
    document.feeds.append(OPMLDocument.Feed(address: address, title: title, group: group))
  }

  private mutating func reject(_ url: String, fault: WebAddress.Fault) {
    document.rejectedCount += 1
    guard document.rejected.count < OPMLLimits.maximumRejections else { return }
    let isUnsupportedScheme = if case .unsupportedScheme = fault { true } else { false }
    let shown = SecretParts.shown(url, upTo: OPMLLimits.maximumRejectedCharacters)
    document.rejected.append(OPMLDocument.Rejection(url: shown, isUnsupportedScheme: isUnsupportedScheme))
  }

  private mutating func cut() {
    document.isCut = true
    isOver = true
  }
}

extension OPMLBuilder: DocumentBuilder {
  var hasRoot: Bool { isOPML }

  var wantsText: Bool { title != nil }

  mutating func start(_ name: Range<Int>, in tag: Span<UInt8>, attributes: [AttributeRange]) -> MarkupContent {
    guard !isOver else { return .markup }
    switch String(inLowerCase: tag.extracting(name)) {
    case "opml": isOPML = true
    case "outline":
      isOPML = true
      title = nil
      outlines += 1
      guard outlines <= OPMLLimits.maximumOutlines else {
        cut()
        return .markup
      }
      open(Outline(tag, attributes: attributes))
    case "title" where isOPML && outlines == 0 && document.title == nil:
      title = TextCapture(index: 0, limit: OPMLLimits.maximumTitleBytes, isMarkup: false)
    case let root where !isOPML: judge(root)
    default: break
    }
    return .markup
  }

  /// What a document is that begins with another element.
  private mutating func judge(_ root: String) {
    switch root {
    case "rss", "feed", "rdf:rdf", "channel": error = .feed
    case "html", "head", "body": error = .page
    default: error = .unknown
    }
    isOver = true
  }

  mutating func text(_ bytes: Span<UInt8>) {
    title?.append(bytes)
  }

  mutating func reference(to character: Unicode.Scalar) {
    title?.append(reference: character)
  }

  mutating func end(_ name: Span<UInt8>) {
    guard !isOver else { return }
    switch String(inLowerCase: name) {
    case "outline": pop()
    case "opml", "body": document.isWhole = true
    case "title":
      guard var title = title.take() else { return }
      title.dropPartOfCharacter()
      let text = PlainText.trimmed(title.text)
      document.title = text.isEmpty ? nil : text
    default: break
    }
  }
}
