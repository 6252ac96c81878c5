import EngineRuntime
import PodfluxCore
import Synchronization

/// What all attempts keep to, as it is now.
final class CurrentSurroundings: AttemptSurroundings {
  private let limits = Mutex(TransferLimits())
  private let isGivenUp = Atomic(false)

  var reserveFreeBytes: Int64 { limits.withLock(\.reserveFreeBytes) }
  var isLibraryGivenUp: Bool { isGivenUp.load(ordering: .acquiring) }

  /// Replaces the limits of all transfers.
  func set(_ newLimits: TransferLimits) {
    limits.withLock { $0 = newLimits }
  }

  /// From now on no attempt changes a file of the library.
  func giveUpLibrary() {
    isGivenUp.store(true, ordering: .releasing)
  }
}
