import Flux

/// A file that no download has, as it is compared with episodes.
public struct AdoptableFile: Hashable, Sendable {
  /// What stands in the tags of a media file, as far as it is known.
  public struct Tags: Hashable, Sendable {
    public var title: String?
    /// The podcast's title, where programs write it.
    public var album: String?
    public var date: CivilDate?
    /// The number of its track, which may be the episode's, or a place in a list.
    public var track: Int64?

    public init(title: String? = nil, album: String? = nil, date: CivilDate? = nil, track: Int64? = nil) {
      self.title = title
      self.album = album
      self.date = date
      self.track = track
    }
  }

  /// Its name, with its extension.
  public var name: String
  /// Its length in bytes.
  public var length: Int64
  /// When it was written to last.
  public var modified: Timestamp?
  /// Nil if they were not read.
  public var tags: Tags?

  public init(name: String, length: Int64, modified: Timestamp? = nil, tags: Tags? = nil) {
    self.name = name
    self.length = length
    self.modified = modified
    self.tags = tags
  }
}

/// An episode that files are compared with.
public struct AdoptableEpisode: Hashable, Sendable {
  public var id: EpisodeID
  public var title: String?
  public var published: PublicationDate?
  public var season: Int64?
  /// See `EpisodeContent.number`.
  public var number: String?
  /// The file that the feed names.
  public var enclosure: EpisodeContent.Enclosure?
  /// Whether it has a download that is completed or runs: any other can get the file.
  public var hasDownload: Bool

  public init(
    id: EpisodeID, title: String? = nil, published: PublicationDate? = nil, season: Int64? = nil,
    number: String? = nil, enclosure: EpisodeContent.Enclosure? = nil, hasDownload: Bool = false
  ) {
    self.id = id
    self.title = title
    self.published = published
    self.season = season
    self.number = number
    self.enclosure = enclosure
    self.hasDownload = hasDownload
  }

  public init(_ episode: Episode, hasDownload: Bool) {
    let content = episode.content
    self.init(
      id: episode.id, title: content.title, published: content.published, season: content.season,
      number: content.number, enclosure: content.enclosure, hasDownload: hasDownload)
  }
}

/// The titles of a subscription.
public struct FeedName: Hashable, Sendable {
  public var key: Feed.Key
  public var id: FeedID
  /// The title that clients see, and the feed's own one.
  public var titles: [String]

  public init(key: Feed.Key, id: FeedID, titles: [String]) {
    self.key = key
    self.id = id
    self.titles = titles
  }
}
