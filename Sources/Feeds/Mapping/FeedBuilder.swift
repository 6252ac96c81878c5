import PodfluxCore

/// Builds podcast and episodes from tags and text, one episode at a time.
///
/// It keeps the open elements as a stack of bounded depth. An end tag closes the innermost element of its name and all
/// within; one that matches none is ignored. The start of an episode closes the elements that were left open.
struct FeedBuilder: Sendable {
  private(set) var dialect: FeedDialect?
  /// Whether nothing further counts.
  private(set) var isOver = false
  /// Episodes that have ended, to be taken.
  var finished: [FeedEpisode] = []
  var podcast = PodcastDraft()
  var episode: EpisodeDraft?

  private var page = PageDraft()
  private var isWhole = false
  /// Whether RSS's channel has ended, and no episode has begun behind it: nothing of the feed follows (RSS 2.0).
  private var hasChannelEnded = false
  private var ordinal = 0
  private var episodes = 0
  private var problems = FeedProblems()

  private var stack: [OpenElement] = []
  /// Those of the open elements that are read, the innermost last.
  private var elements: [FeedElement] = []
  /// The names of the open elements, one after another.
  private var names: [UInt8] = []
  /// How many elements beyond the deepest are open.
  private var skippedElements = 0
  private var namespaces = NamespaceScope()
  private var bases: [(address: WebAddress, depth: Int)] = []
  private let address: WebAddress?
  private let keepsDescriptions: Bool
  private var capture: TextCapture?
  /// The buffer of a former element's text, empty, for the next one.
  private var spareText: [UInt8] = []

  private struct OpenElement: Sendable {
    var nameStart: Int
    /// By which most names that differ are told apart.
    var nameHash: UInt8
    /// Nil for one that is not read.
    var tag: FeedTag?
    /// Whether it is part of a captured text and its start tag has a slash, which is its end too.
    var isEmptyMarkup = false
  }

  /// - Parameter keepsDescriptions: Whether the descriptions of episodes are read.
  init(address: WebAddress?, keepsDescriptions: Bool) {
    self.address = address
    self.keepsDescriptions = keepsDescriptions
  }

  private var base: WebAddress? { bases.last?.address ?? address }

  /// Adds a problem, with the episode to which it belongs.
  mutating func report(_ problem: FeedProblem) {
    problems.append(
      FeedProblem(
        element: problem.element, attribute: problem.attribute, fault: problem.fault,
        episode: episode?.value.ordinal))
  }

  /// The value, or nil and a problem.
  mutating func attempt<Value>(_ read: () throws(FeedProblem) -> Value?) -> Value? {
    do {
      return try read()
    } catch {
      report(error)
      return nil
    }
  }

  /// Reads no further: the document is none that could be a feed.
  mutating func giveUp() {
    isOver = true
  }

  /// The bytes that it keeps for what has not ended.
  var retainedBytes: Int {
    names.count + (capture?.text.count ?? 0) + (episode?.description.value?.count ?? 0) + finished.count
  }

  func outcome(charset: String) -> FeedOutcome {
    guard let dialect else { return page.isPage ? .page(feeds: page.feeds) : .unknown }
    return .feed(
      FeedReport(
        dialect: dialect, podcast: podcast.value, episodes: episodes, isWhole: isWhole || hasChannelEnded,
        charset: charset, problems: problems))
  }
}

// MARK: - Tags

extension FeedBuilder: DocumentBuilder {
  var hasRoot: Bool { dialect != nil }

  var wantsText: Bool { capture?.wantsText ?? false }

