import Glibc
import PodfluxCore

/// The published files of a library: what is there, and deleting it. Follows no link.
///
/// Its aspects: `+Quarantine` (putting damaged ones aside).
public struct PublishedFiles: Sendable {
  let library: Library

  /// The published files of `library`.
  public init(_ library: Library) {
    self.library = library
  }

  /// Whether anything at all is at `path`, be it a folder or a link.
  public func exists(_ path: LibraryPath) throws(FileError) -> Bool {
    try status(of: path) != nil
  }

  /// Which file is at `path`, or nil if nothing is. Fails with `symbolicLink` or `notARegularFile` if it is no file.
  ///
  /// Costs one stat, and one open for each folder on the way.
  public func identity(of path: LibraryPath) throws(FileError) -> FileIdentity? {
    try status(of: path)?.regularFile(at: path.description)
  }

  /// Opens the file at `path` to read it, or returns nil if nothing is there. Fails with `symbolicLink` or
  /// `notARegularFile` if it is no file.
  public func open(_ path: LibraryPath) throws(FileError) -> PublishedContents? {
    guard let folder = try walk(to: path)?.folder,
      // Looked at before it is opened: opening a pipe would wait for somebody to write, a device might do anything.
      try folder.statusOfChild(path.name)?.regularFile(at: path.description) != nil
    else { return nil }
    do throws(FileError) {
      return try PublishedContents(folder.openChild(path.name, O_RDONLY | O_NONBLOCK))
    } catch .notFound {
      return nil
    }
  }

  /// Deletes the file at `path`, and then its folder if that is empty now and not the top of the library.
  ///
  /// Returns false if there was no file. Fails with `symbolicLink` or `notARegularFile` if something else is there, and
  /// leaves that alone. It does not sync: what a power cut brings back is found as a file without an owner.
  @discardableResult
  public func delete(_ path: LibraryPath) throws(FileError) -> Bool {
    guard let walk = try walk(to: path) else { return false }
    let status = try walk.folder.statusOfChild(path.name)
    _ = try status?.regularFile(at: path.description)
    let isDeleted = try walk.folder.deleteFile(path.name)
    try removeIfEmpty(walk)
    return isDeleted
  }

  /// Makes the name of the file at `path` survive a power cut.
  public func synchronizeFolder(of path: LibraryPath) throws(FileError) {
    try walk(to: path)?.folder.synchronize()
  }

  private func status(of path: LibraryPath) throws(FileError) -> FileStatus? {
    try walk(to: path)?.folder.statusOfChild(path.name)
  }

  /// The way to `path`, or nil if a folder is missing on it or is a file.
  func walk(to path: LibraryPath) throws(FileError) -> FolderWalk? {
    do throws(FileError) {
      return try FolderWalk(to: path, in: library, makingFolders: false)
    } catch .notFound {
      return nil
    } catch .notAFolder {
      return nil
    }
  }

  /// Removes the folder that the walk led to, if it is empty and not the top of the library.
  func removeIfEmpty(_ walk: FolderWalk) throws(FileError) {
    guard let (parent, name) = walk.parent else { return }
    do throws(FileError) {
      try library.folderChanges.withLock { (_) throws(FileError) in
        _ = try systemCall("unlinkat", parent.pathOfChild(name)) { unlinkat(parent.number, name, AT_REMOVEDIR) }
      }
    } catch .io(_, _, ENOTEMPTY), .io(_, _, EBUSY), .exists, .notFound {
      return
    }
  }
}
