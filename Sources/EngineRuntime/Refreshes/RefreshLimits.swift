/// The limits of what a refresh fetches and holds.
package enum RefreshLimits {
  /// How many refreshes have an exchange at once.
  package static let exchanges = 8
  /// How many of them with one host.
  package static let exchangesPerHost = 4
  /// The longest body, in bytes as they are sent.
  package static let bodyBytes: Int64 = 64 << 20
  /// The longest document, in bytes behind its coding.
  package static let documentBytes: Int64 = 256 << 20
  /// A body up to this length, in bytes as they are sent, is held until it has ended: if it is the one of the last
  /// refresh, it is not parsed.
  package static let heldBytes = 2 << 20
  /// How many bytes of a body may wait to be parsed before the exchange is paused.
  package static let waitingBytes = 1 << 20
  /// Up to how many bytes pieces of a body that wait are joined.
  package static let joinedBytes = 64 << 10
  /// How many further documents of a feed are read (RFC 5005). All together have at most the bytes of one.
  package static let furtherDocuments = 200
  /// How many of them in a row may have nothing but items of those before: a feed may grow while it is read.
  package static let repeatingDocuments = 3
  /// How many further documents may be read again and again up to a gap.
  package static let documentsBeforeGap = 8
  /// With how many known episodes a document of a divided feed ends at least, if further ones have nothing new. A
  /// document of fewer items has known ones only.
  package static let knownEpisodesAtEnd = 3
  /// After how many refreshes in a row that have read a part only a feed is taken as what came.
  package static let partialReads = 3
  /// How many items of a document are looked at; what follows them is left out. Each costs memory: one that is there
  /// twice is told from a new one.
  package static let items = 200_000
  /// How many episodes of a feed are kept.
  package static let episodes = 100_000
  /// How many new episodes of a feed that claims to be the old one elsewhere are held until one of them is known.
  package static let doubtfulEpisodes = 256
  /// For how long after the last success another podcast at a feed's address is taken for a mistake, in milliseconds:
  /// three days.
  package static let otherPodcastMilliseconds: Int64 = 3 * 86_400_000
  /// How many items that may be known episodes, by their titles and dates, are held until the others had their turn.
  /// Where a publisher has moved all of its episodes, it is each item; those beyond are decided as they come.
  package static let undecidedItems = 64
  /// How many bytes of notes of a feed wait to be told. Further ones are left to the next refresh, which reads the body
  /// again.
  package static let notesBytes = 16 << 20
}
