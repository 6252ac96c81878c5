import Flux
import PodfluxCore

/// The part of each step of a cleanup that is not a row's.
extension LibraryFileSystem {
  /// Checks that the files are as a step expects them, and does with them what it says. Called again after a crash at
  /// any point it comes to the same end.
  ///
  /// - Parameter goOn: Asked before each of many files that one step is about; false leaves the others.
  package func carryOut(
    _ step: CleanupStep, at now: Timestamp, while goOn: () -> Bool = { true }
  ) -> CleanupStep.Outcome {
    do throws(FileSystemFailure) {
      return try outcome(of: step, at: now, while: goOn)
    } catch {
      return .left("\(error)")
    }
  }

  private func outcome(
    of step: CleanupStep, at now: Timestamp, while goOn: () -> Bool
  ) throws(FileSystemFailure) -> CleanupStep.Outcome {
    switch step.finding {
    case .missing(_, let file, let other):
      guard try isInPlace() else { return .left(SurveyFailure.notInPlace.description) }
      guard try !isMissing(file, besides: other) else { return .done }
      return .left("its file is there again, or a link is on the way to it")
    case .moved(_, let former, let file):
      // A download whose own file is where it was does not leave it for another one.
      guard try !isUntouched(former) else { return .hasChanged }
      // Nor for a copy, as long as its own file may be where a link hides it.
      if former.inode != file.inode, case .behindLink(let failure) = try look(at: EntryPath(former.path)) {
        return .left("\(failure)")
      }
      return try isPublished(file) ? .done : .hasChanged
    case .modified(_, _, let file):
      return try isUntouched(FoundFile(file)) ? .done : .hasChanged
    case .corrupt(_, _, let found), .adoptable(let found, _, _), .episodeFile(let found, _):
      return try isUntouched(found) ? .done : .hasChanged
    case .misnamed(_, let file, let path): return try rename(file, to: path, step.move ?? CleanupStep.Move())
    case .orphan(let found): return try carryOut(orphan: found, step, at: now)
    // Its deletion is a row first: no download of its name may begin meanwhile.
    case .orphanPartial: return .done
    case .partial(let download, let planned, let length, let tailHash):
      return try correct(download, planned, length: length, tailHash: tailHash)
    case .strayPartial(let found):
      return try quarantine(strayPartial: found, QuarantineOrder(because: step.because, at: now)).stepOutcome
    case .emptyFolder(let place):
      guard try !removeEmptyFolder(place) else { return .done }
      return try exists(place) ? .left("it is not empty any more") : .done
    case .foreign: return .done
    case .expiredQuarantine(let moment, _):
      _ = try emptyQuarantine(before: Timestamp(milliseconds: moment), while: goOn)
      return goOn() ? .done : .left("the engine ended before all of them were deleted")
    }
  }

  private func carryOut(
    orphan found: FoundFile, _ step: CleanupStep, at now: Timestamp
  ) throws(FileSystemFailure) -> CleanupStep.Outcome {
    switch step.decision {
    case .quarantine: return try quarantine(found, QuarantineOrder(because: step.because, at: now)).stepOutcome
    case .delete:
      // Nothing there any more: the step has been done, perhaps by this engine before it died.
      let isDeleted = try delete(found, ownFolders: [])
      if isDeleted { return .done }
      return try exists(found.place) ? .hasChanged : .done
    default:
      let isThere = try look(at: found.place).regularFile().map(found.isSameFile) ?? false
      return isThere ? .done : .hasChanged
    }
  }

  /// Gives a file another name, if it is as it was recorded; or finds that an engine which has ended has done so.
  func rename(
    _ file: PublishedFile, to path: LibraryPath, _ order: CleanupStep.Move
  ) throws(FileSystemFailure) -> CleanupStep.Outcome {
    guard try isInPlace() else { return .left(SurveyFailure.notInPlace.description) }
    do throws(FileSystemFailure) {
      switch try look(at: EntryPath(file.path)) {
      case .file(let present) where file.isUntouched(as: present): break
      case .file, .link, .other: return .left(CleanupStep.fileHasChanged)
      case .behindLink(let failure): throw failure
      case .nothing: return try earlierRenaming(of: file, to: path, order)
      }
    } catch {
      // What hides the former name now says nothing of a move that an engine which has ended has made.
      guard order.mayHaveBegun, case .moved = try earlierRenaming(of: file, to: path, order, isSeen: true) else {
        throw error
      }
      return .moved(madeFolders: [])
    }
    switch try move(FoundFile(file), to: path, order) {
    case .moved(let folders):
      removeEmpty(order.ownFolders)
      return .moved(madeFolders: folders)
    case .gone: return .left(CleanupStep.fileHasGone)
    case .changed: return .left(CleanupStep.fileHasChanged)
    case .taken: return .left(CleanupStep.nameIsTaken)
    }
  }

