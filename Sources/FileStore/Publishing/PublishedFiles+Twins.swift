import PodfluxCore

/// Names for disks that do not tell case apart.
extension PublishedFiles {
  /// Whether anything is at `path`, or under a name that such a disk would take for it.
  public func isTaken(_ path: LibraryPath) throws(FileError) -> Bool {
    guard let walk = try walk(to: EntryPath(path)) else { return false }
    return try library.foldedFolders.twin(of: walk.name, in: walk.folder) != nil
  }

  /// The path with its folders spelled as they are on the disk, where such a disk would take one for another: `show/a.mp3`
  /// is `Show/a.mp3` if there is a `Show` and no `show`. The file's own name stays as it is.
  ///
  /// Fails with `illegalPath` if it becomes too long by that.
  public func spelled(_ path: LibraryPath) throws(FileError) -> LibraryPath {
    let names = try spelled(path.components)
    do throws(LibraryPathError) {
      return try LibraryPath(validating: names.joined(separator: "/"))
    } catch {
      throw .illegalPath(path: names.joined(separator: "/"))
    }
  }

  private func spelled(_ names: [String]) throws(FileError) -> [String] {
    var (names, folder) = (names, library.top)
    for (index, name) in names.dropLast().enumerated() {
      do throws(FileError) {
        guard let twin = try library.foldedFolders.twin(of: EntryName(name), in: folder),
          try folder.statusOfChild(twin)?.kind == .folder
        else { return names }
        folder = try folder.openFolder(twin)
        names[index] = twin.text
      } catch .notFound {
        return names
      }
    }
    return names
  }
}
