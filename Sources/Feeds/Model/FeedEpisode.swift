import PodfluxCore

/// An episode as a feed describes it.
///
/// It has a guid, an enclosure or a title. Each field that could not be read is nil, and a problem in the report.
package struct FeedEpisode: Hashable, Sendable {
  /// `itunes:episodeType`.
  package enum Kind: String, Hashable, Sendable {
    case full, trailer, bonus
  }

  /// A number with the text to show for it: `itunes:episode`, `podcast:episode`, which may be 204.5.
  package struct Number: Hashable, Sendable {
    package var value: Double
    package var label: String?
  }

  /// `itunes:season`, `podcast:season`.
  package struct Season: Hashable, Sendable {
    package var number: Int64
    package var name: String?
  }

  /// Its place in the document, from 1. Dropped episodes are counted.
  package var ordinal: Int

  /// The publisher's identifier, without blanks at its ends.
  package var guid: String?
  /// Plain text.
  package var title: String?
  package var link: WebAddress?
  /// Nil if the feed names no date that can be read: never the present.
  package var published: PublicationDate?
  /// Atom's `updated`, where it has `published` too.
  package var updated: PublicationDate?
  /// The longest description that the feed has by its kind, as HTML: the full content, else the description, else the
  /// summary.
  package var description: String?
  package var author: String?
  package var seconds: Int64?
  package var isExplicit: Bool?
  package var season: Season?
  package var number: Number?
  package var kind: Kind?

  /// Different files, each once, in the order of the feed.
  package var enclosures: [FeedEnclosure] = []
  /// Other forms of the first enclosure's content.
  package var alternates: [FeedAlternate] = []
  /// The best-known image first.
  package var images: [FeedImage] = []
  package var transcripts: [FeedTranscript] = []
  package var chapters: FeedChapters?
  package var persons: [FeedPerson] = []

  package init(ordinal: Int) {
    self.ordinal = ordinal
  }
}
