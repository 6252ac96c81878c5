import Flux

/// A file that no download has, as it is compared with episodes.
package struct AdoptableFile: Hashable, Sendable {
  /// What stands in the tags of a media file, as far as it is known.
  package struct Tags: Hashable, Sendable {
    package var title: String?
    /// The podcast's title, where programs write it.
    package var album: String?
    package var date: CivilDate?
    /// The number of its track, which may be the episode's, or a place in a list.
    package var track: Int64?

    package init(title: String? = nil, album: String? = nil, date: CivilDate? = nil, track: Int64? = nil) {
      self.title = title
      self.album = album
      self.date = date
      self.track = track
    }
  }

  /// Its name, with its extension.
  package var name: String
  /// Its length in bytes.
  package var length: Int64
  /// When it was written to last.
  package var modified: Timestamp?
  /// Nil if they were not read.
  package var tags: Tags?

  package init(name: String, length: Int64, modified: Timestamp? = nil, tags: Tags? = nil) {
    self.name = name
    self.length = length
    self.modified = modified
    self.tags = tags
  }
}

/// An episode that files are compared with.
package struct AdoptableEpisode: Hashable, Sendable {
  package var id: EpisodeID
  package var title: String?
  package var published: PublicationDate?
  package var season: Int64?
  /// See `EpisodeContent.number`.
  package var number: String?
  /// The file that the feed names.
  package var enclosure: EpisodeContent.Enclosure?
  /// Whether it has a download that is completed or runs: any other can get the file.
  package var hasDownload: Bool

  package init(
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

  package init(_ episode: Episode, hasDownload: Bool) {
    let content = episode.content
    self.init(
      id: episode.id, title: content.title, published: content.published, season: content.season,
      number: content.number, enclosure: content.enclosure, hasDownload: hasDownload)
  }
}

/// The titles of a subscription.
package struct FeedName: Hashable, Sendable {
  package var key: Feed.Key
  package var id: FeedID
  /// The title that clients see, and the feed's own one.
  package var titles: [String]

  package init(key: Feed.Key, id: FeedID, titles: [String]) {
    self.key = key
    self.id = id
    self.titles = titles
  }
}
