import Glibc
import PodfluxCore

/// `.podflux/sidecars`: small files that wait for their names in the library. It lies on the library's disk, so that
/// each can be renamed to its place.
///
/// A file lives there no longer than the fetch that has written it: the next start removes what a killed engine left.
package struct StagedFiles: Sendable {
  private let library: Library

  package init(_ library: Library) {
    self.library = library
  }

  /// Writes a file of this number and syncs it. Returns its identity, which a move keeps.
  ///
  /// Fails with `noSpace`, before writing, if fewer than `reserve` bytes would stay free.
  package func write(_ bytes: [UInt8], as number: Int64, keepingFree reserve: Int64) throws(FileError) -> FileIdentity {
    let folder = try folder()
    let name = Self.name(number)
    guard try Library.diskSpace(of: folder).freeBytes - Int64(bytes.count) >= reserve else {
      throw FileError.noSpace(path: folder.pathOfChild(name))
    }
    // A new inode: the former file of this number may have got its name.
    _ = try folder.deleteFile(name)
    let file = try folder.makeChild(name, O_WRONLY | O_EXCL, mode: Library.Layout.fileMode)
    let outcome = bytes.withUnsafeBytes { file.write($0, offset: 0) }
    if let failure = outcome.failure { throw failure }
    try file.synchronize()
    try folder.synchronize()
    return try file.status().identity
  }

  /// Moves the file of this number to `path`, in a folder that exists, and syncs the folder. Never replaces a file.
  ///
  /// - Parameters:
  ///   - recorded: The file's identity, recorded before the first try: if it is at `path`, an earlier call has moved
  ///     it.
  ///   - sparingTwins: Whether the path counts as taken if a case-insensitive disk would confuse it with another one.
  /// - Returns: Whether the file is at `path`; otherwise another one is.
  package func publish(
    _ number: Int64, to path: LibraryPath, recorded: FileIdentity, sparingTwins: Bool
  ) throws(FileError) -> Bool {
    let (folder, name) = (try folder(), Self.name(number))
    let sparingTwins = library.sparesTwins(sparingTwins)
    let (walk, isPublished) = try library.folderChanges.withLock { (_) throws(FileError) in
      let walk = try FolderWalk(to: EntryPath(path), in: library, makingFolders: false)
      return (walk, try place(name, in: folder, walk, recorded, sparingTwins))
    }
    guard isPublished else { return false }
    library.folderSyncs.synchronizeMove(in: walk.folder)
    return true
  }

  private func place(
    _ name: EntryName, in folder: Descriptor, _ walk: FolderWalk, _ recorded: FileIdentity, _ sparingTwins: Bool
  ) throws(FileError) -> Bool {
    if let found = try walk.status() {
      // Without lasting inodes any file of that length would match.
      let waiting = try folder.statusOfChild(name)?.identity
      let mayBeOwn = found.identity.hasLastingInode || waiting == nil
      if mayBeOwn, found.kind == .regular, found.identity.isSameFile(as: recorded) {
        // Where files are moved by way of links, a crash leaves both names.
        if waiting == found.identity { _ = try folder.deleteFile(name) }
        return true
      }
      // An engine that was killed here has left its placeholder. Its next start has removed the file.
      guard try library.moves.mayHaveLeft(found, movingLength: recorded.size, probing: library.engineFolder) else {
        return false
      }
      _ = try walk.folder.deleteFile(walk.name)
      guard waiting != nil else { return false }
    }
    let twins = library.foldedFolders
    if sparingTwins, let twin = try twins.twin(of: walk.name, in: walk.folder), twin != walk.name { return false }
    do throws(FileError) {
      try library.moves.perform(name, in: folder, to: walk.name, in: walk.folder)
    } catch .exists {
      return false
    }
    if sparingTwins { try twins.added(walk.name, to: walk.folder) }
    return true
  }

  /// Deletes the file of this number, if there is one.
  package func discard(_ number: Int64) throws(FileError) {
    _ = try folder().deleteFile(Self.name(number))
  }

  /// Deletes what killed engines have left. Call it before the first file is written.
  package func clear() throws(FileError) {
    let folder: Descriptor
    do throws(FileError) {
      folder = try library.engineFolder.openFolder(Library.Layout.sidecars)
    } catch .notFound {
      return
    }
    let stream = try FolderStream(folder)
    var names: [EntryName] = []
    while let record = try stream.next() {
      if !record.isHidden { names.append(record.entryName) }
    }
    for name in names { _ = try folder.deleteFile(name) }
  }

  private func folder() throws(FileError) -> Descriptor {
    try library.engineFolder.openFolder(Library.Layout.sidecars, .createIfMissing)
  }

  private static func name(_ number: Int64) -> EntryName { EntryName("\(number)") }
}
