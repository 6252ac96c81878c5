import PodfluxCore

/// Reads a list of subscriptions as its bytes arrive, as patiently as `FeedParser` reads feeds.
///
/// Every outline with an `xmlUrl` is a feed, in any case, of any type and at any place, and so is one with a `url`
/// whose type says so; an outline without a URL is a group for those in it. Text and memory are bounded by
/// `OPMLLimits` and `FeedLimits`.
package struct OPMLReader: Sendable {
  private var reader: DocumentReader<OPMLBuilder>

  /// A reader for one document.
  ///
  /// - Parameter charset: the one that the response declares, used if the document declares none.
  package init(charset: String? = nil) {
    reader = DocumentReader(OPMLBuilder(), charset: charset)
  }

  /// Reads a whole document.
  package static func read(_ bytes: some Sequence<UInt8>) throws(OPMLError) -> OPMLDocument {
    var reader = Self()
    reader.parse(bytes)
    return try reader.finish()
  }

  /// Whether further bytes change nothing.
  package var isOver: Bool { reader.builder.isOver }

  /// The bytes of text that it keeps for what has not ended.
  var retainedBytes: Int { reader.retainedBytes }

  /// Reads further bytes.
  package mutating func parse(_ bytes: some Sequence<UInt8>) { reader.parse(bytes) }

  /// Ends the document; afterwards nothing more can be parsed. A document that is cut off has the outlines that were
  /// read.
  package mutating func finish() throws(OPMLError) -> OPMLDocument {
    reader.finish()
    return try reader.builder.finished()
  }
}
