import PodfluxCore

/// The rows that a turn has read or written, and between turns those of running downloads: at most as many as can run
/// at once. Whatever changes rows without telling them apart has them forgotten.
///
/// Owned by one connection and used on its queue only; nobody else writes to the database.
final class KnownRows {
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
  func keepRunning() {
    downloads = downloads.filter { _, download in
      if case .running = download.state { true } else { false }
    }
  }
}
