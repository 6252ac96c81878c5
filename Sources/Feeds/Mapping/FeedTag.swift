/// The elements that a feed is read from. The raw value is the name as its specification writes it, in lower case, with
/// the prefix by which its namespace is known; elements of RSS have none.
enum FeedTag: String, CaseIterable, Sendable {
  // Documents.
  case rss = "rss", rdf = "rdf:rdf", channel = "channel", atomFeed = "atom:feed"
  case item = "item", atomEntry = "atom:entry"
  // RSS.
  case title = "title", link = "link", description = "description", language = "language", author = "author"
  case managingEditor = "managingeditor", pubDate = "pubdate", lastBuildDate = "lastbuilddate", ttl = "ttl"
  case skipHours = "skiphours", hour = "hour", skipDays = "skipdays", day = "day", category = "category"
  case image = "image", url = "url", guid = "guid", enclosure = "enclosure", generator = "generator"
  case contentEncoded = "content:encoded", dcCreator = "dc:creator", dcDate = "dc:date", dcTitle = "dc:title"
  case dcLanguage = "dc:language", dcIdentifier = "dc:identifier"
  case updatePeriod = "sy:updateperiod", updateCount = "sy:updatefrequency"
  case archive = "fh:archive", complete = "fh:complete"
  case rdfEnclosure = "enc:enclosure"
  // Atom.
  case atomTitle = "atom:title", atomSubtitle = "atom:subtitle", atomTagline = "atom:tagline", atomLink = "atom:link"
  case atomID = "atom:id", atomPublished = "atom:published", atomIssued = "atom:issued", atomUpdated = "atom:updated"
  case atomModified = "atom:modified", atomCreated = "atom:created", atomSummary = "atom:summary"
  case atomContent = "atom:content", atomAuthor = "atom:author", atomName = "atom:name", atomCategory = "atom:category"
  case atomLogo = "atom:logo", atomIcon = "atom:icon"
  // iTunes and Google Play.
  case itunesTitle = "itunes:title", itunesAuthor = "itunes:author", itunesSummary = "itunes:summary"
  case itunesSubtitle = "itunes:subtitle", itunesImage = "itunes:image", itunesDuration = "itunes:duration"
  case itunesExplicit = "itunes:explicit", itunesSeason = "itunes:season", itunesEpisode = "itunes:episode"
  case itunesEpisodeType = "itunes:episodetype", itunesType = "itunes:type", itunesCategory = "itunes:category"
  case itunesNewFeedURL = "itunes:new-feed-url", itunesComplete = "itunes:complete", itunesBlock = "itunes:block"
  case itunesOwner = "itunes:owner", itunesName = "itunes:name", itunesEmail = "itunes:email"
  case playAuthor = "googleplay:author", playDescription = "googleplay:description", playImage = "googleplay:image"
  // Podcasting 2.0.
  case podcastGUID = "podcast:guid", medium = "podcast:medium", locked = "podcast:locked", person = "podcast:person"
  case season = "podcast:season", episode = "podcast:episode", podcastImage = "podcast:image"
  case podcastImages = "podcast:images", transcript = "podcast:transcript", chapters = "podcast:chapters"
  case updateFrequency = "podcast:updatefrequency", alternateEnclosure = "podcast:alternateenclosure"
  case source = "podcast:source", integrity = "podcast:integrity"
  // Media RSS.
  case mediaGroup = "media:group", mediaContent = "media:content", mediaThumbnail = "media:thumbnail"
  case mediaTitle = "media:title", mediaDescription = "media:description"
  // Web pages.
  case html = "html", htmlBase = "base", script = "script", style = "style"

  /// How the content of the element is read.
  enum Content: Sendable {
    /// Elements, which are read each by itself. Its attributes are kept.
    case elements
    /// Text, with at most `limit` bytes.
    case text(limit: Int)
  }

  var content: Content {
    if isDescription { return .text(limit: FeedLimits.maximumDescriptionBytes) }
    switch self {
    case .rss, .rdf, .channel, .atomFeed, .item, .atomEntry, .skipHours, .skipDays, .image, .atomAuthor, .itunesOwner,
      .alternateEnclosure, .mediaGroup, .mediaContent, .html, .script, .style, .htmlBase,
      .itunesCategory:
      return .elements
    default: return .text(limit: FeedLimits.maximumTextBytes)
    }
  }

  /// Whether it describes, at length.
  var isDescription: Bool {
    switch self {
    case .description, .contentEncoded, .itunesSummary, .atomSummary, .atomContent, .playDescription,
      .mediaDescription, .atomSubtitle, .atomTagline:
      true
    default: false
    }
  }

  /// The length of `item`: only the start of an episode is of interest below the deepest element.
  static let shortestEpisodeName = 4

  /// Whether episodes may be its children.
  var containsEpisodes: Bool {
    switch self {
    case .channel, .rss, .rdf, .atomFeed: true
    default: false
    }
  }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// The tag with a name that consists of a known prefix, if any, and a local name in lower case.
  init?(name: String) {
    guard let tag = Self.byName[name] else { return nil }
    self = tag
  }
}
