import PodfluxCore

/// What of an outline's attributes is read.
struct OPMLOutline: Sendable {
  var text: String?
  var title: String?
  private var feedURL: String?
  private var url: String?
  private var pageURL: String?
  private var type: String?
  private var subscribed: String?

  init(_ tag: Span<UInt8>, attributes: [AttributeRange]) {
    for attribute in attributes where attribute.value.count <= FeedLimits.maximumAttributeBytes {
      switch String(inLowerCase: tag.extracting(attribute.name)) {
      case "xmlurl": feedURL = feedURL ?? Self.value(attribute, in: tag)
      case "url": url = url ?? Self.value(attribute, in: tag)
      case "htmlurl": pageURL = pageURL ?? Self.value(attribute, in: tag)
      case "type": type = type ?? Self.value(attribute, in: tag)?.lowercased()
      case "text": text = text ?? Self.value(attribute, in: tag)
      case "title": title = title ?? Self.value(attribute, in: tag)
      case "subscribed": subscribed = subscribed ?? Self.value(attribute, in: tag)
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

  enum Meaning: Sendable {
    case feed(url: String)
    /// A feed that Overcast knows and that its person does not follow (any more).
    case formerFeed
    /// A URL that is not said to be a feed's.
    case other(url: String)
    case group
    /// A part of a feed, such as an episode.
    case part
  }

  /// What the outline is. Only an `xmlUrl` makes it a feed within another one, which was left open.
  func meaning(isWithinFeed: Bool) -> Meaning {
    if let feedURL { return subscribed == "0" ? .formerFeed : .feed(url: feedURL) }
    guard !isWithinFeed else { return .part }
    guard let url else {
      guard let pageURL, type == "rss" || type == "atom" else { return .group }
      return .other(url: pageURL)
    }
    switch type {
    case "rss", "atom": return .feed(url: url)
    case "link" where isLinkToFeed(url): return .feed(url: url)
    default: return .other(url: url)
    }
  }

  /// gPodder takes each link with a `url` for a feed. In a directory (OPML 2.0) it is a page or another list.
  private func isLinkToFeed(_ url: String) -> Bool {
    text != nil && pageURL == nil
      && RemoteName.lastPathComponent(ofURL: url).flatMap(FileExtension.of(name:)) != "opml"
  }
}
