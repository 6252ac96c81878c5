import Glibc
import PodfluxCore

/// Gives published files other names.
extension PublishedFiles {
  /// The result of a move.
  package enum Moving: Hashable, Sendable {
    /// The file has its new path, and the engine has created these folders for it, the outermost first.
    case moved(madeFolders: [EntryPath])
    /// Nothing is at the former path.
    case gone
    /// Another file is at the former path, or the file has another length.
    case changed
    /// The new path is taken.
    case taken
  }

  /// What takes a path: the entry there or, with `portably`, one with which a case-insensitive disk would confuse it.
  /// Returns nil if the path is free.
  package func occupant(of path: LibraryPath, portably: Bool) throws(FileError) -> EntryPath? {
    guard let walk = try walk(to: EntryPath(path)) else { return nil }
    guard library.sparesTwins(portably) else { return try walk.status().map { _ in EntryPath(path) } }
    guard let twin = try library.foldedFolders.twin(of: walk.name, in: walk.folder) else { return nil }
    let folder = EntryPath(path).bytes.prefix(EntryPath(path).bytes.count - walk.name.bytes.count)
    return EntryPath(bytes: Array(folder) + twin.bytes)
  }

  /// Moves the file at `former` to `path`, and syncs both folders, as far as they can be. Never replaces a file, and
  /// creates missing folders.
  ///
  /// It is idempotent after a crash at any point, except that a file which it has moved is `gone`. With `sparingTwins`
  /// a path counts as taken if a case-insensitive disk would confuse it, or a new folder, with another one; on such a
  /// disk that is always so.
  ///
  /// - Parameter mayHaveBegun: Whether an engine that has ended may have been moving it. Where files are moved by way
  ///   of placeholders, an empty file at `path` is then what it has left.
  package func move(
    _ former: EntryPath, recorded: FileIdentity, to path: LibraryPath, sparingTwins: Bool, mayHaveBegun: Bool
  ) throws(FileError) -> Moving {
    let sparingTwins = library.sparesTwins(sparingTwins)
    guard let source = try walk(to: former), let status = try source.status() else { return .gone }
    guard status.kind == .regular, status.identity.isSameFile(as: recorded) else { return .changed }
    do throws(FileError) {
      let (walk, isMoved) = try library.folderChanges.withLock { (_) throws(FileError) in
        let walk = try FolderWalk(to: EntryPath(path), in: library, makingFolders: true, sparingTwins: sparingTwins)
        return (walk, try moves(source, status.identity, to: walk, sparingTwins, mayHaveBegun))
      }
      guard isMoved else {
        removeIfEmpty(Set(walk.made), on: walk, to: EntryPath(path))
        return .taken
      }
      library.folderSyncs.synchronizeMove(in: walk.folder)
      library.folderSyncs.synchronizeMove(in: source.folder)
      return .moved(madeFolders: walk.made)
    } catch .exists {
      return .taken
    }
  }

  /// Whether the file has been moved; otherwise its new name is taken.
  private func moves(
    _ source: FolderWalk, _ identity: FileIdentity, to walk: FolderWalk, _ sparingTwins: Bool, _ mayHaveBegun: Bool
  ) throws(FileError) -> Bool {
    let twins = library.foldedFolders
    if sparingTwins, let twin = try twins.twin(of: walk.name, in: walk.folder), twin != walk.name { return false }
    let isKnown = sparingTwins ? try twins.isKnown(source.folder) : false
    do throws(FileError) {
      try library.moves.perform(source.name, in: source.folder, to: walk.name, in: walk.folder)
    } catch .exists {
      guard let other = try walk.status() else { return false }
      guard try isLeft(other, of: identity, source, walk, mayHaveBegun) else { return false }
    }
    if sparingTwins {
      try twins.added(walk.name, to: walk.folder)
      if isKnown { try twins.left(source.folder) }
    }
    return true
  }

  /// Whether what is at the new path is what an engine has left that was killed while it moved the file there: then the
  /// move is brought to its end.
  private func isLeft(
    _ other: FileStatus, of identity: FileIdentity, _ source: FolderWalk, _ walk: FolderWalk, _ mayHaveBegun: Bool
  ) throws(FileError) -> Bool {
    guard mayHaveBegun, other.kind == .regular else { return false }
    if other.identity == identity, identity.hasLastingInode, FoldedName(source.name) != FoldedName(walk.name) {
      // An earlier move has made the new link, and ended before it removed the old one.
      _ = try source.folder.deleteFile(source.name)
      return true
    }
    guard try library.moves.mayHaveLeft(other, movingLength: identity.size, probing: library.engineFolder) else {
      return false
    }
    _ = try walk.folder.deleteFile(walk.name)
    try library.moves.perform(source.name, in: source.folder, to: walk.name, in: walk.folder)
    return true
  }
}
