import EngineRuntime
import PodfluxCore
import Synchronization

/// The `GatheredFiles` of an engine. Thread safe.
final class SharedGatheredFiles: Sendable {
  private let files = Mutex(GatheredFiles())

  func keep(_ bytes: [UInt8], from source: GatheredFiles.Source) {
    files.withLock { $0.keep(bytes, from: source) }
  }

  /// What has been fetched for a sidecar; nil if it is to be fetched.
  func take(_ fetch: SidecarFetch) -> [UInt8]? {
    guard let source = GatheredFiles.Source(fetch) else { return nil }
    return files.withLock { $0.take(source) }
  }
}
