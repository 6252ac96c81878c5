/// Compares received bytes with kept ones, piece by piece, until all kept bytes have been repeated.
///
/// The kept bytes stay on the disk: memory holds one piece of them at a time.
package struct KeptComparison: Hashable, Sendable {
  /// The result for one piece.
  package enum Outcome: Hashable, Sendable {
    /// This many bytes at its beginning repeat kept ones; the rest is new.
    case repeats(Int)
    /// After this many bytes it differs from the kept bytes.
    case differs(after: Int)
  }

  /// The offset in the file of the next received byte.
  package private(set) var offset: Int64
  /// The end of the kept bytes.
  package let end: Int64

  /// Compares from an offset with the kept bytes up to another.
  package init(from offset: Int64, to end: Int64) {
    self.offset = offset
    self.end = end
  }

  /// Whether all kept bytes have been repeated.
  package var isDone: Bool { offset >= end }

  /// Compares a piece. Cost: reads as many kept bytes as the piece has.
  package mutating func compare(
    _ piece: UnsafeRawBufferPointer, with contents: some ReadableContents
  ) throws(DownloadError) -> Outcome {
    let count = Int(min(Int64(piece.count), max(0, end - offset)))
    guard count > 0 else { return .repeats(0) }
    let kept = try contents.read(offset: offset, count: count)
    // If another program has truncated the file, there is nothing to repeat.
    let same = kept.withUnsafeBytes { Self.commonLength($0, UnsafeRawBufferPointer(rebasing: piece.prefix(count))) }
    offset += Int64(same)
    return same == count ? .repeats(count) : .differs(after: same)
  }

  private static func commonLength(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
    guard one.count != other.count || !one.elementsEqual(other) else { return one.count }
    return zip(one, other).prefix { $0 == $1 }.count
  }
}
