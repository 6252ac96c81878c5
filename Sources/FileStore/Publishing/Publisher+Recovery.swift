import Glibc
import PodfluxCore

/// What an engine that was killed while it published has left.
extension Publisher {
  /// Whether the complete file `name` has been moved to `path`: there is a file that fits what was recorded before the
  /// move. Where inodes do not last, any file of that length would fit: there the complete one must be gone as well.
  public func hasPublished(_ name: PartialName, as path: LibraryPath, recorded: FileIdentity) throws(FileError) -> Bool
  {
    do throws(FileError) {
      guard let found = try PublishedFiles(library).identity(of: path), found.isSameFile(as: recorded) else {
        return false
      }
      if found.hasLastingInode { return true }
      return try library.finishedFile(name) == nil
    } catch .symbolicLink, .notARegularFile {
      return false
    }
  }

  /// Removes the placeholder at `path` that was to be replaced by the partial file `name` of `length` bytes, and tells
  /// whether there was one.
  ///
  /// It is one only where placeholders are used at all, if it is an empty regular file, and while the whole partial still
  /// waits among the partial files. To be called for a row that says that it was publishing to `path`, and for no other.
  public func withdrawPlaceholder(
    of name: PartialName, at path: LibraryPath, length: Int64
  ) throws(FileError) -> Bool {
    guard length > 0, let walk = try PublishedFiles(library).walk(to: EntryPath(path)),
      let status = try walk.status(), status.kind == .regular, status.identity.size == 0,
      try Partials(library).identity(of: name)?.size == length,
      try moves.findOut(in: library.engineFolder) == .placing
    else { return false }
    return try walk.folder.deleteFile(walk.name)
  }
}
