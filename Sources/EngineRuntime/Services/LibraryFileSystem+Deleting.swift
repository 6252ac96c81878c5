import Flux
import PodfluxCore

/// Deletions that rows owe, and what is done with files once a day.
extension LibraryFileSystem {
  /// Deletes what a removed download left, or puts a damaged file into quarantine. What is not there any more, or is
  /// another file by now, or was written to if the deletion spares edits, is left alone. Carried out twice it does
  /// nothing more.
  ///
  /// - Throws: Also where a link is on the way to the file: it may be there, and the deletion is still owed.
  package func delete(_ deletion: Deletion, at now: Timestamp) throws(FileSystemFailure) {
    switch deletion.fate {
    case .deleted:
      try deletePartial(of: deletion.download)
      guard let file = deletion.file else { return }
      switch try look(at: EntryPath(file.path)) {
      case .file(let present) where FoundFile(file).isSameFile(as: present):
        guard !(deletion.sparesEdits && file.hasOtherTime(than: present)) else { return }
        _ = try delete(FoundFile(file), ownFolders: deletion.ownFolders)
      // Once the link is gone the file may be there again.
      case .behindLink(let failure): throw failure
      case .file, .nothing, .link, .other: break
      }
    case .quarantined:
      guard let file = deletion.file else { return }
      let order = QuarantineOrder(
        because: "it is not what was downloaded", download: deletion.download, ownFolders: deletion.ownFolders, at: now)
      // What has changed or gone meanwhile, or is behind a link by now, stays where it is.
      _ = try quarantine(FoundFile(file), order)
    }
  }

  /// Deletes what has been in quarantine for as many days as the settings say.
  ///
  /// - Parameter goOn: Asked before each file; false ends it there.
  package func emptyQuarantine(
    _ day: DailyUpkeep, at now: Timestamp, while goOn: () -> Bool
  ) throws(FileSystemFailure) -> QuarantineUsage {
    guard let limit = day.quarantineLimit(at: now) else { return QuarantineUsage() }
    return try emptyQuarantine(before: limit, while: goOn)
  }

  /// Which of these folders do not exist any more. None where the library's disk is not mounted; what cannot be looked
  /// at counts as existing.
  package func goneFolders(of folders: [LibraryPath]) throws(FileSystemFailure) -> [LibraryPath] {
    guard try isInPlace() else { return [] }
    return folders.filter { folder in (try? exists(EntryPath(folder))) == false }
  }
}

extension DailyUpkeep {
  /// What was put into quarantine before this has been there for long enough; nil if it is kept for ever.
  func quarantineLimit(at now: Timestamp) -> Timestamp? {
    quarantineDays > 0 ? now.advanced(byDays: -quarantineDays) : nil
  }
}
