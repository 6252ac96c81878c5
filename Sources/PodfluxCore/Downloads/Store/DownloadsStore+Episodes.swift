import Flux

/// Which download is an episode's.
///
/// Downloads of one address are one for clients. Episodes of one feed are told apart by more than their address: a
/// publisher who calls all files `latest.mp3`, or names the wrong one for a day, has still published several
/// (`EpisodeResemblance`).
extension DownloadsStore {
  /// The download that a wish asks for, if there is one that has not failed.
  func known(for wish: DownloadIntent.Enqueue, in turn: borrowing StoreTurn<Self>) throws -> DownloadID? {
    let downloads = turn.tables.downloads
    guard let episode = wish.episode else { return try downloads.find(wish.address) }
    return try downloads.find(wish, of: episode) { isFree($0, for: episode) }
  }

  /// The download that a wish asks for, if a person has removed it, or its file.
  func removed(for wish: DownloadIntent.Enqueue, in turn: borrowing StoreTurn<Self>) throws -> DownloadID? {
    try turn.tables.formerFiles.removedDownload(for: wish) { isFree($0, for: wish.episode) }
  }

  /// Notes that an episode has got a download, until its row says so.
  mutating func assign(_ id: DownloadID, to episode: Episode.Reference?) {
    if let episode { assigned[id, default: []].insert(episode) }
  }

  /// An episode's row says by now which download it has.
  mutating func unassign(_ id: DownloadID, from episode: EpisodeID) {
    guard var episodes = assigned.removeValue(forKey: id) else { return }
    episodes = episodes.filter { $0.episode != episode }
    if !episodes.isEmpty { assigned[id] = episodes }
  }

  private func isFree(_ id: DownloadID, for episode: Episode.Reference?) -> Bool {
    guard let episode, let others = assigned[id] else { return true }
    return !others.contains { $0.isSibling(of: episode) }
  }
}
