import NIOCore

/// The source of a body's bytes.
enum BodySource: Sendable {
  case bytes(ByteBuffer)
  case repeated(ByteBuffer)
  case stamped(template: ByteBuffer)

  /// One to `limit` bytes from `offset` on, without a copy except for a block's stamp.
  func piece(at offset: Int, atMost limit: Int) -> ByteBuffer {
    switch self {
    case .bytes(let buffer):
      return buffer.part(at: offset, atMost: limit)
    case .repeated(let unit):
      return unit.part(at: offset % unit.readableBytes, atMost: limit)
    case .stamped(let template):
      let (block, offsetInBlock) = offset.quotientAndRemainder(dividingBy: StampedBlock.length)
      guard offsetInBlock < StampedBlock.stampLength else {
        return template.part(at: offsetInBlock, atMost: limit)
      }
      return StampedBlock.stamp(block: block).part(at: offsetInBlock, atMost: limit)
    }
  }
}

/// A block of content that begins with its own number, big-endian.
///
/// Any 64 KiB of the content contain the bytes of a stamp, so that an overlap of that length identifies its position.
enum StampedBlock {
  static let length = 64 * 1024
  static let stampLength = MemoryLayout<UInt64>.size

  static func template(seed: UInt64) -> ByteBuffer {
    var generator = SplitMix64(state: seed)
    var template = ByteBuffer()
    template.reserveCapacity(length)
    for _ in 0..<(length / MemoryLayout<UInt64>.size) {
      template.writeInteger(generator.next())
    }
    return template
  }

  static func stamp(block: Int) -> ByteBuffer {
    ByteBuffer(integer: UInt64(block))
  }
}

/// The beginning of a silent MP3 file.
enum SilentAudio {
  /// An empty ID3v2.3 tag, then MPEG-1 Layer III frames of 128 kbit/s, 44.1 kHz; 4,096 bytes.
  static let opening: Body = {
    let tag: [UInt8] = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 0]
    let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
    return .joined([.bytes(tag), .repeating(frame, length: openingLength - tag.count)])
  }()

  private static let openingLength = 4096
}

/// A small generator that is determined by its seed (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014).
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension ByteBuffer {
  /// Up to `limit` readable bytes from `offset` on, sharing this buffer's memory.
  fileprivate func part(at offset: Int, atMost limit: Int) -> ByteBuffer {
    let length = min(limit, readableBytes - offset)
    guard let part = getSlice(at: readerIndex + offset, length: length) else {
      preconditionFailure("\(length) bytes at \(offset) are not inside a buffer of \(readableBytes)")
    }
    return part
  }
}
