/// The limits of a feed, so that a hostile one costs a bounded amount of memory and time.
///
/// A feed may have any number of episodes: they are handed out as they end.
package enum FeedLimits {
  /// The deepest element that is read. The content of deeper ones is skipped.
  package static let maximumDepth = 100
  /// The longest tag that is kept, in bytes of UTF-8. Of a longer one the attributes within it are read.
  package static let maximumTagBytes = 256 * 1024
  /// The attributes of a tag that are read, the first ones.
  package static let maximumAttributes = 64
  /// The longest value of an attribute, in bytes. A longer one is as if it were missing, and a problem.
  package static let maximumAttributeBytes = 16 * 1024
  /// The longest name of an element, and the longest end tag.
  package static let maximumNameBytes = 1024
  /// The namespaces in force at a place of the document.
  package static let maximumNamespaces = 64
  /// The longest reference to a character, from `&` to `;`.
  package static let maximumReferenceBytes = 32
  /// The longest XML declaration, before which no other text may stand but blanks.
  package static let maximumDeclarationBytes = 1024

  /// The longest description, in bytes of UTF-8. A longer one is cut, and a problem.
  package static let maximumDescriptionBytes = 256 * 1024
  /// The longest text of any other element. A longer one is cut, and a problem.
  package static let maximumTextBytes = 16 * 1024
  /// The elements of one kind that an episode or a podcast keeps: persons, transcripts, enclosures, categories.
  package static let maximumRepetitions = 64

  /// The problems that a report keeps. All are counted.
  package static let maximumProblems = 100
  /// The part of an invalid value that a problem quotes, in characters.
  package static let maximumQuotedCharacters = 80
  /// How much of a document is searched for the root of a feed.
  package static let maximumBytesBeforeRoot = 1024 * 1024
  /// The feeds that a page may name.
  package static let maximumAlternates = 16
  /// The bytes that are decoded at a time.
  static let pieceBytes = 16 * 1024
}
