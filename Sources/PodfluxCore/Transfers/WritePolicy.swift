/// When bytes are written and when they are made durable (the article Durability).
public enum WritePolicy {
  /// The most that is collected before it is written, in bytes.
  public static let largestWrite = 1 << 20
  /// The least, however many transfers share the memory.
  public static let smallestWrite = 64 << 10
  /// What goes past the page cache begins and ends at multiples of this, in memory and in the file, in bytes. Where a
  /// device's sectors are larger the kernel refuses.
  public static let page = 4096
  /// What all transfers together may collect, in bytes; each has up to two pieces.
  public static let sharedBytes = 64 << 20
  /// How much room is left on the disk for the library's own records, in bytes: without them nobody could even note that
  /// the disk is full.
  public static let reservedRoom: Int64 = 16 << 20
  /// How long arrived bytes may be in memory only.
  public static let writeMilliseconds: Int64 = 250
  /// How many written bytes may be without a sync.
  public static let checkpointBytes: Int64 = 8 << 20
  /// How long written bytes may be without a sync.
  public static let checkpointMilliseconds: Int64 = 2000

  /// How much one transfer collects, given how many there may be.
  public static func writeSize(transfersAtOnce: Int) -> Int {
    min(largestWrite, max(smallestWrite, sharedBytes / (2 * transfersAtOnce)))
  }
}

/// Decides when a transfer's bytes are made durable.
public struct CheckpointMeter: Sendable {
  /// What is to be done now.
  public enum Step: Hashable, Sendable {
    /// Nothing.
    case none
    /// The row is to learn which version the partial holds, before any byte of it counts.
    case announce
    /// Make everything written durable, and record it.
    case synchronize
  }

  /// The length at the last sync, or at the beginning of the exchange.
  private var length: Int64 = 0
  private var milliseconds: Int64 = 0
  private var isAnnounced = false

  /// Makes a meter; `begin` sets it going.
  public init() {}

  /// An exchange begins, behind so many kept bytes.
  public mutating func begin(at position: Int64, milliseconds: Int64) {
    length = position
    self.milliseconds = milliseconds
    isAnnounced = position > 0
  }

  /// What to do about a file of this length now.
  public mutating func step(at written: Int64, milliseconds now: Int64) -> Step {
    let isDue =
      written - length >= WritePolicy.checkpointBytes || now - milliseconds >= WritePolicy.checkpointMilliseconds
    if isDue, written > length {
      length = written
      milliseconds = now
      isAnnounced = true
      return .synchronize
    }
    guard !isAnnounced else { return .none }
    isAnnounced = true
    return .announce
  }
}
