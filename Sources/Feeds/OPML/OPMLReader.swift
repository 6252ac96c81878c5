import PodfluxCore

/// Reads a list of subscriptions as its bytes arrive, as patiently as `FeedParser` reads feeds.
///
/// Every outline with an `xmlUrl` is a feed, in any case, of any type and at any place; an outline without one is a group
/// for those in it. Text and memory are bounded by `OPMLLimits` and `FeedLimits`.
public struct OPMLReader: Sendable {
  private var decoder: CharacterDecoder
  private var scanner = MarkupScanner()
  private var builder = OPMLBuilder()
  private var decoded: [UInt8] = []
  private var bytesBeforeRoot = 0
  private var isFinished = false

  /// A reader for one document.
  ///
  /// - Parameter charset: the one that the response declares, used if the document declares none.
  public init(charset: String? = nil) {
    decoder = CharacterDecoder(responseCharset: charset)
  }

  /// Reads a whole document.
  public static func read(_ bytes: some Sequence<UInt8>) throws(OPMLError) -> OPMLDocument {
    var reader = Self()
    reader.parse(bytes)
    return try reader.finish()
  }

  /// Whether further bytes change nothing.
  public var isOver: Bool { builder.isOver }

  /// The bytes of text that it keeps for what has not ended.
  var retainedBytes: Int { decoder.retainedBytes + scanner.retainedBytes }

  /// Reads further bytes.
  public mutating func parse(_ bytes: some Sequence<UInt8>) {
    precondition(!isFinished, "A reader reads one document.")
    let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { parse($0.span) }
    if isContiguous == nil { parse(Array(bytes).span) }
  }

  private mutating func parse(_ bytes: Span<UInt8>) {
    var start = 0
    while start < bytes.count, !isOver {
      let end = min(start + FeedLimits.pieceBytes, bytes.count)
      decoder.decode(bytes.extracting(start..<end), into: &decoded)
      scanDecoded()
      start = end
    }
  }

  /// Ends the document, of which nothing can be parsed after it. Of one that is cut off there is what it has.
  public mutating func finish() throws(OPMLError) -> OPMLDocument {
    precondition(!isFinished, "A reader reads one document.")
    isFinished = true
    if !isOver {
      decoder.finish(into: &decoded)
      scanDecoded()
      scanner.finish(to: &builder)
    }
    return try builder.finished()
  }

  private mutating func scanDecoded() {
    var text: [UInt8] = []
    swap(&text, &decoded)
    scanner.scan(text.span, to: &builder)
    if !builder.isOPML {
      bytesBeforeRoot += text.count
      if bytesBeforeRoot > FeedLimits.maximumBytesBeforeRoot { builder.giveUp() }
    }
    text.removeAll(keepingCapacity: true)
    swap(&text, &decoded)
  }
}
