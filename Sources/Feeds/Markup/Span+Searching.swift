/// Searches and comparisons that look at eight bytes at a time.
extension Span<UInt8> {
  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }
  private static var lowBits: UInt64 { 0x0101_0101_0101_0101 }

  /// The index of the first byte from `start` on that is no ASCII, or the end.
  func endOfASCII(from start: Int) -> Int {
    var index = start
    while count - index >= 8, word(at: index) & Self.highBits == 0 { index += 8 }
    while index < count, self[index] < 0x80 { index += 1 }
    return index
  }

  /// The index of the first byte from `start` on that is one of two, or the end.
  func firstIndex(of first: UInt8, or second: UInt8, from start: Int) -> Int {
    firstIndex(of: first, or: second, or: second, from: start)
  }

  /// The index of the first byte from `start` on that is one of three, or the end.
  ///
  /// Inlined, so that a search for two does not look for the third.
  @inline(__always)
  func firstIndex(of first: UInt8, or second: UInt8, or third: UInt8, from start: Int) -> Int {
    let (firsts, seconds, thirds) = (
      UInt64(first) &* Self.lowBits, UInt64(second) &* Self.lowBits, UInt64(third) &* Self.lowBits
    )
    var index = start
    while count - index >= 8 {
      let word = word(at: index)
      let found =
        Self.zeroBytes(of: word ^ firsts) | Self.zeroBytes(of: word ^ seconds) | Self.zeroBytes(of: word ^ thirds)
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count, self[index] != first, self[index] != second, self[index] != third { index += 1 }
    return index
  }

  /// Whether a byte is one of its bytes.
  func contains(_ byte: UInt8) -> Bool {
    firstIndex(of: byte, or: byte, from: 0) < count
  }

  /// Whether it has the bytes of another.
  func hasBytes(of other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var index = 0
    while count - index >= 8 {
      guard word(at: index) == other.word(at: index) else { return false }
      index += 8
    }
    while index < count {
      guard self[index] == other[index] else { return false }
      index += 1
    }
    return true
  }

  /// Whether it has the bytes of a text.
  func hasBytes(of text: StaticString) -> Bool {
    text.withUTF8Buffer { hasBytes(of: $0.span) }
  }

  /// Whether each of its bytes satisfies a condition.
  func allSatisfy(_ condition: (UInt8) -> Bool) -> Bool {
    for index in indices where !condition(self[index]) { return false }
    return true
  }

  /// Whether its first bytes are those of a text.
  func begins(with text: StaticString) -> Bool {
    text.withUTF8Buffer { extracting(first: $0.count).hasBytes(of: $0.span) }
  }

  /// Eight bits that follow from the first and the last eight bytes, and from the length.
  var shortHash: UInt8 {
    var hash = UInt64(truncatingIfNeeded: count)
    if count >= 8 {
      hash = (hash ^ word(at: 0)) &* Self.hashFactor
      hash ^= word(at: count - 8)
    } else {
      for index in 0..<count { hash = hash << 8 ^ UInt64(self[index]) }
    }
    return UInt8(truncatingIfNeeded: (hash &* Self.hashFactor) >> 56)
  }

  /// An odd number whose bits look random: 2⁶⁴ divided by the golden ratio (Knuth, The Art of Computer Programming,
  /// section 6.4).
  private static var hashFactor: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  /// The eight bytes from an index on, the first one lowest.
  private func word(at index: Int) -> UInt64 {
    UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// The high bit of the lowest byte of a word that is zero, and perhaps of higher ones; 0 if no byte is zero (Sean
  /// Eron Anderson, Bit Twiddling Hacks, "Determine if a word has a zero byte").
  private static func zeroBytes(of word: UInt64) -> UInt64 {
    (word &- lowBits) & ~word & highBits
  }
}
