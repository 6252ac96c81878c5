import Glibc

/// An open file or folder, closed when the last reference goes.
final class Descriptor: Sendable {
  /// How the top of a library is shown in messages; what lies in it is shown without it.
  static let topPath = "."

  let number: Int32
  /// Where it was opened, for messages.
  let path: String

  private init(number: Int32, path: String) {
    self.number = number
    self.path = path
  }

  deinit {
    close(number)
  }

  /// Opens `path` as the kernel resolves it: for the library's own folder, which may be reached over a link.
  static func openFolder(atPath path: String, shownAs shownPath: String) throws(FileError) -> Descriptor {
    let number = try systemCall("open", path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    return Descriptor(number: number, path: shownPath)
  }

  /// Opens a child of this folder, which may be anything but a symbolic link.
  func openChild(_ name: EntryName, _ flags: Int32, mode: mode_t = 0) throws(FileError) -> Descriptor {
    let child = pathOfChild(name)
    let number = try systemCall("openat", child) {
      openat(self.number, name.cString, flags | O_NOFOLLOW | O_CLOEXEC, mode)
    }
    return Descriptor(number: number, path: child)
  }

  /// Opens a folder in this folder. A symbolic link is refused even if it leads to one.
  func openFolder(_ name: EntryName) throws(FileError) -> Descriptor {
    do throws(FileError) {
      return try openChild(name, O_RDONLY | O_DIRECTORY)
    } catch .notAFolder {
      // With O_DIRECTORY the kernel says ENOTDIR of a link too.
      guard try statusOfChild(name)?.kind == .symbolicLink else { throw .notAFolder(path: pathOfChild(name)) }
      throw .symbolicLink(path: pathOfChild(name))
    }
  }

  /// Makes a folder in this folder and syncs this one, so that the new one survives a power cut.
  ///
  /// Returns whether it has made it: false, and nothing happens, if the folder is there already.
  @discardableResult
  func makeFolder(_ name: EntryName, mode: mode_t) throws(FileError) -> Bool {
    do throws(FileError) {
      try systemCall("mkdirat", pathOfChild(name)) { mkdirat(number, name.cString, mode) }
      try synchronize()
      return true
    } catch .exists {
      return false
    }
  }

  /// What a child is, or nil if there is none. Follows no link.
  func statusOfChild(_ name: EntryName) throws(FileError) -> FileStatus? {
    var status = stat()
    do throws(FileError) {
      try systemCall("fstatat", pathOfChild(name)) { fstatat(number, name.cString, &status, AT_SYMLINK_NOFOLLOW) }
      return FileStatus(status)
    } catch .notFound {
      return nil
    }
  }

  /// What is open here.
  func status() throws(FileError) -> FileStatus {
    var status = stat()
    try systemCall("fstat", path) { fstat(number, &status) }
    return FileStatus(status)
  }

  /// Brings contents and entries to the device (fsync(2)).
  func synchronize() throws(FileError) {
    try systemCall("fsync", path) { fsync(number) }
  }

  /// The child's path for messages.
  func pathOfChild(_ name: EntryName) -> String {
    path == Self.topPath ? name.text : path + "/" + name.text
  }
}
