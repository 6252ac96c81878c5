import Flux
import PodfluxCore

/// The library's folder: partial files, published files, files of others. It outlives crashes; a power cut takes what
/// was not synced: bytes, a new file's entry in its folder, a rename.
final class SimulatedDisk {
  struct PublishedEntry {
    var file: SimulatedFile
    /// Whether the engine has nothing to do with it, or no more: its client has kept it.
    var isForeign: Bool
  }

  private struct Place: Hashable {
    var path: String
    var inode: UInt64
  }

  /// Files that are the client's as soon as they stand at their places.
  private var released: Set<Place> = []

  private struct Rename {
    var download: DownloadID
    var path: String
  }

  private(set) var partials: [DownloadID: SimulatedFile] = [:]
  private(set) var published: [String: PublishedEntry] = [:]
  /// Damaged files that were put aside. None ever leaves.
  private(set) var quarantined: [SimulatedFile] = []
  /// Renames whose folders are not synced.
  private var unsyncedRenames: [Rename] = []
  /// Deletions of partials that are not on the device.
  private var unsyncedDeletions: [(download: DownloadID, file: SimulatedFile)] = []
  private var freeInodes: [UInt64] = []
  private var lastInode: UInt64 = 100
  /// Whether no byte can be written.
  var isFull = false

  /// As ext4 does: the number of a deleted file is soon another's.
  private func newInode() -> UInt64 {
    if let inode = freeInodes.popLast() { return inode }
    lastInode += 1
    return lastInode
  }

  private func free(_ file: SimulatedFile) {
    freeInodes.append(file.inode)
    // What was a client's under this number will never stand at its place.
    released = released.filter { $0.inode != file.inode }
  }

  // MARK: Partials

  var partialNames: [DownloadID] { partials.keys.sorted() }

  func openPartial(of download: DownloadID) throws(DownloadError) -> SimulatedFile {
    if let file = partials[download] { return file }
    guard !isFull else { throw .diskFull }
    let file = SimulatedFile(inode: newInode())
    partials[download] = file
    return file
  }

  /// Writes at the end; when the disk is full, a part of it.
  func append(_ bytes: [UInt8], to file: SimulatedFile) throws(DownloadError) {
    guard !isFull else {
      file.append(bytes.prefix(bytes.count / 2))
      throw .diskFull
    }
    file.append(bytes)
  }

  func deletePartial(of download: DownloadID) {
    guard let file = partials.removeValue(forKey: download) else { return }
    unsyncedDeletions.append((download, file))
  }

  // MARK: Published files

  /// Renames without replacing; false if another file has the name.
  func publish(_ download: DownloadID, at path: String, replacing: Bool = false) throws(DownloadError) -> Bool {
    guard !isFull else { throw .diskFull }
    guard let file = partials[download] else {
      throw DownloadError(.io, "the partial file is gone")
    }
    guard published[path] == nil || replacing else { return false }
    partials[download] = nil
    published[path] = PublishedEntry(file: file, isForeign: released.contains(Place(path: path, inode: file.inode)))
    unsyncedRenames.append(Rename(download: download, path: path))
    return true
  }

  func synchronizeFolder(of path: String) {
    unsyncedRenames.removeAll { $0.path == path }
  }

  func isRenameSynced(_ path: String) -> Bool {
    !unsyncedRenames.contains { $0.path == path }
  }

  /// Whether this very file stands there.
  func isPublished(_ file: PublishedFile) -> Bool {
    guard let entry = published[file.path.description] else { return false }
    return entry.file.inode == file.inode && entry.file.length == Int(file.length)
  }

  func deletePublished(_ path: String) {
    guard let entry = published.removeValue(forKey: path) else { return }
    unsyncedRenames.removeAll { $0.path == path }
    free(entry.file)
  }

  func quarantine(_ path: String) {
    guard let entry = published.removeValue(forKey: path) else { return }
    unsyncedRenames.removeAll { $0.path == path }
    quarantined.append(entry.file)
  }

  /// The file is the client's from now on, or from when it stands at its place.
  func release(_ file: PublishedFile) {
    let path = file.path.description
    if published[path]?.file.inode == file.inode {
      published[path]?.isForeign = true
    } else {
      released.insert(Place(path: path, inode: file.inode))
    }
  }

  /// What somebody has made longer or shorter since it was to go is left alone, as somebody's own.
  func releaseIfChanged(_ file: PublishedFile) {
    if published[file.path.description]?.file.inode == file.inode { release(file) }
  }

  /// Somebody puts a file there.
  func addForeignFile(at path: String) {
    guard published[path] == nil, !isFull else { return }
    let file = SimulatedFile(inode: newInode())
    file.append(Array("another's".utf8))
    file.synchronize()
    published[path] = PublishedEntry(file: file, isForeign: true)
  }

  // MARK: Misfortune

  func losePower(using random: inout SeededGenerator) {
    for rename in unsyncedRenames where random.once(in: 2) {
      guard let entry = published.removeValue(forKey: rename.path) else { continue }
      if partials[rename.download] == nil { partials[rename.download] = entry.file }
    }
    unsyncedRenames = []
    for deletion in unsyncedDeletions {
      if partials[deletion.download] == nil, deletion.file.isNameSynced, random.once(in: 4) {
        partials[deletion.download] = deletion.file
      } else {
        free(deletion.file)
      }
    }
    unsyncedDeletions = []
    for download in partialNames {
      guard let file = partials[download] else { continue }
      if !file.isNameSynced, random.once(in: 2) {
        partials[download] = nil
        free(file)
      } else {
        file.losePower(using: &random)
      }
    }
    for path in published.keys.sorted() { published[path]?.file.losePower(using: &random) }
  }

  /// Somebody changes a published file, or takes it away.
  func damage(_ path: String, using random: inout SeededGenerator) {
    if random.once(in: 4) { published[path] = nil } else { published[path]?.file.damage(using: &random) }
  }

  /// Something happens to a partial file that nobody in the engine has done.
  func tamper(with download: DownloadID, using random: inout SeededGenerator) {
    guard let file = partials[download] else { return }
    if random.once(in: 3) { partials[download] = nil } else { file.tamper(using: &random) }
  }
}

extension DownloadError {
  static let diskFull = DownloadError(.noSpace, "the disk is full")
}
