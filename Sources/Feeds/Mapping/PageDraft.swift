import PodfluxCore

/// What is read of a web page: the feeds that it names.
struct PageDraft: Sendable {
  private(set) var isPage = false
  private(set) var feeds: [WebAddress] = []
  private var base: WebAddress?

  /// Takes an element of a document whose root is no feed's.
  mutating func take(_ element: FeedElement, address: WebAddress?) {
    switch element.tag {
    case .html: isPage = true
    case .htmlBase:
      isPage = true
      // A page whose base cannot be read has none.
      base = try? element.optionalAddress("href")
    case .link: takeLink(element, address: address)
    default: break
    }
  }

  private mutating func takeLink(_ element: FeedElement, address: WebAddress?) {
    var link = element
    link.base = base ?? address
    guard feeds.count < FeedLimits.maximumAlternates, let relations = try? link.optional("rel"),
      relations.lowercased().split(whereSeparator: \.isWhitespace).contains("alternate"),
      let type = try? link.optional("type"), Self.isFeed(type), let feed = try? link.address("href")
    else { return }
    isPage = true
    if !feeds.contains(feed) { feeds.append(feed) }
  }

  private static func isFeed(_ type: String) -> Bool {
    let essence = type.lowercased().prefix { $0 != ";" && !$0.isWhitespace }
    return ["application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml"]
      .contains(essence)
  }
}
