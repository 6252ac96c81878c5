import EngineRuntime
import PodfluxCore
import Synchronization

/// The limits that all attempts obey, as they are now.
final class CurrentSurroundings: AttemptSurroundings {
  private let limits = Mutex(TransferLimits())
  private let isGivenUp = Atomic(false)

  var reserveFreeBytes: Int64 { limits.withLock(\.reserveFreeBytes) }
  var isLibraryGivenUp: Bool { isGivenUp.load(ordering: .acquiring) }

  /// Replaces the limits of all transfers.
  func set(_ newLimits: TransferLimits) {
    limits.withLock { $0 = newLimits }
  }

  /// Forbids all attempts to change files of the library from now on.
  func giveUpLibrary() {
    isGivenUp.store(true, ordering: .releasing)
  }
}
