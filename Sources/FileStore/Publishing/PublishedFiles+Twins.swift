import PodfluxCore

/// Checks for disks that are not case-sensitive.
extension PublishedFiles {
  /// Whether `path`, or a name that such a disk would confuse with it, is taken.
  package func isTaken(_ path: LibraryPath) throws(FileError) -> Bool {
    guard let walk = try walk(to: EntryPath(path)) else { return false }
    return try library.foldedFolders.twin(of: walk.name, in: walk.folder) != nil
  }

  /// The path with its folders spelled as on the disk, where a case-insensitive disk would confuse them: `show/a.mp3`
  /// is `Show/a.mp3` if there is a `Show` and no `show`. Keeps the file's own name.
  ///
  /// Fails with `illegalPath` if the path becomes too long.
  package func spelled(_ path: LibraryPath) throws(FileError) -> LibraryPath {
    let names = try spelled(path.components.map { EntryName($0) }).map(\.text)
    do throws(LibraryPathError) {
      return try LibraryPath(validating: names.joined(separator: "/"))
    } catch {
      throw .illegalPath(path: names.joined(separator: "/"))
    }
  }

  /// The same for a path that a person or a manifest names, on a disk that ignores case; elsewhere such a path stays as
  /// it is.
  func spelledOnDisk(_ path: EntryPath) throws(FileError) -> EntryPath {
    guard library.ignoresCase else { return path }
    let names = try spelled(path.names())
    return EntryPath(bytes: Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")])))
  }

  private func spelled(_ names: [EntryName]) throws(FileError) -> [EntryName] {
    var (names, folder) = (names, library.top)
    for (index, name) in names.dropLast().enumerated() {
      do throws(FileError) {
        guard let twin = try library.foldedFolders.twin(of: name, in: folder),
          try folder.statusOfChild(twin)?.kind == .folder
        else { return names }
        folder = try folder.openFolder(twin)
        names[index] = twin
      } catch .notFound {
        return names
      }
    }
    return names
  }
}
