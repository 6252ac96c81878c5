import PodfluxCore

/// The same for the paths of files that the engine has published: they need no check, and are text.
extension PublishedFiles {
  /// Whether anything at all is at `path`, be it a folder or a link.
  public func exists(_ path: LibraryPath) throws(FileError) -> Bool {
    try exists(EntryPath(path))
  }

  /// Which file is at `path`, or nil if nothing is. Fails with `symbolicLink` or `notARegularFile` if it is no file.
  public func identity(of path: LibraryPath) throws(FileError) -> FileIdentity? {
    try identity(of: EntryPath(path))
  }

  /// Opens the file at `path` to read it, or returns nil if nothing is there.
  public func open(_ path: LibraryPath) throws(FileError) -> PublishedContents? {
    try open(EntryPath(path))
  }

  /// Deletes the file at `path`, and then those of its folders that are empty now and the engine's own. Returns false if
  /// there was no file.
  @discardableResult
  public func delete(_ path: LibraryPath, ownFolders: [LibraryPath] = []) throws(FileError) -> Bool {
    try delete(EntryPath(path), ownFolders: Set(ownFolders.map(EntryPath.init)))
  }

  /// Makes the name of the file at `path` survive a power cut.
  public func synchronizeFolder(of path: LibraryPath) throws(FileError) {
    try synchronizeFolder(of: EntryPath(path))
  }
}
