import PodfluxCore

/// The lines for a program that is run for completed downloads.
extension LineEncoder {
  /// A download is completed. `path` is relative to the library.
  package mutating func completed(_ completed: NameableDownload, library: String) {
    let item = DownloadsSnapshot.Item(download: completed.download, live: nil)
    writer.object { $0.members(ofCompleted: item, completed.episode, completed.feed, library: library) }
    writer.endLine()
  }
}
