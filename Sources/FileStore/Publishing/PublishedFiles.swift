import Glibc
import PodfluxCore

/// The published files of a library: what is there, and deleting it. Follows no link.
///
/// Files are named by their bytes, since people put files into a library too; a path from a database that is none a
/// walk could come upon is refused with `illegalPath`.
///
/// Its aspects: `+Checked` (the same for paths that the engine has made).
public struct PublishedFiles: Sendable {
  let library: Library

  /// The published files of `library`.
  public init(_ library: Library) {
    self.library = library
  }

  /// Whether anything at all is at `path`, be it a folder or a link.
  public func exists(_ path: EntryPath) throws(FileError) -> Bool {
    try walk(to: path)?.status() != nil
  }

  /// Which file is at `path`, or nil if nothing is. Fails with `symbolicLink` or `notARegularFile` if it is no file.
  ///
  /// Costs one stat, and one open for each folder on the way.
  public func identity(of path: EntryPath) throws(FileError) -> FileIdentity? {
    try walk(to: path)?.status()?.regularFile(at: path.text)
  }

  /// Opens the file at `path` to read it, or returns nil if nothing is there. Fails with `symbolicLink` or
  /// `notARegularFile` if it is no file.
  public func open(_ path: EntryPath) throws(FileError) -> PublishedContents? {
    guard let walk = try walk(to: path),
      // Looked at before it is opened: opening a pipe would wait for somebody to write, a device might do anything.
      try walk.status()?.regularFile(at: path.text) != nil
    else { return nil }
    do throws(FileError) {
      return try PublishedContents(walk.folder.openChild(walk.name, O_RDONLY | O_NONBLOCK))
    } catch .notFound {
      return nil
    }
  }

  /// Deletes the file at `path`, and then those of its folders that are empty now and are among the engine's own.
  ///
  /// Returns false if there was no file or, where it is told which file is meant, if it is another one. Fails with
  /// `symbolicLink` or `notARegularFile` if something else is there, and leaves that alone. It does not sync: what a
  /// power cut brings back is found as a file without an owner. A folder that cannot be removed stays.
  @discardableResult
  public func delete(
    _ path: EntryPath, recorded: FileIdentity? = nil, ownFolders: Set<EntryPath> = []
  ) throws(FileError) -> Bool {
    guard let walk = try walk(to: path) else { return false }
    let identity = try walk.status()?.regularFile(at: path.text)
    if let recorded, let identity, !identity.isSameFile(as: recorded) { return false }
    let isDeleted = try walk.folder.deleteFile(walk.name)
    removeIfEmpty(ownFolders, on: walk, to: path)
    return isDeleted
  }

  /// Removes the folder at `path` if nothing is in it.
  ///
  /// Returns false, and changes nothing, if something is in it, be it a hidden file, or if no folder is there. It does
  /// not sync.
  public func removeEmptyFolder(_ path: EntryPath) throws(FileError) -> Bool {
    guard let walk = try walk(to: path) else { return false }
    return try removeEmptyFolder(walk.name, in: walk.folder)
  }

  /// Makes the name of the file at `path` survive a power cut.
  public func synchronizeFolder(of path: EntryPath) throws(FileError) {
    try walk(to: path)?.folder.synchronize()
  }

  /// The way to `path`, or nil if a folder is missing on it or is a file.
  func walk(to path: EntryPath) throws(FileError) -> FolderWalk? {
    do throws(FileError) {
      return try FolderWalk(to: path, in: library, makingFolders: false)
    } catch .notFound {
      return nil
    } catch .notAFolder {
      return nil
    }
  }

  /// Removes the folder that the walk led to, if it is empty, and then those above it that are empty now: as far up as they
  /// are the engine's own. A person may want an empty folder.
  ///
  /// What was to be done has been done by then: a folder that cannot be removed, because the one above it may not be
  /// written to for instance, is no failure of it. It stays, and the next cleanup finds it empty and says why it does.
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
        _ = try systemCall("unlinkat", parent.pathOfChild(name)) {
          unlinkat(parent.number, name.cString, AT_REMOVEDIR)
        }
      }
      return true
    } catch .io(_, _, ENOTEMPTY), .io(_, _, EBUSY), .exists, .notFound, .notAFolder {
      return false
    }
  }
}

extension EntryPath {
  /// The folder that it lies in; empty for the top.
  fileprivate var folder: EntryPath {
    EntryPath(bytes: Array(bytes[..<(bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0)]))
  }
}
