import PodfluxCore
import Synchronization

/// The current limits of all attempts.
final class CurrentLimits: Sendable {
  private let limits = Mutex(TransferLimits())

  /// How many bytes to leave free on the disk.
  var reserveFreeBytes: Int64 { limits.withLock(\.reserveFreeBytes) }

  /// Replaces the limits.
  func set(_ newLimits: TransferLimits) {
    limits.withLock { $0 = newLimits }
  }
}
