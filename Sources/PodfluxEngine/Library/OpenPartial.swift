import FileStore
import Flux
import PodfluxCore
import Synchronization

/// A partial file in the core's terms.
final class OpenPartial: PartialContents {
  private let file: PartialFile
  private let name: PartialName
  /// Where it is copied to when it is complete; nil if it can be moved itself.
  private let incoming: Incoming?
  private let tagging: FileTagging
  private let copies = Mutex(Copies())

  /// The copies of the file.
  private struct Copies {
    /// The file to be moved; nil until it was made.
    var movable: MovableFile?
    /// Where a copy is that is not wanted any more when the file is closed.
    var folder: Incoming?
  }

  init(_ file: PartialFile, _ name: PartialName, incoming: Incoming?, _ tagging: FileTagging) {
    (self.file, self.name, self.incoming, self.tagging) = (file, name, incoming, tagging)
    copies.withLock { $0.folder = incoming }
  }

  func length() throws(DownloadError) -> Int64 {
    try translatingErrors { () throws(FileError) in try file.length() }
  }

  func tagParts(for path: LibraryPath, while goOn: () -> Bool) -> Set<TagMaterial.Part> {
    tagging.parts(missingIn: file, for: path, while: goOn)
  }

  func prepareToMove(
    tagging request: TagRequest?, reserve: Int64, while goOn: () -> Bool
  ) throws(DownloadError) -> MovableFile? {
    // The copy exists already when this call follows one whose name was taken.
    if let movable = copies.withLock(\.movable) { return movable }
    guard let request else { return try movable(.notWanted, reserve: reserve, while: goOn) }
    let attempt = tagging.tag(file, name, request, reserve: reserve, while: goOn)
    if let folder = attempt.folder { copies.withLock { $0.folder = folder } }
    switch attempt.outcome {
    case .stopped: return nil
    case .untagged(let reason): return try movable(.untagged(because: reason), reserve: reserve, while: goOn)
    case .tagged(let movable):
      copies.withLock { $0.movable = movable }
      return movable
    }
  }

  /// The file as it was downloaded.
  private func movable(
    _ tags: TagOutcome, reserve: Int64, while goOn: () -> Bool
  ) throws(DownloadError) -> MovableFile? {
    let identity: FileIdentity?
    if let incoming {
      if let shortage = try shortage(of: incoming, reserve: reserve) { throw shortage }
      identity = try translatingErrors { () throws(FileError) in try incoming.copy(file, name, while: goOn) }
    } else {
      identity = try translatingErrors { () throws(FileError) in try file.identity() }
    }
    let movable = identity.map { MovableFile(inode: $0.lastingInode, tags: tags) }
    copies.withLock { $0.movable = movable }
    return movable
  }

  /// What is wrong where the copy would take of the reserve. It names no bytes to watch for: room for the rest of the
  /// download may be there all the time, and it would be woken at once. It is tried again after a while.
  private func shortage(of incoming: Incoming, reserve: Int64) throws(DownloadError) -> DownloadError? {
    let (length, room) = try translatingErrors { () throws(FileError) in
      (try file.length(), try incoming.freeBytes())
    }
    guard let error = DownloadError.shortage(of: length, room: room, reserve: reserve) else { return nil }
    return DownloadError(error.code, "on the library's disk \(error.message)")
  }

  func read(offset: Int64, count: Int) throws(DownloadError) -> [UInt8] {
    try translatingErrors { () throws(FileError) in try file.read(offset: offset, count: count) }
  }

  func append(_ blocks: [UnsafeRawBufferPointer]) throws(DownloadError) {
    do throws(PartialFile.AppendFailure) {
      try file.append(blocks)
    } catch {
      throw DownloadError(error.cause)
    }
  }

  func setModificationTime(_ moment: Timestamp) throws(DownloadError) {
    _ = try translatingErrors { () throws(FileError) in try file.setModificationTime(moment) }
  }

  func truncate(to length: Int64) throws(DownloadError) {
    try translatingErrors { () throws(FileError) in try file.truncate(to: length) }
  }

  func synchronizeContents() throws(DownloadError) {
    try translatingErrors { () throws(FileError) in try file.synchronizeContents() }
  }

  func synchronize() throws(DownloadError) {
    try translatingErrors { () throws(FileError) in try file.synchronize() }
  }

  func close(deletingEmpty: Bool) {
    file.close(deletingEmpty: deletingEmpty)
    // What has not been moved to its place is not wanted any more. Should that fail, the next start removes it.
    _ = try? copies.withLock(\.folder)?.delete(name)
  }
}
