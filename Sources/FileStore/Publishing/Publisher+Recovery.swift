import Glibc
import PodfluxCore

/// Recovery after an engine was killed while it published.
extension Publisher {
  /// Whether the complete file `name` has been moved to `path`: the file there matches the identity recorded before the
  /// move. Without lasting inodes any file of that length would match, so the complete file must be gone as well, or be
  /// the file there: it was linked, and a crash came before it was unlinked. Then that is done now.
  ///
  /// `isTagged` says whether it is a tagged copy that was to be moved.
  package func hasPublished(
    _ name: PartialName, as path: LibraryPath, recorded: FileIdentity, isTagged: Bool = false
  ) throws(FileError) -> Bool {
    do throws(FileError) {
      guard let found = try PublishedFiles(library).identity(of: path), found.isSameFile(as: recorded) else {
        return false
      }
      if found.hasLastingInode { return true }
      let finished = try FinishedFile(name, of: library, isTagged: isTagged)
      guard let rest = try finished.identity() else { return true }
      guard let walk = try PublishedFiles(library).walk(to: EntryPath(path)), let status = try walk.status(),
        status.isLink(of: rest)
      else { return false }
      _ = try finished.folder.deleteFile(finished.name)
      return true
    } catch .symbolicLink, .notARegularFile {
      return false
    }
  }

  /// Removes the placeholder at `path` that the partial file `name` of `length` bytes, or its copy, was to replace, and
  /// returns whether there was one.
  ///
  /// It counts as a placeholder only if this library uses placeholders, it is an empty regular file, and the whole
  /// partial file still exists. Call it only for a row that says that it was publishing to `path`.
  package func withdrawPlaceholder(
    of name: PartialName, at path: LibraryPath, length: Int64
  ) throws(FileError) -> Bool {
    guard let walk = try PublishedFiles(library).walk(to: EntryPath(path)), let status = try walk.status(),
      try Partials(library).identity(of: name)?.size == length,
      try moves.mayHaveLeft(status, movingLength: length, probing: library.engineFolder)
    else { return false }
    return try walk.folder.deleteFile(walk.name)
  }
}
