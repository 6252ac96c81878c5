/// What a document is built from, as its `DocumentReader` finds it.
protocol DocumentBuilder: MarkupHandler, Sendable {
  /// Whether what further bytes say changes nothing.
  var isOver: Bool { get }

  /// Whether the document has begun as one of those that are built.
  var hasRoot: Bool { get }

  /// Too much has come before any root: the document is none of those that are built.
  mutating func giveUp()
}

/// Reads a document as its bytes arrive: bytes to characters, characters to markup, markup to its builder.
///
/// Memory is bounded by `FeedLimits`, and what is built does not depend on how the bytes are divided.
struct DocumentReader<Builder: DocumentBuilder>: Sendable {
  private(set) var decoder: CharacterDecoder
  private var scanner = MarkupScanner()
  var builder: Builder
  private var decoded: [UInt8] = []
  private var bytesBeforeRoot = 0
  private var isFinished = false

  /// - Parameter charset: The one that the response declares, used if the document declares none.
  init(_ builder: Builder, charset: String?) {
    decoder = CharacterDecoder(responseCharset: charset)
    self.builder = builder
  }

  /// The bytes of text that it keeps for what has not ended, without its builder's.
  var retainedBytes: Int { decoder.retainedBytes + scanner.retainedBytes }

  /// Reads further bytes. `handOut` takes what is whole by then from the builder, at least once for each piece.
  mutating func parse(_ bytes: some Sequence<UInt8>, _ handOut: (inout Builder) -> Void = { _ in }) {
    precondition(!isFinished, "A reader reads one document.")
    let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { parse($0.span, handOut) }
    if isContiguous == nil { parse(Array(bytes).span, handOut) }
  }

  private mutating func parse(_ bytes: Span<UInt8>, _ handOut: (inout Builder) -> Void) {
    var start = 0
    while start < bytes.count, !builder.isOver {
      let end = min(start + FeedLimits.pieceBytes, bytes.count)
      decoder.decode(bytes.extracting(start..<end), into: &decoded)
      scanDecoded()
      handOut(&builder)
      start = end
    }
  }

  /// Ends the document. Nothing can be parsed after it.
  mutating func finish() {
    precondition(!isFinished, "A reader reads one document.")
    isFinished = true
    guard !builder.isOver else { return }
    decoder.finish(into: &decoded)
    scanDecoded()
    scanner.finish(to: &builder)
  }

  private mutating func scanDecoded() {
    var text: [UInt8] = []
    swap(&text, &decoded)
    scanner.scan(text.span, to: &builder)
    if !builder.hasRoot {
      bytesBeforeRoot += text.count
      if bytesBeforeRoot > FeedLimits.maximumBytesBeforeRoot { builder.giveUp() }
    }
    text.removeAll(keepingCapacity: true)
    swap(&text, &decoded)
  }
}
