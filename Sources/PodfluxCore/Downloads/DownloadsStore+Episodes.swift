import Flux

/// Which download is an episode's.
///
/// Downloads of one address are one for clients. Episodes of one feed are told apart by more than their address: a
/// publisher who calls all files `latest.mp3`, or names the wrong one for a day, has still published several.
extension DownloadsStore {
  /// The download that a wish asks for, if there is one that has not failed.
  func known(for wish: DownloadIntent.Enqueue, in turn: borrowing PodfluxTurn) throws -> DownloadID? {
    let downloads = turn.tables.downloads
    guard let owner = wish.owner else { return try downloads.find(wish.address) }
    return try downloads.candidates(for: wish, of: owner).first { isFree($0, for: owner) }
  }

  /// The download that a wish asks for, if a person has removed it, or its file.
  func removed(for wish: DownloadIntent.Enqueue, in turn: borrowing PodfluxTurn) throws -> DownloadID? {
    try turn.tables.formerFiles.removedDownloads(for: wish).first { isFree($0, for: wish.owner) }
  }

  /// Notes that an episode has got a download, until its row says so.
  mutating func assign(_ id: DownloadID, to owner: Episode.Reference?) {
    if let owner { newOwners[id, default: []].insert(owner) }
  }

  private func isFree(_ id: DownloadID, for owner: Episode.Reference?) -> Bool {
    guard let owner, let others = newOwners[id] else { return true }
    return !others.contains { $0.isSibling(of: owner) }
  }
}
