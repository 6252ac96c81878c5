import PodfluxCore

/// Caches recently used rows, a bounded number, and always those of running downloads. Bulk changes clear the cache.
///
/// One connection owns it and uses it on its queue; only this process writes to the database.
final class KnownRows {
  /// How many rows stay cached between turns, about a kilobyte each; beyond that only the running ones stay.
  private static let limit = 1024

  private var downloads: [DownloadID: Download] = [:]

  subscript(id: DownloadID) -> Download? { downloads[id] }

  /// Caches the row's current value.
  func note(_ download: Download) {
    downloads[download.id] = download
  }

  func forget(_ id: DownloadID) {
    downloads[id] = nil
  }

  /// Clears the cache after a bulk change or a rollback.
  func forgetAll() {
    downloads = [:]
  }

  /// Trims the cache after a commit; attempts keep reporting on running downloads.
  func keepSome() {
    guard downloads.count > Self.limit else { return }
    downloads = downloads.filter { _, download in
      if case .running = download.state { true } else { false }
    }
  }
}
