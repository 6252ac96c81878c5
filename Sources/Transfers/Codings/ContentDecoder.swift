import EngineRuntime
import PodfluxCore

/// Decodes the content coding of one body as it arrives.
///
/// One owner at a time: it lives in the locked state of an attempt.
final class ContentDecoder: BodyDecoder, @unchecked Sendable {
  // `@unchecked`: used only while the attempt's state is locked.

  /// The largest ratio of decoded to coded length. Media compress little, feeds well; deflate's own limit is 1032.
  static let maximumRatio: Int64 = 20
  static let maximumFeedRatio: Int64 = 200
  /// How many bytes may come out at any ratio: silence and tags at a file's beginning compress well.
  static let freeBytes: Int64 = 1 << 20
  /// How many coded bytes may come beyond twice the bytes that come out: no coding makes its contents longer, and one
  /// that brings nothing, such as empty blocks, could go on for ever.
  static let idleBytes: Int64 = 64 << 10
  /// How many bytes are decoded at once.
  private static let pieceBytes = 64 << 10

  private let coding: ContentCoding
  private let ratio: Int64
  private let skipsRest: Bool
  /// What the body is, for what is said of it.
  private let subject: String
  private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
  private var stage = Stage.beginning
  private var bytesIn: Int64 = 0
  private var bytesOut: Int64 = 0

  private enum Stage {
    /// No byte has come.
    case beginning
    case within(any CodedStream)
    /// At the end of a stream. In gzip another may follow.
    case atEnd(any CodedStream)
    /// Behind the end of a feed: what follows is none of it, and is skipped.
    case behindEnd
    /// The body is invalid, and cannot continue.
    case failed
  }

  /// - Parameter skipsRest: Whether bytes behind the end that are none of the body are skipped, as `gunzip` does,
  ///   instead of failing it.
  init(_ coding: ContentCoding, ratio: Int64 = maximumRatio, skipsRest: Bool = false, subject: String = "file") {
    (self.coding, self.ratio, self.skipsRest, self.subject) = (coding, ratio, skipsRest, subject)
  }

  /// A decoder for a feed. Programs that write feeds pad them, or add a line: what is before that is whole.
  static func forFeed(_ coding: ContentCoding) -> ContentDecoder {
    ContentDecoder(coding, ratio: maximumFeedRatio, skipsRest: true, subject: "feed")
  }

  deinit {
    piece.deallocate()
  }

  /// Whether the file is complete according to its coding.
  var isAtEnd: Bool {
    switch stage {
    case .atEnd, .behindEnd: true
    case .beginning, .within, .failed: false
    }
  }

  /// Decodes a piece, and passes the result in parts to `take`.
  ///
  /// - Parameter take: Takes a part, valid for the call only; false stops.
  /// - Returns: false if `take` stopped it.
  /// - Throws: The error in the body.
  func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) throws(DownloadError) -> Bool {
    var input = bytes
    bytesIn += Int64(bytes.count)
    var mayHaveMore = false
    while !input.isEmpty || mayHaveMore {
      if input.isEmpty, isAtEnd { return true }
      guard let stream = try stream(before: input) else { return true }
      let count = try decode(&input, with: stream)
      // What did not fit into the buffer comes out without input.
      mayHaveMore = count == piece.count
      bytesOut += Int64(count)
      guard bytesOut <= Self.freeBytes + bytesIn * ratio else {
        throw fail(.tooLarge, "is more than \(ratio) times as long as its \(coding.rawValue)")
      }
      guard count == 0 || take(UnsafeRawBufferPointer(rebasing: piece[..<count])) else { return false }
    }
    guard bytesIn <= Self.idleBytes + 2 * bytesOut else {
      throw fail(.notMedia, "came in a \(coding.rawValue) of \(bytesIn) bytes that has hardly anything in it")
    }
    return true
  }

  /// Returns how many bytes came out: as many as fit into the buffer, or all that the input gives.
  private func decode(
    _ input: inout UnsafeRawBufferPointer, with stream: any CodedStream
  ) throws(DownloadError) -> Int {
    switch stream.decode(&input, into: piece) {
    case .decoded(let count): return count
    case .ended(let count):
      stage = .atEnd(stream)
      return count
    case .damaged: throw fail(.notMedia, "came in a \(coding.rawValue) that is damaged")
    }
  }

  /// The stream that decodes this input: the present one, or one that begins here; nil if it is to be skipped.
  private func stream(before input: UnsafeRawBufferPointer) throws(DownloadError) -> (any CodedStream)? {
    switch stage {
    case .within(let stream): return stream
    case .beginning:
      guard let stream = makeStream(first: input[0]) else {
        throw fail(.io, "cannot be decoded: there is no memory")
      }
      stage = .within(stream)
      return stream
    case .atEnd(let stream):
      guard stream.restart(first: input[0]) else {
        guard skipsRest else { throw fail(.lengthMismatch, "is followed by bytes that are none of it") }
        stage = .behindEnd
        return nil
      }
      stage = .within(stream)
      return stream
    case .behindEnd: return nil
    case .failed: throw fail(.notMedia, "came in a \(coding.rawValue) that is damaged")
    }
  }

  private func makeStream(first byte: UInt8) -> (any CodedStream)? {
    switch coding {
    case .gzip: DeflateStream(isGzip: true, first: byte)
    case .deflate: DeflateStream(isGzip: false, first: byte)
    case .brotli: BrotliStream()
    }
  }

  private func fail(_ code: DownloadError.Code, _ fault: String) -> DownloadError {
    stage = .failed
    return DownloadError(code, "the \(subject) \(fault)")
  }
}
