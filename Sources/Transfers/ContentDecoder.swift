import CZlib
import EngineRuntime
import PodfluxCore

/// Decodes the content coding of one body as it arrives.
///
/// One owner at a time: it lives in the locked state of an attempt.
final class ContentDecoder: BodyDecoder, @unchecked Sendable {
  // `@unchecked`: used only while the attempt's state is locked. The stream is behind a pointer because zlib requires
  // it to stay at its address.

  /// The largest ratio of decoded to coded length. Media compress little; deflate's own limit is 1032.
  static let maximumRatio: Int64 = 20
  /// How many bytes may come out at any ratio: silence and tags at a file's beginning compress well.
  static let freeBytes: Int64 = 1 << 20
  /// How many bytes are decoded at once.
  private static let pieceBytes = 64 << 10

  private let coding: ContentCoding
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
  private var stage = Stage.beginning
  private var bytesIn: Int64 = 0
  private var bytesOut: Int64 = 0

  private enum Stage {
    /// No byte has come.
    case beginning
    /// Within a stream.
    case within
    /// At the end of a stream. In gzip another may follow.
    case atEnd
    /// The body is invalid, and cannot continue.
    case failed
  }

  init(_ coding: ContentCoding) {
    self.coding = coding
    stream.initialize(to: z_stream())
  }

  deinit {
    if stage != .beginning { inflateEnd(stream) }
    stream.deallocate()
    piece.deallocate()
  }

  /// Whether the file is complete according to its coding.
  var isAtEnd: Bool { stage == .atEnd }

  /// Decodes a piece, and passes the result in parts to `take`.
  ///
  /// - Parameter take: Takes a part, valid for the call only; false stops.
  /// - Returns: false if `take` stopped it.
  /// - Throws: The error in the body.
  func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) throws(DownloadError) -> Bool {
    guard !bytes.isEmpty else { return true }
    if stage == .beginning { try begin(first: bytes[0]) }
    bytesIn += Int64(bytes.count)
    // zlib does not write to its input, but its header of 1995 has no const.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(bytes.count)
    while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0 {
      if stage == .atEnd {
        guard stream.pointee.avail_in > 0 else { return true }
        try beginNext()
      }
      let count = try inflateOnce()
      bytesOut += Int64(count)
      guard bytesOut <= Self.freeBytes + bytesIn * Self.maximumRatio else {
        throw fail(.tooLarge, "is more than \(Self.maximumRatio) times as long as its \(coding.rawValue)")
      }
      guard count == 0 || take(UnsafeRawBufferPointer(rebasing: piece[..<count])) else { return false }
    }
    return true
  }

  /// Returns how many bytes came out: as many as fit into the buffer, or all that the input gives.
  private func inflateOnce() throws(DownloadError) -> Int {
    stream.pointee.next_out = piece.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_out = UInt32(piece.count)
    switch inflate(stream, Z_NO_FLUSH) {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END:
      stage = .atEnd
    default: throw fail(.notMedia, "came in a \(coding.rawValue) that is damaged")
    }
    return piece.count - Int(stream.pointee.avail_out)
  }

  private func begin(first byte: UInt8) throws(DownloadError) {
    // 16 more than the largest window means gzip, a negative window means raw deflate. The first byte of a zlib frame
    // names the method, 8, and a window of at most 7 (RFC 1950 section 2.2).
    let isFramed = byte & 0x0F == 8 && byte >> 4 <= 7
    let windowBits: Int32 = coding == .gzip ? MAX_WBITS + 16 : isFramed ? MAX_WBITS : -MAX_WBITS
    guard czlib_inflate_init(stream, windowBits) == Z_OK else {
      throw fail(.io, "cannot be decoded: there is no memory")
    }
    stage = .within
  }

  /// A gzip file may have several members, one after the other (RFC 1952 section 2.2). Any other trailing bytes are not
  /// part of the file.
  private func beginNext() throws(DownloadError) {
    guard coding == .gzip, stream.pointee.next_in?.pointee == 0x1F, inflateReset(stream) == Z_OK else {
      throw fail(.lengthMismatch, "is followed by \(stream.pointee.avail_in) bytes or more that are none of it")
    }
    stage = .within
  }

  private func fail(_ code: DownloadError.Code, _ fault: String) -> DownloadError {
    if stage != .beginning { stage = .failed }
    return DownloadError(code, "the file \(fault)")
  }
}
