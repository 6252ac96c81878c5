import PodfluxCore

/// The same operations for paths of files that the engine published: such paths are valid text and need no check.
extension PublishedFiles {
  /// Whether an entry of any kind is at `path`, a folder or a link included.
  package func exists(_ path: LibraryPath) throws(FileError) -> Bool {
    try exists(EntryPath(path))
  }

  /// The identity of the file at `path`, or nil if there is none. Fails with `symbolicLink` or `notARegularFile` for
  /// other entries.
  package func identity(of path: LibraryPath) throws(FileError) -> FileIdentity? {
    try identity(of: EntryPath(path))
  }

  /// Opens the file at `path` for reading, or returns nil if there is none.
  package func open(_ path: LibraryPath) throws(FileError) -> PublishedContents? {
    try open(EntryPath(path))
  }

  /// Deletes the file at `path`, and then its folders that are empty now and the engine's own. Returns false if there
  /// was no file.
  @discardableResult
  package func delete(_ path: LibraryPath, ownFolders: [LibraryPath] = []) throws(FileError) -> Bool {
    try delete(EntryPath(path), ownFolders: Set(ownFolders.map(EntryPath.init)))
  }

  /// Syncs the folder of the file at `path`, so that its name survives a power cut.
  package func synchronizeFolder(of path: LibraryPath) throws(FileError) {
    try synchronizeFolder(of: EntryPath(path))
  }
}
