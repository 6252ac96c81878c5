import Flux
import PodfluxCore

/// The files of a library that an engine which ended was publishing.
package protocol InterruptedPublications {
  associatedtype Failure: Error
  /// Whether the file of such a download stands at its place, and makes it stand there after a power cut too: that
  /// engine may have died before it synced the folder.
  ///
  /// - Parameter original: What was downloaded, if the file is a tagged copy of that.
  func isPublishedDurably(
    _ file: PublishedFile, of download: DownloadID, original: Download.Original?
  ) throws(Failure) -> Bool
  /// Deletes the copies that the engine has left, but for those of these downloads: they stay until another attempt
  /// replaces them.
  func clearCopies(keeping downloads: Set<DownloadID>) throws(Failure)
}

extension InterruptedPublications {
  /// What an opening of the library does before anything else touches its files.
  ///
  /// - Parameter running: The downloads that were running when the last engine ended.
  /// - Returns: The downloads among them whose files stand at their places.
  package func recover(_ running: [Download]) throws(Failure) -> [DownloadID] {
    var (publishing, published): (Set<DownloadID>, [DownloadID]) = ([], [])
    for download in running {
      guard case .running(.publishing(let file)) = download.state else { continue }
      publishing.insert(download.id)
      if try isPublishedDurably(file, of: download.id, original: download.original) { published.append(download.id) }
    }
    try clearCopies(keeping: publishing)
    return published
  }
}
