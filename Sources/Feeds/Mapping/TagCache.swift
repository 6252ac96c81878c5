/// The tags of the names that occurred last, so that a name is interpreted once and compared from then on.
///
/// It holds one name for each hash: of two that share a hash, the later one takes the place of the other.
struct TagCache: Sendable {
  private struct Entry: Sendable {
    let name: [UInt8]
    /// Nil for an element that is not read.
    let tag: FeedTag?
  }

  private var entries: [Entry?] = []
  /// The longest name that is held.
  private static let maximumNameBytes = 64

  /// The tag of a name, which is nil for an element that is not read; nil for a name that it does not hold.
  func tag(named name: Span<UInt8>, hash: UInt8) -> FeedTag?? {
    guard !entries.isEmpty, let entry = entries[Int(hash)], entry.name.span.hasBytes(of: name) else { return nil }
    return .some(entry.tag)
  }

  mutating func insert(_ tag: FeedTag?, named name: Span<UInt8>, hash: UInt8) {
    guard name.count <= Self.maximumNameBytes else { return }
    if entries.isEmpty { entries = [Entry?](repeating: nil, count: Int(UInt8.max) + 1) }
    var bytes: [UInt8] = []
    bytes.append(name, 0..<name.count)
    entries[Int(hash)] = Entry(name: bytes, tag: tag)
  }

  mutating func removeAll() {
    entries = []
  }
}
