import PodfluxCore

/// Putting damaged files aside: nothing is lost, and nobody takes them for a download's file any more.
extension PublishedFiles {
  /// Moves the file at `path` to `.podflux/quarantine/<name>-<number>.<extension>`, with the first number that is free,
  /// and syncs both folders. If another file than `recorded` is at `path`, or none, that is left alone.
  ///
  /// It can be called again after a crash at any point and comes to the same end. Its folder is removed if it is empty
  /// then. Fails with `symbolicLink` or `notARegularFile` if something else is at `path`.
  public func quarantine(_ path: LibraryPath, recorded: FileIdentity, as name: PartialName) throws(FileError) {
    try quarantine(path, recorded: recorded, as: name, move: .renaming)
  }

  func quarantine(
    _ path: LibraryPath, recorded: FileIdentity, as name: PartialName, move: Move
  ) throws(FileError) {
    let quarantine = try openQuarantine()
    guard let walk = try walk(to: EntryPath(path)) else { return try quarantine.synchronize() }
    let status = try walk.status()
    if let identity = try status?.regularFile(at: path.description), identity.isSameFile(as: recorded) {
      let ending = "." + (FileExtension.of(name: path.name) ?? FileExtension.unknown)
      try place(walk.name, identity, in: walk.folder, as: name.description, ending, in: quarantine, move)
    }
    // Also where there was nothing to move: the engine that moved it may have died before it synced.
    try quarantine.synchronize()
    try walk.folder.synchronize()
    try removeIfEmpty(walk)
  }

  private func openQuarantine() throws(FileError) -> Descriptor {
    try library.engineFolder.makeFolder(Library.Layout.quarantine, mode: Library.Layout.privateFolderMode)
    let folder = try library.engineFolder.openFolder(Library.Layout.quarantine)
    // The engine that made it may have died before it synced.
    try library.engineFolder.synchronize()
    return folder
  }

  private func place(
    _ name: EntryName, _ identity: FileIdentity, in folder: Descriptor, as newName: String, _ ending: String,
    in quarantine: Descriptor, _ move: Move
  ) throws(FileError) {
    var number = 1
    while true {
      let candidate = EntryName("\(newName)-\(number)\(ending)")
      do throws(FileError) {
        return try move.perform(name, in: folder, to: candidate, in: quarantine)
      } catch .exists {
        if try quarantine.statusOfChild(candidate)?.identity == identity {
          // Where files cannot be renamed without replacing, they are linked and unlinked: a crash came in between.
          _ = try folder.deleteFile(name)
          return
        }
        number += 1
      }
    }
  }
}
