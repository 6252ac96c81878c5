import Flux

/// Edited and damaged files.
extension CleanupPlanner {
  /// Judges a row's file, or the file in its place, whose content differs or may differ. A file that was written to
  /// since and is media counts as edited; any other as damaged.
  mutating func judge(
    _ row: ExpectedFile, _ found: FoundFile, _ because: String, _ evidence: some CleanupEvidence
  ) throws {
    let mayBeEdited = try row.file.mayBeEdited(as: found, finished: row.finished) { try evidence.changed(found) }
    guard mayBeEdited else { return add(corrupt: row, found, because) }
    guard let likeness = try evidence.likeness(of: found) else { return add(unreadable: found, of: row) }
    guard row.file.isStillMedia(likeness, length: found.length) else {
      let reason = likeness == .other ? "it is no media" : "nothing of what is known begins like that"
      return add(corrupt: row, found, "\(because), and \(reason)")
    }
    var sha256: String?
    if row.file.sha256 != nil { sha256 = try hashes[found.place] ?? evidence.sha256(of: found) }
    guard let file = found.published(sha256: sha256) else { return add(unnameable: found, of: row) }
    // A file at the row's path with the row's inode and length already counts as a download's.
    if found.place != row.place || found.inode != row.file.inode || found.length != row.file.length {
      note(followed: found)
    }
    noteFile(of: row)
    let finding: CleanupStep.Finding =
      file.path == row.file.path
      ? .modified(row.download, from: row.file, to: file) : .moved(row.download, from: row.file, to: file)
    add(finding, .follow, because + "; it is media, and its download follows it")
  }
}

extension PublishedFile {
  /// File systems without lasting inodes store times in units of up to two seconds (vfat), and round only at the next
  /// mount.
  private static let coarsestTimeNanoseconds: UInt64 = 2_000_000_000

  /// Whether the file's modification time certainly differs.
  package func hasOtherTime(than found: FoundFile) -> Bool {
    guard let recorded = modifiedNanoseconds, let modified = found.modifiedNanoseconds else { return false }
    guard found.inode == FoundFile.unknownInode else { return recorded != modified }
    let (difference, isOverflow) = recorded.subtractingReportingOverflow(modified)
    return isOverflow || difference.magnitude >= Self.coarsestTimeNanoseconds
  }

  /// Whether a file in the row's place may be an edit of the row's file: taggers write to the file, or replace it.
  /// Without a recorded time, another length or inode suggests an edit, or a time after the download's completion.
  ///
  /// Some taggers set the time back. A file of another length that was changed after the download ended was edited,
  /// too: a disk that fails changes no length. One that has grown was edited in any case, perhaps by a hook at once;
  /// one that was cut short at once was hardly edited. Of a file as long as before nothing tells an edit from damage
  /// then.
  ///
  /// - Parameters:
  ///   - found: The file in the row's place.
  ///   - finished: When the download was completed; nil where that is not known.
  ///   - changed: When the file was last changed (see `CleanupEvidence.changed`).
  package func mayBeEdited<Failure>(
    as found: FoundFile, finished: Timestamp?, changed: () throws(Failure) -> Timestamp?
  ) throws(Failure) -> Bool {
    guard modifiedNanoseconds != nil, found.modifiedNanoseconds != nil else {
      return inode != found.inode || length != found.length || found.isWritten(after: finished)
    }
    guard !hasOtherTime(than: found), found.length <= length else { return true }
    guard length != found.length, let finished, let changed = try changed() else { return false }
    return FoundFile.isChange(at: changed, after: finished)
  }

  /// Whether a changed file of this likeness is still media. An unrecognized file of the same length may have been
  /// unrecognized when published, unless its content is known to differ.
  package func isStillMedia(_ likeness: MediaCheck.Likeness, length: Int64) -> Bool {
    switch likeness {
    case .media: true
    case .unrecognized: length == self.length && sha256 == nil
    case .other: false
    }
  }

  func difference(from found: FoundFile) -> String {
    guard found.length == length else { return "it has \(found.length) bytes instead of \(length)" }
    return sha256 == nil
      ? "another file of the same length is in its place"
      : "it has another content than was downloaded: its SHA-256 differs"
  }
}

extension FoundFile {
  /// How much later than the completion of its download a file must have been changed: a file server has a clock of its
  /// own.
  private static let slackMilliseconds: Int64 = 10_000

  /// Whether a time of a file says that another program has changed it after its download was completed.
  package static func isChange(at time: Timestamp, after finished: Timestamp) -> Bool {
    time > finished.advanced(byMilliseconds: slackMilliseconds)
  }

  /// Whether it was written to after a download's completion.
  fileprivate func isWritten(after finished: Timestamp?) -> Bool {
    guard let finished, let modified = modifiedNanoseconds else { return false }
    return Self.isChange(at: Timestamp(milliseconds: modified / 1_000_000), after: finished)
  }
}
