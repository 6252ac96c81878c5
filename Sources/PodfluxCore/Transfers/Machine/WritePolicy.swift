/// When bytes are written and when they are synced (see the article Durability).
package enum WritePolicy {
  /// The largest write, in bytes.
  package static let largestWrite = 1 << 20
  /// The smallest piece per transfer, for any number of transfers.
  package static let smallestWrite = 64 << 10
  /// The alignment of direct writes, in memory and in the file, in bytes. The kernel refuses them on devices with
  /// larger sectors.
  package static let page = 4096
  /// The memory for collected bytes of all transfers together; each has up to two pieces.
  package static let sharedBytes = 64 << 20
  /// How many bytes stay free for the library's own database: without them the engine could not even record that the
  /// disk is full.
  package static let reservedRoom: Int64 = 16 << 20
  /// How long received bytes may be in memory only.
  package static let writeMilliseconds: Int64 = 250
  /// How many written bytes may be without a sync.
  package static let checkpointBytes: Int64 = 8 << 20
  /// How long written bytes may be without a sync.
  package static let checkpointMilliseconds: Int64 = 2000

  /// How much one transfer collects, for a number of concurrent transfers.
  package static func writeSize(transfersAtOnce: Int) -> Int {
    min(largestWrite, max(smallestWrite, sharedBytes / (2 * transfersAtOnce)))
  }
}

/// Decides when to checkpoint a transfer.
package struct CheckpointMeter: Sendable {
  /// What the transfer does next for the durability of its bytes.
  package enum Decision: Hashable, Sendable {
    case none
    /// Record the version of the partial file's bytes in the row, before any byte counts.
    case announce
    /// Sync everything written, and record it.
    case synchronize
  }

  /// The length at the last sync, or at the start of the exchange.
  private var length: Int64 = 0
  private var milliseconds: Int64 = 0
  private var isAnnounced = false

  /// Call `begin` first.
  package init() {}

  /// Starts an exchange after this many kept bytes.
  package mutating func begin(at position: Int64, milliseconds: Int64) {
    length = position
    self.milliseconds = milliseconds
    isAnnounced = position > 0
  }

  /// What a file of this length calls for now.
  package mutating func decision(at written: Int64, milliseconds now: Int64) -> Decision {
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
