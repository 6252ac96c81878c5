import Flux

/// An episode of a feed, as its row has it.
///
/// ```swift
/// for item in episodes.items where !item.episode.marks.isPlayed { print(item.episode.content.title ?? "", item.feed) }
/// ```
public struct Episode: Hashable, Sendable {
  public let id: EpisodeID
  /// The row of its feed.
  public let feed: Feed.Key
  /// The episode's content as the feed has it, or had it last.
  public var content: EpisodeContent
  /// Whether the feed does not have it any more.
  public var isMissingFromFeed: Bool
  public var marks: Marks
  /// The download that was made for it last; it may be gone.
  public var download: DownloadID?
  /// When the engine first saw it.
  public var added: Timestamp
  /// What a rule has last done about it.
  public var ruling: Ruling?
  /// Whether it appeared later than its date says that it should have.
  public var isBackdated: Bool

  /// An episode and its feed: no two of one feed are given the same download.
  package struct Reference: Hashable, Sendable {
    package let feed: Feed.Key
    package let episode: EpisodeID

    package init(feed: Feed.Key, episode: EpisodeID) {
      self.feed = feed
      self.episode = episode
    }

    /// Whether this is another episode of the same feed.
    func isSibling(of other: Self) -> Bool { feed == other.feed && episode != other.episode }
  }

  /// What a person has noted about an episode.
  ///
  /// Use: `episode.marks`. `PodcastIntent.mark` changes them.
  public struct Marks: Hashable, Sendable {
    public var isPlayed: Bool
    public var isFavorite: Bool
    public var isArchived: Bool

    /// Every mark is off by default.
    package init(isPlayed: Bool = false, isFavorite: Bool = false, isArchived: Bool = false) {
      self.isPlayed = isPlayed
      self.isFavorite = isFavorite
      self.isArchived = isArchived
    }
  }

  package init(
    id: EpisodeID, feed: Feed.Key, content: EpisodeContent, isMissingFromFeed: Bool = false, marks: Marks = .init(),
    download: DownloadID? = nil, added: Timestamp, ruling: Ruling? = nil, isBackdated: Bool = false
  ) {
    self.id = id
    self.feed = feed
    self.content = content
    self.isMissingFromFeed = isMissingFromFeed
    self.marks = marks
    self.download = download
    self.added = added
    self.ruling = ruling
    self.isBackdated = isBackdated
  }
}

/// What identifies an episode that the library knows, for a refresh that finds it again in its feed.
package struct EpisodeTraces: Hashable, Sendable {
  package var id: EpisodeID
  package var guid: String?
  package var enclosure: WebAddress?
  package var title: String?
  package var published: Timestamp?
  package var seconds: Int64?
  package var bytes: Int64?
  /// The guids and enclosures that it had before, the latest last.
  package var formerNames: FormerNames
  /// Of what the feed said of it last.
  package var fingerprint: Int64
  /// The hash of its notes; nil if the library has none, or they were not asked for.
  package var notesHash: Int64?
  package var isMissingFromFeed: Bool

  package init(
    id: EpisodeID, guid: String?, enclosure: WebAddress?, title: String?, published: Timestamp?, seconds: Int64?,
    bytes: Int64?, formerNames: FormerNames, fingerprint: Int64, notesHash: Int64? = nil, isMissingFromFeed: Bool
  ) {
    self.id = id
    self.guid = guid
    self.enclosure = enclosure
    self.title = title
    self.published = published
    self.seconds = seconds
    self.bytes = bytes
    self.formerNames = formerNames
    self.fingerprint = fingerprint
    self.notesHash = notesHash
    self.isMissingFromFeed = isMissingFromFeed
  }

  /// Guids and enclosures that an episode had before.
  package struct FormerNames: Hashable, Sendable {
    /// How many of each are kept; the oldest go first.
    package static let limit = 16

    package var guids: [String]
    package var enclosures: [WebAddress]

    /// Every part is empty by default.
    package init(guids: [String] = [], enclosures: [WebAddress] = []) {
      self.guids = guids
      self.enclosures = enclosures
    }

    package var isEmpty: Bool { guids.isEmpty && enclosures.isEmpty }
  }
}
