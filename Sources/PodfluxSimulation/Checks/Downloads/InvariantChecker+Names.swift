import PodfluxCore

/// Checks of files that get other names.
extension InvariantChecker {
  /// Whether a step was to move a file to where a deletion is to find it.
  func hasHandedOutMove(to deletion: Deletion) -> Bool {
    handedSteps.values.contains { handed in
      guard case .misnamed(let id, _, let path) = handed.step.finding else { return false }
      return id == deletion.download && path == deletion.file?.path
    }
  }

  /// A download goes and leaves its file to its client. A renaming that is under way may have moved it, or moves it
  /// yet.
  func release(_ file: PublishedFile, of id: DownloadID, on disk: SimulatedDisk) {
    disk.release(file, of: id)
    for handed in handedSteps.values {
      guard case .misnamed(id, file, let path) = handed.step.finding else { continue }
      var moved = file
      moved.path = path
      disk.release(moved, of: id)
    }
  }

  /// A step that gives a file another name has ended: the file is there, or where its row says.
  func hasRenamed(_ step: CleanupStep, _ outcome: CleanupStep.Outcome, on disk: SimulatedDisk) throws {
    guard case .misnamed(let id, let file, let path) = step.finding else { return }
    var moved = file
    moved.path = path
    switch outcome {
    // People may have taken it elsewhere since.
    case .moved: break
    case .left(let reason):
      guard disk.isPublished(moved), !disk.isPublished(file), let entry = disk.published[path.description],
        !entry.isDisplaced, !entry.isForeign, !entry.file.isEdited, !entry.file.isDamaged,
        entry.file.modified == file.modifiedNanoseconds, disk.cover(over: path.description) == nil,
        disk.cover(over: file.path.description) == nil
      else { return }
      // Until a cleanup has found it, its row knows nothing of it.
      guard reason == CleanupStep.fileHasGone else {
        disk.published[path.description]?.isDisplaced = true
        return
      }
      throw Violation(.names, "the file of \(id) was moved to \(path), and its row stays at \(file.path): \(reason)")
    case .done: throw Violation(.names, "\(step) moves no file")
    }
  }
}
