/// What the tags of a file are to say (the article Tags).
package struct EpisodeTags: Hashable, Sendable {
  package var title: String?
  /// The album.
  package var podcast: String?
  package var published: PublicationDate?
  /// Whose day `published` is written as.
  package var timeZone: NameTimeZone
  /// The track, if it is a whole number: the feed may say 204.5.
  package var number: String?
  /// The disc.
  package var season: Int64?
  /// Whether it is an episode of a feed: then it has a genre, and may get a cover.
  package var isEpisode: Bool

  /// The genre of episodes.
  package static let genre = "Podcast"

  package init(
    title: String? = nil, podcast: String? = nil, published: PublicationDate? = nil,
    timeZone: NameTimeZone = .publisher, number: String? = nil, season: Int64? = nil, isEpisode: Bool = false
  ) {
    self.title = title
    self.podcast = podcast
    self.published = published
    self.timeZone = timeZone
    self.number = number
    self.season = season
    self.isEpisode = isEpisode
  }

  /// The tags of a file that belongs to no episode: what its client has said of it, and nothing else. Nil if that is
  /// nothing.
  package init?(of description: Download.Description) {
    guard description.title != nil || description.podcast != nil else { return nil }
    self.init(title: description.title, podcast: description.podcast)
  }

  /// The tags of an episode's file, as the rows of episode and feed say them.
  package init(_ episode: Episode, of feed: Feed?, timeZone: NameTimeZone) {
    let content = episode.content
    self.init(
      title: content.title, podcast: feed?.shownTitle, published: content.published,
      timeZone: timeZone, number: content.number, season: content.season, isEpisode: true)
  }

  /// The track's number; nil if there is none between 1 and `numberLimit`.
  package var track: Int? { number.flatMap { Int($0) }.flatMap(Self.numbered) }
  /// The disc's number; nil if there is none between 1 and `numberLimit`.
  package var disc: Int? { season.flatMap { Self.numbered(Int(clamping: $0)) } }

  /// The largest number that all formats can hold: MP4 has 16 bits for it.
  package static let numberLimit = 65_535

  private static func numbered(_ number: Int) -> Int? { (1...numberLimit).contains(number) ? number : nil }
}

/// What a complete file is to be tagged with before it is published.
package struct TagRequest: Hashable, Sendable {
  package var tags: EpisodeTags
  /// Where the file will stand; its cover may lie beside it.
  package var path: LibraryPath
  /// Whether the SHA-256 of the tagged copy is wanted, as that of the original was.
  package var wantsDigest: Bool
  /// The fetched parts of those that the feed names.
  package var material: TagMaterial

  package init(_ tags: EpisodeTags, path: LibraryPath, wantsDigest: Bool, material: TagMaterial = .init()) {
    self.tags = tags
    self.path = path
    self.wantsDigest = wantsDigest
    self.material = material
  }
}

/// A complete file that can be moved to its place.
package struct MovableFile: Hashable, Sendable {
  /// Its inode, which moving keeps; 0 where inodes do not last.
  package var inode: UInt64
  package var tags: TagOutcome

  package init(inode: UInt64, tags: TagOutcome = .notWanted) {
    self.inode = inode
    self.tags = tags
  }
}

/// The result of tagging a file.
package enum TagOutcome: Hashable, Sendable {
  /// No tags were asked for.
  case notWanted
  /// A copy has the tags, and is to be published instead of the original: its length in bytes, and its SHA-256 in
  /// hexadecimal digits if that was wanted.
  case tagged(length: Int64, sha256: String?)
  /// The original is to be published as it was downloaded; the reason is for people.
  case untagged(because: String)
}

extension Download {
  /// What became of the tags of a file that is, or is about to be, published.
  ///
  /// ```swift
  /// if case .untagged(let reason) = download.tagging { print(reason) }
  /// ```
  public enum Tagging: Hashable, Sendable {
    /// The file is a tagged copy of this original.
    case tagged(Original)
    /// The file is what was downloaded; the reason is for people.
    case untagged(because: String)

    /// The longest reason, in bytes.
    package static let reasonBytes = 512
  }

  /// What was downloaded and verified, where a tagged copy of it lies in the library.
  ///
  /// Use: `download.original`, nil where the file is what was downloaded.
  public struct Original: Hashable, Sendable {
    public var length: Int64
    /// Its SHA-256 in hexadecimal digits, if one was recorded.
    public var sha256: String?

    package init(length: Int64, sha256: String? = nil) {
      self.length = length
      self.sha256 = sha256
    }
  }

  /// The downloaded bytes, if a tagged copy of them was published.
  public var original: Original? {
    if case .tagged(let original) = tagging { original } else { nil }
  }
}
