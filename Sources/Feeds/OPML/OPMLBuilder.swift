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
  private var groups: [Group] = []
  /// Whether a group is written as no program writes one that it puts around all feeds: it was named by a person.
  private var hasOwnWrapper = false
  /// How many outlines are open beyond the deepest.
  private var deeperOutlines = 0
  private var title: TextCapture?

  private struct Group: Sendable {
    var name: String?
    /// Whether the outline is a feed, or part of one.
    var isOfFeed = false
  }

  /// Reads no further: the document is none that could be OPML.
  mutating func giveUp() {
    isOver = true
  }

  func finished() throws(OPMLError) -> OPMLDocument {
    guard isOPML else { throw error }
    var document = document
    if !hasOwnWrapper { document.dropWrapper() }
    return document
  }

  // MARK: Outlines

  private mutating func open(_ outline: OPMLOutline) {
    let group = groups.last?.name
    switch outline.meaning(isWithinFeed: groups.last?.isOfFeed ?? false) {
    case .feed(let url):
      addFeed(url, title: outline.title ?? outline.text, group: group)
      push(Group(name: group, isOfFeed: true))
    case .formerFeed: push(Group(name: group, isOfFeed: true))
    case .other(let url):
      reject(url, isUnsupportedScheme: false)
      push(Group(name: subgroup(named: outline.text ?? outline.title, of: group)))
    case .group:
      if groups.isEmpty, outline.title != nil { hasOwnWrapper = true }
      push(Group(name: subgroup(named: outline.text ?? outline.title, of: group)))
    case .part: push(Group(name: group, isOfFeed: true))
    }
  }

  private mutating func push(_ group: Group) {
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
      let isUnsupportedScheme = if case .unsupportedScheme = error { true } else { false }
      reject(url, isUnsupportedScheme: isUnsupportedScheme)
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

  private mutating func reject(_ url: String, isUnsupportedScheme: Bool) {
    document.rejectedCount += 1
    guard document.rejected.count < OPMLLimits.maximumRejections else { return }
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
      open(OPMLOutline(tag, attributes: attributes))
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
