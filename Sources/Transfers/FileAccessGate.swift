import PodfluxCore
import Synchronization

/// The moment from which attempts may not touch the library any more: it is given up, and may be another engine's.
final class FileAccessGate: Sendable {
  private let hasCome = Atomic(false)

  /// It is now.
  func begin() {
    hasCome.store(true, ordering: .releasing)
  }

  /// Whether it has come.
  var hasBegun: Bool { hasCome.load(ordering: .acquiring) }

  /// To be called before a file is changed.
  func check() throws(DownloadError) {
    guard hasBegun else { return }
    throw DownloadError(.io, "the library was given up before the attempt had ended")
  }
}
