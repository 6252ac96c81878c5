/// The first bytes of a file. Nothing beyond their end is a byte, and no position is out of range.
struct MediaPrefix {
  let bytes: [UInt8]

  init(_ bytes: some Collection<UInt8>) {
    self.bytes = Array(bytes)
  }

  var count: Int { bytes.count }

  /// The byte at a position, nil if it is not among the first ones.
  subscript(position: Int) -> UInt8? {
    bytes.indices.contains(position) ? bytes[position] : nil
  }

  /// Whether these bytes stand at a position.
  func has(_ expected: [UInt8], at position: Int = 0) -> Bool {
    position >= 0 && position <= count && bytes[position...].starts(with: expected)
  }

  /// Whether this text stands at a position.
  func has(_ expected: String, at position: Int = 0) -> Bool {
    has(Array(expected.utf8), at: position)
  }

  /// The number in some bytes, the most significant one first. At most 7 bytes, so that it is never negative.
  func bigEndian(at position: Int, bytes length: Int) -> Int? {
    precondition((1...7).contains(length), "such a number may not fit")
    guard position >= 0, position <= count - length else { return nil }
    return bytes[position..<(position + length)].reduce(0) { $0 << 8 | Int($1) }
  }
}
