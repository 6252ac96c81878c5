import NIOCore

/// The content of a response: bytes in memory, or generated while sending, so that 1 GiB costs 64 KiB.
///
/// A body is a value: copying, slicing and joining bodies copies no content.
package struct Body: Sendable {
  /// The length in bytes.
  package let length: Int

  private let segments: [Segment]

  private struct Segment: Sendable {
    let source: BodySource
    let range: Range<Int>
  }

  private init(segments: [Segment]) {
    self.segments = segments.filter { !$0.range.isEmpty }
    self.length = segments.reduce(0) { $0 + $1.range.count }
  }

  private init(_ source: BodySource, length: Int) {
    precondition(length >= 0, "a body cannot have a negative length")
    self.init(segments: [Segment(source: source, range: 0..<length)])
  }
}

// MARK: - Kinds of content

extension Body {
  /// No content.
  package static let empty = Body(segments: [])

  /// Exactly these bytes.
  package static func bytes(_ bytes: some Sequence<UInt8>) -> Body {
    let buffer = ByteBuffer(bytes: bytes)
    return Body(.bytes(buffer), length: buffer.readableBytes)
  }

  /// The UTF-8 bytes of `text`.
  package static func text(_ text: String) -> Body {
    bytes(text.utf8)
  }

  /// `unit` repeated up to `length` bytes: turns a small file into a long one.
  package static func repeating(_ unit: some Sequence<UInt8>, length: Int) -> Body {
    let buffer = ByteBuffer(bytes: unit)
    precondition(buffer.readableBytes > 0 || length == 0, "nothing cannot be repeated")
    return Body(.repeated(buffer), length: length)
  }

  /// Pseudo-random content in which every misplaced byte is detected: each block of 64 KiB begins with its number.
  ///
  /// Bodies of different seeds differ in every block; one with the same seed and another length is a prefix of the
  /// longer.
  package static func stamped(length: Int, seed: UInt64) -> Body {
    Body(.stamped(template: StampedBlock.template(seed: seed)), length: length)
  }

  /// A plausible MP3 file: an ID3 tag and silent MPEG frames, then stamped content from byte 4,096 on.
  package static func audio(length: Int, seed: UInt64) -> Body {
    let opening = SilentAudio.opening
    guard length > opening.length else { return opening[0..<length] }
    return joined([opening, stamped(length: length - opening.length, seed: seed)])
  }

  /// Concatenated bodies: another advertisement before the same episode, for example.
  package static func joined(_ bodies: [Body]) -> Body {
    Body(segments: bodies.flatMap(\.segments))
  }

  /// The bytes of `range`, as a body.
  package subscript(range: Range<Int>) -> Body {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= length, "\(range) is not inside a body of \(length) bytes")
    var start = 0
    var selected: [Segment] = []
    for segment in segments {
      let wanted = range.clamped(to: start..<(start + segment.range.count))
      let offset = segment.range.lowerBound - start
      selected.append(
        Segment(source: segment.source, range: (wanted.lowerBound + offset)..<(wanted.upperBound + offset)))
      start += segment.range.count
    }
    return Body(segments: selected)
  }
}

// MARK: - Reading

extension Body {
  /// The longest piece that `piece` returns.
  static let maximumPieceLength = 256 * 1024

  /// Calls `use` with the content from beginning to end, in pieces of at most 256 KiB: for hashing, or for comparing.
  package func forEachChunk(_ use: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    var offset = 0
    while offset < length {
      let piece = piece(at: offset, atMost: Self.maximumPieceLength)
      try piece.withUnsafeReadableBytes(use)
      offset += piece.readableBytes
    }
  }

  /// The whole content in memory: for small bodies.
  package var allBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    forEachChunk { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// One to `limit` bytes from `offset` on, which share their memory with the body.
  func piece(at offset: Int, atMost limit: Int) -> ByteBuffer {
    var start = 0
    for segment in segments {
      let end = start + segment.range.count
      if offset < end {
        let wanted = min(limit, end - offset, Self.maximumPieceLength)
        return segment.source.piece(at: segment.range.lowerBound + offset - start, atMost: wanted)
      }
      start = end
    }
    preconditionFailure("offset \(offset) is beyond a body of \(length) bytes")
  }
}
