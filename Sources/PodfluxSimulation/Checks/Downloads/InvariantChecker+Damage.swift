import Digests
import PodfluxCore

/// Checks of files that other programs have changed.
extension InvariantChecker {
  /// A download fails after its completion only if its file is damaged or gone.
  ///
  /// - Parameter isCleanedUp: Whether the cleanup has finished a step about it.
  func checkDamage(_ row: Download, _ before: Download?, isCleanedUp: Bool, _ batch: Batch, _ world: World) throws {
    try checkEdited(row, before, on: world.disk)
    guard case .completed(let file)? = before?.state, row.state != before?.state, !isCleanedUp else { return }
    if case .completed(let present) = row.state, batch.hasFollowed(row.id) { return world.disk.own(present) }
    if case .failed(let error) = row.state, error.code == .corruptFile {
    } else {
      // The download may have failed and been requested again in the same batch.
      guard batch.hasFoundDamage(of: row.id) else {
        throw Violation(.damage, "\(row.id) was completed and is \(row.state)")
      }
    }
    guard let entry = world.disk.published[file.path.description], entry.file.inode == file.inode else { return }
    // It was missing when it was read, and has been restored; or another file has its path and inode.
    if entry.isDisplaced || entry.isForeign { return }
    // Its file is missing, and another file has its path and inode by now.
    if isAnothers(file, than: row.id) || entry.file.isWritten(byAnotherThan: row.id) { return }
    // With another length it is a later file, whose download is gone, or the rest of its own.
    let isChanged = entry.file.isDamaged || entry.file.isEdited || !entry.file.isMedia
    guard isChanged || entry.file.length != Int(file.length) else {
      throw Violation(.damage, "\(row.id) fails, and \(file.path) is intact")
    }
    guard row.isHeld else {
      throw Violation(.damage, "\(row.id) fails, and what is left at \(file.path) is not to go")
    }
  }

  /// A download whose file another program has edited stays completed. Without a recorded time, an edit cannot be
  /// distinguished from damage. A file that another row knows with its new time is that one's: its number may be
  /// reused.
  private func checkEdited(_ row: Download, _ before: Download?, on disk: SimulatedDisk) throws {
    guard case .completed(let file)? = before?.state, row.state.kind != .completed, file.modifiedNanoseconds != nil,
      let entry = disk.published[file.path.description], entry.file.inode == file.inode, entry.file.isEdited,
      entry.file.isMedia, !entry.file.isDamaged, !entry.isDisplaced, !entry.isForeign,
      !entry.file.isWritten(byAnotherThan: row.id), !isKnown(entry.file, at: file.path, byAnotherThan: row.id)
    else { return }
    throw Violation(.edited, "\(row.id) is \(row.state), and another program has only edited \(file.path)")
  }

  /// A file goes to quarantine because it was damaged, or in another one's place.
  func willQuarantine(_ file: PublishedFile, on disk: SimulatedDisk) throws {
    guard let entry = disk.published[file.path.description] else { return }
    let isCondemned = condemned.values.contains { $0.contains { $0.path == file.path && $0.inode == file.inode } }
    // An adopted file that never was media cannot be distinguished from damage once its time was set.
    let isChanged = entry.file.isDamaged || entry.file.isEdited || !entry.file.isMedia
    guard entry.isForeign || entry.isDisplaced || isChanged || isCondemned else {
      throw Violation(.damage, "\(file.path) goes to quarantine, and is intact")
    }
    guard
      !rows.values.contains(where: {
        $0.state.kind == .completed
          && $0.publishedFile.map { $0.path == file.path && $0.inode == file.inode && $0.length == entry.file.length }
            ?? false
      })
    else {
      throw Violation(.damage, "\(file.path) goes to quarantine, and is the file of a completed download")
    }
    quarantined.append(entry.file)
  }

  /// Whether a download has a file with this path, inode and length, or had one that is to be deleted.
  func knows(_ place: SimulatedDisk.Place) -> Bool {
    let files = rows.values.compactMap(\.publishedFile) + condemned.values.joined()
    return files.contains {
      $0.path.description == place.path && $0.inode == place.inode && $0.length == place.length
    }
  }

  /// Whether another download has this very file.
  func isShared(_ file: PublishedFile, by id: DownloadID) -> Bool {
    rows.values.contains { row in
      guard row.id != id, let other = row.publishedFile else { return false }
      return other.path == file.path && other.inode == file.inode && other.length == file.length
    }
  }

  /// Whether another download has this very file, or its current version: with the same path and inode, and the length
  /// that the disk reports.
  func isOwned(_ file: PublishedFile, byAnotherThan id: DownloadID, on disk: SimulatedDisk) -> Bool {
    guard !isShared(file, by: id) else { return true }
    guard let present = disk.published[file.path.description]?.file else { return false }
    return rows.values.contains { row in
      guard row.id != id, let other = row.publishedFile else { return false }
      return other.path == file.path && other.inode == file.inode && Int(other.length) == present.length
    }
  }

  /// Whether the file with this path and inode belongs to another download.
  func isAnothers(_ file: PublishedFile, than id: DownloadID?) -> Bool {
    rows.values.contains { row in
      guard row.id != id, let other = row.publishedFile else { return false }
      return other.path == file.path && other.inode == file.inode
    }
  }

  /// All completed files have been verified after the last fault.
  func checkIntact(_ file: PublishedFile, of id: DownloadID, on disk: SimulatedDisk) throws {
    guard let found = disk.published[file.path.description]?.file, found.length == Int(file.length),
      file.sha256 == nil || Self.digest(of: found.content, .sha256).hexadecimal == file.sha256
    else { throw Violation(.damage, "\(id) is completed, was read again, and \(file.path) is damaged or gone") }
  }
}

extension Batch {
  /// Whether a verification has found an edit of the file.
  func hasFollowed(_ id: DownloadID) -> Bool { followed(by: id) != nil }

  /// The edited file that a verification has found in the place of a download's file.
  func followed(by id: DownloadID) -> PublishedFile? {
    for case .verified(let verification, .modified(let file)) in actions where verification.download == id {
      return file
    }
    return nil
  }

  fileprivate func hasFoundDamage(of id: DownloadID) -> Bool {
    actions.contains { action in
      switch action {
      // An edited file may turn out to be another download's: then its own is missing.
      case .verified(let verification, .damaged), .verified(let verification, .modified):
        return verification.download == id
      default: return false
      }
    }
  }
}
