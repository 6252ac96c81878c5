import PodfluxCore

/// The form in which a feed is written.
package enum FeedDialect: String, Hashable, Sendable {
  /// RSS 0.91 to 2.0.
  case rss
  /// RSS 0.90 and 1.0.
  case rdf
  /// Atom 0.3 and 1.0.
  case atom
}

/// What a document was.
package enum FeedOutcome: Hashable, Sendable {
  case feed(FeedReport)
  /// A web page, with the feeds that it names, if any. A page of an error or of a portal is one too.
  case page(feeds: [WebAddress])
  /// Neither: no root of a feed within `FeedLimits.maximumBytesBeforeRoot`.
  case unknown
}

/// What a feed was, apart from its episodes.
package struct FeedReport: Hashable, Sendable {
  package var dialect: FeedDialect
  package var podcast: FeedPodcast
  /// The episodes that were handed out.
  package var episodes: Int
  /// Whether the document has its end: the end tag of its root, or in RSS that of the channel, behind which nothing of
  /// the feed stands. Of a feed that was cut off the last episode may be missing, and what is not in it may be in the
  /// feed.
  package var isWhole: Bool
  /// The label of the charset that is declared or shows at the beginning, such as `utf-8`. It may be wrong.
  package var charset: String
  package var problems: FeedProblems
}
