import PodfluxCore

/// Reads a feed as its bytes arrive, and hands out each episode as soon as it has ended.
///
/// ```swift
/// var parser = FeedParser(address: address)
/// for chunk in chunks {
///   parser.parse(chunk) { episode in … }
/// }
/// switch parser.finish({ episode in … }) { … }
/// ```
///
/// It reads RSS 0.90 to 2.0 and Atom with the extensions of iTunes, Podcasting 2.0, Media RSS and RFC 5005, and of a
/// web page the feeds that it names. It refuses no document: what cannot be read costs a field, at worst an episode,
/// and is listed in the report. Memory is bounded by `FeedLimits`, not by the length of the feed; the result does not
/// depend on how the bytes are divided. It has no library for XML beneath it: the article Feeds says why, with figures.
package struct FeedParser: Sendable {
  private var reader: DocumentReader<FeedBuilder>

  /// A parser for the document at an address, to which its relative URLs refer.
  ///
  /// - Parameters:
  ///   - charset: The one that the response declares, used if the document declares none.
  ///   - keepsDescriptions: Whether the descriptions of episodes are read. They are most of many feeds; without them
  ///     the scanner passes over them.
  package init(address: WebAddress?, charset: String? = nil, keepsDescriptions: Bool = true) {
    reader = DocumentReader(
      FeedBuilder(address: address, keepsDescriptions: keepsDescriptions), charset: charset)
  }

  /// Whether further bytes change nothing: the feed's root has ended, or a document without one is too long. The rest
  /// need not be fetched.
  package var isOver: Bool { reader.builder.isOver }

  /// What is known of the podcast so far. Some feeds describe it behind its episodes.
  package var podcast: FeedPodcast { reader.builder.podcast.value }

  /// The bytes of text that it keeps for what has not ended, apart from the podcast's fields.
  var retainedBytes: Int { reader.retainedBytes + reader.builder.retainedBytes }

  /// Reads further bytes, and hands out the episodes that end in them, in the order of the document.
  package mutating func parse(_ bytes: some Sequence<UInt8>, _ take: (FeedEpisode) -> Void) {
    reader.parse(bytes) { Self.handOut(from: &$0, to: take) }
  }

  /// Ends the document, hands out what ends with it, and says what it was. Nothing can be parsed after it.
  package mutating func finish(_ take: (FeedEpisode) -> Void) -> FeedOutcome {
    reader.finish()
    Self.handOut(from: &reader.builder, to: take)
    let charset = reader.decoder.charset
    if reader.decoder.isUnknownCharset {
      reader.builder.report(FeedProblem(element: "?xml", attribute: "encoding", fault: .invalid(charset ?? "")))
    }
    return reader.builder.outcome(charset: charset ?? "utf-8")
  }

  private static func handOut(from builder: inout FeedBuilder, to take: (FeedEpisode) -> Void) {
    guard !builder.finished.isEmpty else { return }
    // From the end of the array each is moved out, not copied.
    builder.finished.reverse()
    while let episode = builder.finished.popLast() { take(episode) }
  }
}
