import Flux

/// Hands out the files that the table owes a deletion or a move to quarantine, and forgets former files, of which only
/// a note is left.
extension DownloadsStore {
  /// How many deletions are under way at once.
  static let deletionsAtOnce = 64

  mutating func handOutDeletions(in turn: inout StoreTurn<Self>) throws {
    for var deletion in try deletions.take({ try turn.tables.deletions.ready(limit: $0) }) {
      if let file = deletion.file { deletion.ownFolders = try turn.tables.upkeep.madeFolders(above: file.path) }
      turn.perform(.delete(deletion))
    }
  }

  mutating func finishDeletion(_ key: Deletion.Key, in turn: inout StoreTurn<Self>) throws {
    endDeletion(key, in: &turn)
    guard let id = try turn.tables.deletions.remove(key), live[id] == nil else { return }
    try turn.tables.downloads.release(id)
  }

  /// Makes postponed deletions ready again: a round of them, after this one.
  ///
  /// - Returns: the last of them; nil if there are no more, or none was named.
  mutating func retryDeletions(after key: Deletion.Key?, in turn: borrowing StoreTurn<Self>) throws -> Deletion.Key? {
    guard let key else { return nil }
    deletions.oweMore()
    return try turn.tables.deletions.makeReady(
      after: key, limit: UpkeepStore.perRound, sparing: live.keys.sorted())
  }

  /// Forgets a round of former files.
  ///
  /// - Returns: whether none is left to be forgotten.
  func forgetFormerFiles(in turn: borrowing StoreTurn<Self>) throws -> Bool {
    let keeping = FormerFile.Keeping(
      since: turn.now.advanced(byDays: -FormerFile.keptDays), number: FormerFile.keptNumber)
    let limit = UpkeepStore.perRound
    return try turn.tables.formerFiles.forgetFormerFiles(beyond: keeping, now: turn.now, limit: limit) < limit
  }

  /// What cannot be deleted now, because the disk is read-only for instance, is tried again the next day, or at the
  /// next start: a drain must not wait for it. A damaged file that stays where it is blocks nothing: a new one gets
  /// another name.
  mutating func postponeDeletion(_ key: Deletion.Key, in turn: inout StoreTurn<Self>) throws {
    endDeletion(key, in: &turn)
    guard let id = try turn.tables.deletions.postpone(key), live[id] == nil else { return }
    try turn.tables.downloads.release(id)
  }

  /// Ends a deletion: a download that has waited for its path may be published now.
  private mutating func endDeletion(_ key: Deletion.Key, in turn: inout StoreTurn<Self>) {
    guard deletions.end(key) != nil else { return }
    for id in live.filter({ $0.value.awaitedDeletions.contains(key) }).keys.sorted() {
      live[id]?.awaitedDeletions.remove(key)
      guard let attempt = live[id], attempt.awaitedDeletions.isEmpty, !attempt.isStopping else { continue }
      turn.perform(.proceed(AttemptID(download: id, generation: attempt.generation)))
    }
  }

  /// A partial file of which nothing is known: what a crash left between a row's end and its file's, or before the
  /// first checkpoint. It is owed its deletion; one that could not be done before is tried again.
  mutating func disownPartial(of id: DownloadID, in turn: inout StoreTurn<Self>) throws {
    deletions.oweMore()
    guard try turn.tables.deletions.owedPartial(of: id) == nil else {
      guard live[id] == nil else { return }
      return try turn.tables.deletions.makeReady(id)
    }
    try turn.tables.deletions.insert(Deletion(download: id, file: nil), isReady: true)
    guard var download = try turn.tables.downloads.find(id) else { return }
    download.isHeld = true
    try update(download, in: turn)
  }
}

extension Deletion: OwedPiece {}
