import Glibc

/// Making, removing and renaming the entries of a folder.
extension Descriptor {
  /// Makes, removes or renames an entry of this folder.
  ///
  /// Where the permissions forbid it because this user may not write in the folder, the error is `folderDenied`: the
  /// permissions of the entry, which may not be there, say nothing about that. They do in a folder with the sticky bit,
  /// or where the entry cannot be changed (chattr(1)).
  ///
  /// - Parameter other: The folder that an entry leaves, or gets into.
  func changingEntry(
    andIn other: Descriptor? = nil, _ change: () throws(FileError) -> Void
  ) throws(FileError) {
    do throws(FileError) {
      try change()
    } catch .denied(let path) {
      throw cause(ofDenied: path, other)
    }
  }

  private func cause(ofDenied path: String, _ other: Descriptor? = nil) -> FileError {
    let folder = [self, other].compactMap(\.self).first { !$0.isWritable }
    return folder.map { .folderDenied(path: $0.fullPath) } ?? .denied(path: path)
  }

  /// Whether this user may make entries in the folder, as far as the permissions tell.
  private var isWritable: Bool { faccessat(number, ".", W_OK | X_OK, AT_EACCESS) == 0 }

  /// The path in messages, where the library's top is not just the place from which others count.
  private var fullPath: String {
    path == Self.topPath ? Library.realPath("/proc/self/fd/\(number)") ?? path : path
  }

  /// Opens a child for writing, and creates it if it is missing or, with O_EXCL, fails if it is there.
  func makeChild(_ name: EntryName, _ flags: Int32, mode: mode_t) throws(FileError) -> Descriptor {
    do throws(FileError) {
      return try openChild(name, flags | O_CREAT, mode: mode)
    } catch .denied(let path) {
      // If it is there, its own permissions forbid it.
      throw try statusOfChild(name) == nil ? cause(ofDenied: path) : .denied(path: path)
    }
  }

  /// Creates a subfolder and syncs this folder, so that the subfolder survives a power cut.
  ///
  /// Returns false, and changes nothing, if the folder exists already.
  @discardableResult
  func makeFolder(_ name: EntryName, mode: mode_t) throws(FileError) -> Bool {
    do throws(FileError) {
      try changingEntry { () throws(FileError) in
        try systemCall("mkdirat", pathOfChild(name)) { mkdirat(number, name.cString, mode) }
      }
      try synchronize()
      return true
    } catch .exists {
      return false
    }
  }

  /// Has a child that root has just made belong to this folder's owner: root restores files in the library of a
  /// service, whose engine is to change them. It does nothing for other users, nor where a file system has no owners.
  func handOver(_ name: EntryName) {
    var status = stat()
    guard geteuid() == 0, fstat(number, &status) == 0, status.st_uid != 0 else { return }
    _ = fchownat(number, name.cString, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW)
  }

  /// Unlinks a child that is not a folder. Returns false if there was none.
  func deleteFile(_ name: EntryName) throws(FileError) -> Bool {
    do throws(FileError) {
      try changingEntry { () throws(FileError) in
        try systemCall("unlinkat", pathOfChild(name)) { unlinkat(number, name.cString, 0) }
      }
      return true
    } catch .notFound {
      return false
    } catch .io(_, let path, EISDIR) {
      throw .notARegularFile(path: path)
    }
  }

  /// Moves a child to another folder, in the place of what has its new name there.
  func moveChild(_ name: EntryName, to newName: EntryName, in folder: Descriptor) throws(FileError) {
    try changingEntry(andIn: folder) { () throws(FileError) in
      try systemCall("renameat", folder.pathOfChild(newName)) {
        renameat(number, name.cString, folder.number, newName.cString)
      }
    }
  }
}