  mutating func start(_ name: Range<Int>, in bytes: Span<UInt8>, attributes: [AttributeRange]) -> MarkupContent {
    guard !isOver else { return .markup }
    if skippedElements > 0, name.count < FeedTag.shortestEpisodeName {
      skippedElements += 1
      return .markup
    }
    let name = bytes.extracting(name)
    let hash = name.shortHash
    declareNamespaces(of: name, in: bytes, attributes: attributes)
    let tag = namespaces.tag(named: name, hash: hash)
    if dialect != nil, let tag, tag == .item || tag == .atomEntry { closeEpisode() }
    guard skippedElements == 0, stack.count < FeedLimits.maximumDepth else {
      skippedElements += 1
      namespaces.leave(depth: stack.count)
      return .markup
    }
    var open = OpenElement(nameStart: names.count, nameHash: hash)
    names.append(name, 0..<name.count)
    guard capture == nil else {
      capture?.append(bytes)
      capture?.append(">")
      open.isEmptyMarkup = bytes[bytes.count - 1] == UInt8(ascii: "/")
      stack.append(open)
      return .markup
    }
    // What stands in an unknown element says nothing of the episode or podcast around it.
    let isWithinUnknown = dialect != nil && stack.last.map { $0.tag == nil } ?? false
    open.tag = isWithinUnknown ? nil : tag
    stack.append(open)
    guard let tag = open.tag else { return .markup }
    let element = element(tag, in: bytes, attributes: attributes)
    let content = self.open(element)
    elements.append(element)
    return content
  }

  mutating func text(_ bytes: Span<UInt8>) {
    capture?.append(bytes)
  }

  mutating func reference(to character: Unicode.Scalar) {
    capture?.append(reference: character)
  }

  mutating func end(_ name: Span<UInt8>) {
    guard !isOver else { return }
    guard skippedElements == 0 else {
      skippedElements -= 1
      return
    }
    let hash = name.shortHash
    guard let index = stack.indices.last(where: { stack[$0].nameHash == hash && isNamed(name, at: $0) }) else { return }
    if let captured = capture?.index, index > captured {
      if index < stack.count - 1 || !stack[index].isEmptyMarkup { appendEndTag(name) }
      while stack.count > index { removeTop() }
      return
    }
    close(to: index)
  }

  private mutating func appendEndTag(_ name: Span<UInt8>) {
    capture?.append("</")
    capture?.append(name)
    capture?.append(">")
  }

  private func isNamed(_ name: Span<UInt8>, at index: Int) -> Bool {
    let end = index + 1 < stack.count ? stack[index + 1].nameStart : names.count
    return names.span.extracting(stack[index].nameStart..<end).hasBytes(of: name)
  }

  private mutating func declareNamespaces(
    of name: Span<UInt8>, in bytes: Span<UInt8>, attributes: [AttributeRange]
  ) {
    let depth = stack.count
    let isAtom = dialect == nil && name.hasBytes(of: "feed")
    if isAtom { namespaces.declare(prefix: "", address: "http://www.w3.org/2005/Atom", depth: depth, isRoot: false) }
    for attribute in attributes where attribute.name.count >= 5 && bytes[attribute.name.lowerBound] | 0x20 == 0x78 {
      let text = String(bytes, attribute.name)
      guard text == "xmlns" || text.hasPrefix("xmlns:") else { continue }
      let address = CharacterReference.decoded(bytes, attribute.value)
      namespaces.declare(
        prefix: String(text.dropFirst(6)), address: address, depth: depth, isRoot: dialect == nil && !isAtom)
    }
  }

  /// The element on top of the stack with its attributes; one with `xml:base` changes what the URLs in it refer to.
  private mutating func element(_ tag: FeedTag, in bytes: Span<UInt8>, attributes: [AttributeRange]) -> FeedElement {
    guard !attributes.isEmpty else { return FeedElement(tag, base: base) }
    var values: [FeedElement.Attribute] = []
    values.reserveCapacity(attributes.count)
    for attribute in attributes {
      let name = String(inLowerCase: bytes.extracting(attribute.name))
      if attribute.value.count > FeedLimits.maximumAttributeBytes {
        values.append(.init(name: name, value: nil))
      } else if !name.utf8.span.begins(with: "xmlns") {
        values.append(.init(name: name, value: CharacterReference.decoded(bytes, attribute.value)))
      }
    }
    let element = FeedElement(tag, attributes: values, base: base)
    guard let own = attempt({ () throws(FeedProblem) in try element.optionalAddress("xml:base") }) else {
      return element
    }
    bases.append((own, stack.count - 1))
    var based = element
    based.base = own
    return based
  }