  /// An engine that has ended since may have moved the file; or a person has, just there.
  ///
  /// - Parameter isSeen: Whether the file must be seen there.
  private func earlierRenaming(
    of file: PublishedFile, to path: LibraryPath, _ order: CleanupStep.Move, isSeen: Bool = false
  ) throws(FileSystemFailure) -> CleanupStep.Outcome {
    var moved = file
    moved.path = path
    switch try look(at: EntryPath(path)) {
    // Without a number that lasts, only an engine that may have moved it makes a file of its length and time this one.
    case .file(let present)
    where (order.mayHaveBegun || file.inode != FoundFile.unknownInode) && moved.isUntouched(as: present):
      break
    // Behind a link the file cannot be identified. It is not at its former place, so the row takes the new one.
    case .behindLink where order.mayHaveBegun && !isSeen: break
    case .file, .link, .other, .behindLink, .nothing: return .left(CleanupStep.fileHasGone)
    }
    removeEmpty(order.ownFolders)
    return .moved(madeFolders: [])
  }

  /// Removes folders that are empty, the innermost of which is the first. One that cannot be removed stays, and so do
  /// those around it: the file has its name.
  private func removeEmpty(_ folders: [LibraryPath]) {
    for folder in folders {
      guard (try? removeEmptyFolder(EntryPath(folder))) == true else { return }
    }
  }

  /// The row is to say what is durable: so it is made durable first.
  private func correct(
    _ download: DownloadID, _ planned: ResumeRecord, length: Int64, tailHash: String
  ) throws(FileSystemFailure) -> CleanupStep.Outcome {
    guard length > 0 else {
      return try partialLength(of: download) ?? 0 < planned.durable ? .done : .hasChanged
    }
    let file = try openExistingPartial(of: download)
    defer { file.close() }
    guard try file.length() == length else { return .hasChanged }
    try file.synchronize()
    return try file.tailHash(length: length) == tailHash ? .done : .hasChanged
  }

  /// Whether nothing, or another file, is where the file should be. Behind a link nothing can be told.
  ///
  /// - Parameter other: Another download's file that was found there. It may have the inode of this one, which was
  ///   deleted.
  private func isMissing(
    _ file: PublishedFile, besides other: FoundFile?
  ) throws(FileSystemFailure) -> Bool {
    switch try look(at: EntryPath(file.path)) {
    case .nothing, .other: return true
    case .link, .behindLink: return false
    case .file(let present):
      if let other, other.isUntouched(as: present) { return true }
      // Its own file is there, even if a program has made it longer or shorter since it was looked for.
      let isOwn = present.inode != FoundFile.unknownInode && present.inode == file.inode
      return !isOwn && !FoundFile(file).isSameFile(as: present)
    }
  }

  /// Whether the file of a row is in its place. Inode and length do not tell that: another download's file there may
  /// have reused the inode of this one.
  private func isUntouched(_ file: PublishedFile) throws(FileSystemFailure) -> Bool {
    switch try look(at: EntryPath(file.path)) {
    case .file(let present): file.isUntouched(as: present)
    case .nothing, .link, .other, .behindLink: false
    }
  }

  private func isUntouched(_ found: FoundFile) throws(FileSystemFailure) -> Bool {
    try look(at: found.place).regularFile().map(found.isUntouched) ?? false
  }
}

extension CleanupStep.Outcome {
  static let hasChanged = Self.left("the file has changed since; the next cleanup looks at it again")
}

extension QuarantineOutcome {
  /// An earlier engine that moved the file has done the step; a person who took it away has not.
  fileprivate var stepOutcome: CleanupStep.Outcome {
    switch self {
    case .moved: .done
    case .gone: .left("it is gone: it was moved or deleted since it was found")
    case .changed: .hasChanged
    case .behindLink(let failure): .left("\(failure)")
    }
  }
}
