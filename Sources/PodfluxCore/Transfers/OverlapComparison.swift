/// Compares what arrives with the end of what is kept, piece by piece.
struct OverlapComparison: Hashable, Sendable {
  private let expected: [UInt8]
  private var compared = 0

  init(expected: [UInt8]) {
    self.expected = expected
  }

  /// Whether everything kept has been found again.
  var isDone: Bool { compared == expected.count }

  /// Compares the beginning of a piece.
  ///
  /// - Returns: how many of its bytes were compared and are therefore known already; nil at the first difference.
  mutating func compare(_ piece: UnsafeRawBufferPointer) -> Int? {
    let count = min(piece.count, expected.count - compared)
    guard piece.prefix(count).elementsEqual(expected[compared..<(compared + count)]) else { return nil }
    compared += count
    return count
  }
}
