import PodfluxCore
import Synchronization

/// What all attempts keep to, as it was said last.
final class CurrentLimits: Sendable {
  private let limits = Mutex(TransferLimits())

  /// How many bytes are to be left free on the disk.
  var reserveFreeBytes: Int64 { limits.withLock(\.reserveFreeBytes) }

  /// From now on these count.
  func set(_ newLimits: TransferLimits) {
    limits.withLock { $0 = newLimits }
  }
}
