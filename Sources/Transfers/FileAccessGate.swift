import PodfluxCore
import Synchronization

/// Stops attempts from touching the library after it was closed: another engine may own it then.
final class FileAccessGate: Sendable {
  private let hasCome = Atomic(false)

  /// Closes the gate.
  func begin() {
    hasCome.store(true, ordering: .releasing)
  }

  /// Whether the gate is closed.
  var hasBegun: Bool { hasCome.load(ordering: .acquiring) }

  /// Fails if the gate is closed. Call it before changing a file.
  func check() throws(DownloadError) {
    guard hasBegun else { return }
    throw DownloadError(.io, "the library was given up before the attempt had ended")
  }
}