  // MARK: Opening and closing

  /// Acts on an element's start, and says how its content is read.
  private mutating func open(_ element: FeedElement) -> MarkupContent {
    guard dialect != nil else { return openBeforeRoot(element) }
    switch element.tag {
    case .item, .atomEntry:
      ordinal += 1
      hasChannelEnded = false
      episode = EpisodeDraft(ordinal: ordinal)
    case .alternateEnclosure: episode?.beginAlternate()
    case .mediaGroup: episode?.beginGroup()
    // A category may contain others, which follow it.
    case .itunesCategory: map(element, parent: stack.dropLast().last?.tag)
    default: break
    }
    if case .text(let limit) = element.tag.content {
      let type = element.value(of: "type")?.lowercased()
      let isMarkup = type == "xhtml" || type == "application/xhtml+xml"
      var capture = TextCapture(
        index: stack.count - 1, limit: limit, isMarkup: isMarkup,
        isDropped: !keepsDescriptions && episode != nil && element.tag.isDescription)
      swap(&capture.text, &spareText)
      self.capture = capture
    }
    return .markup
  }

  private mutating func openBeforeRoot(_ element: FeedElement) -> MarkupContent {
    switch element.tag {
    case .rss, .channel: dialect = .rss
    case .rdf: dialect = .rdf
    case .atomFeed: dialect = .atom
    case .script, .style: return .raw
    default: page.take(element, address: address)
    }
    return .markup
  }

  /// Closes the episode that is open, and all that was left open in it or behind the last one.
  private mutating func closeEpisode() {
    skippedElements = 0
    guard let container = stack.lastIndex(where: { $0.tag?.containsEpisodes ?? false }) else { return }
    close(to: container + 1)
  }

  private mutating func close(to count: Int) {
    while stack.count > count, let open = removeTop() {
      guard open.tag != nil, var element = elements.popLast() else { continue }
      if capture?.index == stack.count, var ended = capture.take() {
        if ended.isCut { report(element.problem(.tooLong)) }
        ended.dropPartOfCharacter()
        swap(&element.text, &ended.text)
      }
      complete(element, parent: stack.last?.tag)
      // The text of a description is kept, and long.
      if element.text.capacity > spareText.capacity, !element.tag.isDescription {
        element.text.removeAll(keepingCapacity: true)
        swap(&element.text, &spareText)
      }
    }
  }

  @discardableResult
  private mutating func removeTop() -> OpenElement? {
    guard let open = stack.popLast() else { return nil }
    names.removeLast(names.count - open.nameStart)
    namespaces.leave(depth: stack.count)
    if !bases.isEmpty, bases[bases.count - 1].depth >= stack.count { bases.removeLast() }
    return open
  }

  private mutating func complete(_ element: FeedElement, parent: FeedTag?) {
    switch element.tag {
    case .item, .atomEntry: finishEpisode(element)
    case .rss, .rdf, .atomFeed: isWhole = true
    case .channel where dialect == .rss && (parent == nil || parent == .rss):
      hasChannelEnded = true
      isWhole = parent == nil
    case .itunesCategory: break
    default: map(element, parent: parent)
    }
    if isWhole { isOver = true }
  }

  private mutating func finishEpisode(_ element: FeedElement) {
    guard episode != nil else { return }
    if let value = episode?.complete() {
      episodes += 1
      finished.append(value)
    } else {
      report(element.problem(.unidentifiable))
    }
    episode = nil
  }

  /// Reads an element into podcast or episode. An error costs what the element says.
  private mutating func map(_ element: FeedElement, parent: FeedTag?) {
    guard let parent else { return }
    do {
      switch parent {
      case .item, .atomEntry, .alternateEnclosure, .mediaGroup, .mediaContent:
        try mapInEpisode(element, parent: parent)
      case .atomAuthor where episode != nil: try mapInEpisode(element, parent: parent)
      default: try mapInPodcast(element, parent: parent)
      }
    } catch {
      report(error)
    }
  }
}
