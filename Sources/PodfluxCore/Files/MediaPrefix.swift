/// The first bytes of a file. Every position is valid; beyond the end there are no bytes.
struct MediaPrefix {
  let bytes: [UInt8]

  init(_ bytes: some Collection<UInt8>) {
    self.bytes = Array(bytes)
  }

  var count: Int { bytes.count }

  /// The byte at a position; nil beyond the end.
  subscript(position: Int) -> UInt8? {
    bytes.indices.contains(position) ? bytes[position] : nil
  }

  /// Whether these bytes are at a position.
  func has(_ expected: [UInt8], at position: Int = 0) -> Bool {
    position >= 0 && position <= count && bytes[position...].starts(with: expected)
  }

  /// Whether this text is at a position.
  func has(_ expected: String, at position: Int = 0) -> Bool {
    has(Array(expected.utf8), at: position)
  }

  /// A big-endian number. At most 7 bytes, so that it is never negative.
  func bigEndian(at position: Int, bytes length: Int) -> Int? {
    precondition((1...7).contains(length), "such a number may not fit")
    guard position >= 0, position <= count - length else { return nil }
    return bytes[position..<(position + length)].reduce(0) { $0 << 8 | Int($1) }
  }
}
