import Glibc
import PodfluxCore

/// Reads and deletes the published files of a library. Follows no link.
///
/// Paths are bytes, since users put files into a library too. A path from a database that a walk could never yield
/// fails with `illegalPath`.
///
/// Aspects: `+Checked` (the same for paths that the engine made).
package struct PublishedFiles: Sendable {
  let library: Library

  package init(_ library: Library) {
    self.library = library
  }

  /// Whether the library's disk takes names that differ in case only for one.
  package var ignoresCase: Bool { library.ignoresCase }

  /// Whether an entry of any kind is at `path`, a folder or a link included.
  package func exists(_ path: EntryPath) throws(FileError) -> Bool {
    try walk(to: path)?.status() != nil
  }

  /// The identity of the file at `path`, or nil if there is none. Fails with `symbolicLink` or `notARegularFile` for
  /// other entries.
  ///
  /// Costs one stat, and one open for each folder on the path.
  package func identity(of path: EntryPath) throws(FileError) -> FileIdentity? {
    try walk(to: path)?.status()?.regularFile(at: path.text)
  }

  /// Opens the file at `path` for reading, or returns nil if there is none. Fails with `symbolicLink` or
  /// `notARegularFile` for other entries.
  package func open(_ path: EntryPath) throws(FileError) -> PublishedContents? {
    guard let walk = try walk(to: path),
      // Checks the type before opening: opening a pipe would wait for a writer, opening a device may have side effects.
      try walk.status()?.regularFile(at: path.text) != nil
    else { return nil }
    do throws(FileError) {
      return try PublishedContents(walk.folder.openChild(walk.name, O_RDONLY | O_NONBLOCK))
    } catch .notFound {
      return nil
    }
  }

  /// Deletes the file at `path`, and then its folders that are empty now and among the engine's own.
  ///
  /// Returns false if there was no file or, with an expected identity, another file. Fails with `symbolicLink` or
  /// `notARegularFile` for other entries, and leaves them. It does not sync: a file that a power cut brings back
  /// becomes an orphan. A folder that cannot be removed stays.
  @discardableResult
  package func delete(
    _ path: EntryPath, recorded: FileIdentity? = nil, ownFolders: Set<EntryPath> = []
  ) throws(FileError) -> Bool {
    guard let walk = try walk(to: path) else { return false }
    let identity = try walk.status()?.regularFile(at: path.text)
    if let recorded, let identity, !identity.isSameFile(as: recorded) { return false }
    let isDeleted = try walk.folder.deleteFile(walk.name)
    removeIfEmpty(ownFolders, on: walk, to: path)
    return isDeleted
  }

  /// Removes the folder at `path` if it is empty.
  ///
  /// Returns false, and changes nothing, if it contains anything, hidden files included, or if there is no folder. It
  /// does not sync.
  package func removeEmptyFolder(_ path: EntryPath) throws(FileError) -> Bool {
    guard let walk = try walk(to: path) else { return false }
    return try removeEmptyFolder(walk.name, in: walk.folder)
  }

  /// Syncs the folder of the file at `path`, so that its name survives a power cut.
  package func synchronizeFolder(of path: EntryPath) throws(FileError) {
    try walk(to: path)?.folder.synchronize()
  }

  /// The walk to `path`, or nil if a folder on the path is missing or is a file.
  func walk(to path: EntryPath) throws(FileError) -> FolderWalk? {
    do throws(FileError) {
      return try FolderWalk(to: path, in: library, makingFolders: false)
    } catch .notFound {
      return nil
    } catch .notAFolder {
      return nil
    }
  }

  /// Removes the folder of the walk if it is empty, and then those above it that are empty now, as long as they are the
  /// engine's own: a user may want an empty folder.
  ///
  /// A folder that cannot be removed, for example because the one above it is read-only, is no failure: the deletion
  /// has succeeded. The folder stays, and the next cleanup reports it with the reason.
  func removeIfEmpty(_ ownFolders: Set<EntryPath>, on walk: FolderWalk, to path: EntryPath) {
    guard !ownFolders.isEmpty else { return }
    var folder = path
    for (parent, name) in walk.parents.reversed() {
      folder = folder.folder
      guard ownFolders.contains(folder), (try? removeEmptyFolder(name, in: parent)) == true else { return }
    }
  }

  private func removeEmptyFolder(_ name: EntryName, in parent: Descriptor) throws(FileError) -> Bool {
    do throws(FileError) {
      try library.folderChanges.withLock { (_) throws(FileError) in
        try parent.changingEntry { () throws(FileError) in
          try systemCall("unlinkat", parent.pathOfChild(name)) {
            unlinkat(parent.number, name.cString, AT_REMOVEDIR)
          }
        }
      }
      return true
    } catch .io(_, _, ENOTEMPTY), .io(_, _, EBUSY), .exists, .notFound, .notAFolder {
      return false
    }
  }
}

extension EntryPath {
  /// The parent folder; empty for the top.
  fileprivate var folder: EntryPath {
    EntryPath(bytes: Array(bytes[..<(bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0)]))
  }
}
