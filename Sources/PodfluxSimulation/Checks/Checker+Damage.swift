import Digests
import PodfluxCore

/// What may become of files that somebody has changed.
extension Checker {
  /// A download fails after its completion only if its file is damaged or gone.
  func checkDamage(_ row: Download, _ before: Download?, _ world: World) throws {
    guard case .completed(let file)? = before?.state, row.state != before?.state else { return }
    guard case .failed(let error) = row.state, error.code == .corruptFile else {
      throw Violation(.damage, "\(row.id) was completed and is \(row.state)")
    }
    guard let entry = world.disk.published[file.path.description], entry.file.inode == file.inode else { return }
    guard entry.file.isDamaged else { throw Violation(.damage, "\(row.id) fails, and \(file.path) is intact") }
    guard row.isHeld || isAnothers(file, than: row.id) else {
      throw Violation(.damage, "\(row.id) fails, and what is left at \(file.path) is not to go")
    }
  }

  func willQuarantine(_ file: PublishedFile, on disk: SimulatedDisk) throws {
    guard let entry = disk.published[file.path.description], !entry.isForeign else {
      throw Violation(.foreignFiles, "\(file.path) goes to quarantine and is another's")
    }
    guard entry.file.isDamaged, !isAnothers(file, than: nil) else {
      throw Violation(.damage, "\(file.path) goes to quarantine, and is intact or the file of a completed download")
    }
    quarantined.append(entry.file)
  }

  private func isAnothers(_ file: PublishedFile, than id: DownloadID?) -> Bool {
    rows.values.contains { row in
      guard row.id != id, case .completed(let other) = row.state else { return false }
      return other.path == file.path && other.inode == file.inode
    }
  }

  /// All completed files have been read again when nothing could go wrong any more.
  func checkIntact(_ file: PublishedFile, of id: DownloadID, on disk: SimulatedDisk) throws {
    guard let found = disk.published[file.path.description]?.file, found.length == Int(file.length),
      file.sha256 == nil || Self.digest(of: found.content, .sha256).hexadecimal == file.sha256
    else { throw Violation(.damage, "\(id) is completed, was read again, and \(file.path) is damaged or gone") }
  }

  func checkQuarantine(_ disk: SimulatedDisk) throws {
    guard quarantined.allSatisfy({ file in disk.quarantined.contains { $0 === file } }) else {
      throw Violation(.damage, "a damaged file is not in quarantine any more")
    }
  }
}
