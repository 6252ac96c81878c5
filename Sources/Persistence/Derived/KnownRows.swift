import PodfluxCore

/// The rows that turns have read or written of late, a bounded number of them; those of running downloads always. Whatever
/// changes rows without telling them apart has them forgotten.
///
/// Owned by one connection and used on its queue only; nobody else writes to the database.
final class KnownRows {
  /// How many rows are remembered between turns, about a kilobyte each; of more only those that run.
  private static let limit = 1024

  private var downloads: [DownloadID: Download] = [:]

  subscript(id: DownloadID) -> Download? { downloads[id] }

  /// Takes in what the row holds now.
  func note(_ download: Download) {
    downloads[download.id] = download
  }

  func forget(_ id: DownloadID) {
    downloads[id] = nil
  }

  /// Forgets everything: rows were changed in bulk, or the transaction was undone.
  func forgetAll() {
    downloads = [:]
  }

  /// The transaction is committed: attempts go on reporting on what runs.
  func keepSome() {
    guard downloads.count > Self.limit else { return }
    downloads = downloads.filter { _, download in
      if case .running = download.state { true } else { false }
    }
  }
}
