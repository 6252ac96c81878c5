/// Searches that look at eight bytes at a time.
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
    let (firsts, seconds) = (UInt64(first) &* Self.lowBits, UInt64(second) &* Self.lowBits)
    var index = start
    while count - index >= 8 {
      let word = word(at: index)
      if Self.hasZero(word ^ firsts) || Self.hasZero(word ^ seconds) { break }
      index += 8
    }
    while index < count, self[index] != first, self[index] != second { index += 1 }
    return index
  }

  private func word(at index: Int) -> UInt64 {
    bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
  }

  /// Whether a byte of a word is zero (Sean Eron Anderson, Bit Twiddling Hacks, "Determine if a word has a zero byte").
  private static func hasZero(_ word: UInt64) -> Bool {
    (word &- lowBits) & ~word & highBits != 0
  }
}
