import PodfluxCore

/// An episode as a feed describes it.
///
/// It has a guid, an enclosure or a title. Each field that could not be read is nil, and a problem in the report.
public struct FeedEpisode: Hashable, Sendable {
  /// `itunes:episodeType`.
  public enum Kind: String, Hashable, Sendable {
    case full, trailer, bonus
  }

  /// A number with the text to show for it: `itunes:episode`, `podcast:episode`, which may be 204.5.
  public struct Number: Hashable, Sendable {
    public var value: Double
    public var label: String?
  }

  /// `itunes:season`, `podcast:season`.
  public struct Season: Hashable, Sendable {
    public var number: Int64
    public var name: String?
  }

  /// Its place in the document, from 1. Dropped episodes are counted.
  public var ordinal: Int

  /// The publisher's identifier, without blanks at its ends.
  public var guid: String?
  /// Plain text.
  public var title: String?
  public var link: WebAddress?
  /// Nil if the feed names no date that can be read: never the present.
  public var published: PublicationDate?
  /// Atom's `updated`, where it has `published` too.
  public var updated: PublicationDate?
  /// The longest description that the feed has by its kind, as HTML: the full content, else the description, else the
  /// summary.
  public var description: String?
  public var author: String?
  public var seconds: Int64?
  public var isExplicit: Bool?
  public var season: Season?
  public var number: Number?
  public var kind: Kind?

  /// Different files, each once, in the order of the feed.
  public var enclosures: [FeedEnclosure] = []
  /// Other forms of the first enclosure's content.
  public var alternates: [FeedAlternate] = []
  /// The best-known image first.
  public var images: [FeedImage] = []
  public var transcripts: [FeedTranscript] = []
  public var chapters: FeedChapters?
  public var persons: [FeedPerson] = []

  public init(ordinal: Int) {
    self.ordinal = ordinal
  }
}
