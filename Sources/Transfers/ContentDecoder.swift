import CZlib
import EngineRuntime
import PodfluxCore

/// Undoes the coding of one body while it arrives.
///
/// One owner at a time: it lives in the locked state of an attempt.
final class ContentDecoder: BodyDecoder, @unchecked Sendable {
  // `@unchecked`: used with the attempt's state locked only. The stream is behind a pointer because zlib wants it to stay
  // where it is.

  /// How many times as long as its coded form a file may be. Media hardly shrink; deflate's own limit is 1032.
  static let maximumRatio: Int64 = 20
  /// How many bytes come out whatever the ratio: silence and tags at a file's beginning shrink well.
  static let freeBytes: Int64 = 1 << 20
  /// How much is decoded at once, in bytes.
  private static let pieceBytes = 64 << 10

  private let coding: ContentCoding
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
  private var stage = Stage.beginning
  private var bytesIn: Int64 = 0
  private var bytesOut: Int64 = 0

  private enum Stage {
    /// Nothing has come.
    case beginning
    /// Within a stream.
    case within
    /// A stream has come to its end. Another may follow, in gzip.
    case atEnd
    /// What came before cannot be followed by anything.
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

  /// Whether the file is complete as far as its coding can say.
  var isAtEnd: Bool { stage == .atEnd }

  /// Decodes a piece, and hands over what comes out, in parts, until nothing more is wanted.
  ///
  /// - Parameter take: Takes a part, valid for the call only; false ends it.
  /// - Returns: false if `take` wanted no more.
  /// - Throws: what is wrong with the body.
  func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) throws(DownloadError) -> Bool {
    guard !bytes.isEmpty else { return true }
    if stage == .beginning { try begin(first: bytes[0]) }
    bytesIn += Int64(bytes.count)
    // zlib does not write to its input; its header of 1995 knows no const.
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

  /// How many bytes came out this time: as many as there is room for, or all that the input gives.
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
    // 16 more than the largest window means gzip, less than none deflate without a frame. A frame's first byte names the
    // method, 8, and a window of at most 7 (RFC 1950 section 2.2).
    let isFramed = byte & 0x0F == 8 && byte >> 4 <= 7
    let windowBits: Int32 = coding == .gzip ? MAX_WBITS + 16 : isFramed ? MAX_WBITS : -MAX_WBITS
    guard czlib_inflate_init(stream, windowBits) == Z_OK else {
      throw fail(.io, "cannot be decoded: there is no memory")
    }
    stage = .within
  }

  /// A gzip file may have several members, one behind the other (RFC 1952 section 2.2). Everything else that follows is none
  /// of the file.
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
