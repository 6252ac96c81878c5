import Flux

/// The completed files that are read again, and those that are moved meanwhile.
struct FileChecks {
  /// How many files are read again at once.
  static let verificationsAtOnce = 2

  /// The verifications that completed downloads are owed.
  var owed = OwedWork<Verification>(limit: Self.verificationsAtOnce)
  /// What verifications have come to since people were last told.
  var tally = VerificationTally()
  /// The new names of files that are just being moved there.
  var renames: [DownloadID: LibraryPath] = [:]
  /// The downloads whose files were moved while they were read.
  var renamedWhileRead: Set<DownloadID> = []
}

/// Completed files that are read again.
extension DownloadsStore {
  /// Owes the completed files of a selection their verification.
  ///
  /// - Returns: how many were not owed it before.
  mutating func choose(_ selection: DownloadIntent.Selection, in turn: inout StoreTurn<Self>) throws -> Int {
    let table = turn.tables.verifications
    var chosen = 0
    switch selection {
    case .one(let id):
      let state = try existing(id, in: turn).state
      guard case .completed = state else {
        throw Refusal(
          .illegalTransition,
          "downloads/verify is not for a download that is \(state.kind.rawValue); verify what is completed",
          path: "payload.id")
      }
      chosen = try table.insert(id) ? 1 : 0
    case .many(let ids):
      for id in ids where try table.insert(id) { chosen += 1 }
    case .matching(let condition):
      chosen = try table.insertAll(meeting: condition, at: moment(in: turn))
    }
    if chosen > 0 { checks.owed.oweMore() }
    return chosen
  }

  mutating func handOutVerifications(in turn: inout StoreTurn<Self>) throws {
    for verification in try checks.owed.take({ try turn.tables.verifications.owed(limit: $0) }) {
      turn.perform(.verify(verification))
    }
  }

  /// Takes in what reading came to. Nothing follows from it if the download was removed meanwhile: another one may have
  /// its name and even its file's inode.
  mutating func finish(
    _ verification: Verification, _ verdict: Verification.Verdict, _ steps: OwedWork<CleanupStep>,
    in turn: inout StoreTurn<Self>
  ) throws {
    guard checks.owed.end(verification.key) != nil,
      try turn.tables.verifications.remove(verification.key),
      var download = try turn.tables.downloads.find(verification.download),
      case .completed(let file) = download.state
    else { return }
    if checks.renamedWhileRead.remove(download.id) != nil || checks.renames[download.id] != nil {
      _ = try turn.tables.verifications.insert(download.id)
      return checks.owed.oweMore()
    }
    guard file == verification.file else { return }
    var verdict = verdict
    if case .modified(let file) = verdict, try isAnothers(file, than: download.id, having: verification.file, in: turn)
    {
      verdict = .damaged("the file \"\(file.path)\" is gone, and another download's is in its place", remains: nil)
    } else if case .modified(let file) = verdict, try turn.tables.deletions.names(file) {
      // A removed download's: once that deletion is done, nothing is there.
      verdict = .damaged(
        "the file \"\(file.path)\" is gone, and one that is to be deleted is in its place", remains: nil)
    } else if case .modified(let file) = verdict, steps.isTaking(FoundFile(file)) {
      // Followed now, it would be a download's file that is taken away.
      verdict = .unreadable("a cleanup is just taking the file \"\(file.path)\" away")
    }
    checks.tally.count(verdict)
    switch verdict {
    case .intact, .unreadable: break
    case .modified(let file): try follow(&download, from: verification.file, to: file, in: &turn)
    case .damaged(let message, let remains):
      try condemn(
        &download, message, .init(file: verification.file, cause: remains == nil ? .missing : .corrupt),
        remains: remains, in: &turn)
    }
  }

  /// Tells what reading has come to when all that was chosen has been read, or when the engine ends.
  mutating func tellOfVerifications(_ lifecycle: LifecycleStore, in turn: inout StoreTurn<Self>) {
    guard lifecycle.isEnding || (lifecycle.isRecovered && checks.owed.isDone) else { return }
    if checks.tally.isNews { turn.perform(.tell(.verified(checks.tally))) }
    checks.tally = VerificationTally()
  }

  /// Whether the file that stands in the place of a download's file belongs to another download: that has it under a
  /// second name (link(2)), or has published it there after the first file had gone, perhaps with the same inode
  /// number. The first download's row then does not follow it. A file with the inode number of the first file is that
  /// file, also if another download has it under another name.
  private func isAnothers(
    _ file: PublishedFile, than id: DownloadID, having former: PublishedFile, in turn: borrowing StoreTurn<Self>
  ) throws -> Bool {
    let downloads = turn.tables.downloads
    let isItself = file.inode == former.inode && file.inode != FoundFile.unknownInode
    if try !isItself && !downloads.claimants(of: FoundFile(file), otherThan: id).isEmpty { return true }
    for other in try downloads.completedDownloads(at: file.path, otherThan: id) {
      guard case .completed(let theirs)? = try downloads.find(other)?.state else { continue }
      if theirs.inode == file.inode { return true }
    }
    return false
  }
}

extension Verification: OwedPiece {}
