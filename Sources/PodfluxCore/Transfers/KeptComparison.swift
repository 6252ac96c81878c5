/// Compares what arrives with what is kept, piece by piece, until everything kept has been repeated.
///
/// The kept bytes stay where they are, on the disk: memory holds one piece of them at a time.
public struct KeptComparison: Hashable, Sendable {
  /// What a piece turned out to be.
  public enum Finding: Hashable, Sendable {
    /// So many bytes at its beginning repeat kept ones; what follows them is new.
    case repeats(Int)
    /// After so many bytes it differs from what is kept.
    case differs(after: Int)
  }

  /// Where in the file the next arriving byte belongs.
  public private(set) var offset: Int64
  /// Where the kept bytes end.
  public let end: Int64

  /// Begins to compare at an offset, with kept bytes up to another.
  public init(from offset: Int64, to end: Int64) {
    self.offset = offset
    self.end = end
  }

  /// Whether everything kept has been repeated.
  public var isDone: Bool { offset >= end }

  /// Compares a piece. Cost: reads as many kept bytes as there are in the piece.
  public mutating func compare(
    _ piece: UnsafeRawBufferPointer, with contents: some ReadableContents
  ) throws(DownloadError) -> Finding {
    let count = Int(min(Int64(piece.count), max(0, end - offset)))
    guard count > 0 else { return .repeats(0) }
    let kept = try contents.read(offset: offset, count: count)
    // Where the file has become shorter behind the engine's back there is nothing to repeat.
    let same = kept.withUnsafeBytes { Self.commonLength($0, UnsafeRawBufferPointer(rebasing: piece.prefix(count))) }
    offset += Int64(same)
    return same == count ? .repeats(count) : .differs(after: same)
  }

  private static func commonLength(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
    guard one.count != other.count || !one.elementsEqual(other) else { return one.count }
    return zip(one, other).prefix { $0 == $1 }.count
  }
}
