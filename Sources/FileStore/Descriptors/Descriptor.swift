import CLinux
import Glibc

/// An open file or folder, closed when the last reference goes.
final class Descriptor: Sendable {
  /// How the top of a library is shown in messages; what lies in it is shown without it.
  static let topPath = "."

  let number: Int32
  /// Where it was opened, for messages.
  let path: String
  /// What is open of its library, this one included.
  let openFiles: OpenFiles
  /// What its file system is known to do; that of the folder over which it was opened.
  let traits: FileSystemTraits

  private init(number: Int32, path: String, openFiles: OpenFiles, traits: FileSystemTraits) {
    self.number = number
    self.path = path
    self.openFiles = openFiles
    self.traits = traits
  }

  deinit {
    close(number)
    openFiles.leave()
  }

  /// Opens `path` as the kernel resolves it: for the library's own folder, which may be reached over a link.
  ///
  /// - Parameters:
  ///   - traits: What its file system does; found out without it.
  ///   - openFiles: Among which it counts.
  static func openFolder(
    atPath path: String, shownAs shownPath: String, traits: FileSystemTraits? = nil, openFiles: OpenFiles = OpenFiles()
  ) throws(FileError) -> Descriptor {
    let number = try systemCall("open", path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    try openFiles.enter(shownPath)
    return Descriptor(
      number: number, path: shownPath, openFiles: openFiles, traits: traits ?? FileSystemTraits(of: number))
  }

  /// Opens a child of this folder, which may be anything but a symbolic link.
  func openChild(_ name: EntryName, _ flags: Int32, mode: mode_t = 0) throws(FileError) -> Descriptor {
    let child = pathOfChild(name)
    try openFiles.enter(child)
    do throws(FileError) {
      let number = try systemCall("openat", child) {
        openat(self.number, name.cString, flags | O_NOFOLLOW | O_CLOEXEC, mode)
      }
      return Descriptor(number: number, path: child, openFiles: openFiles, traits: traits)
    } catch {
      openFiles.leave()
      throw error
    }
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
      return FileStatus(status, traits)
    } catch .notFound {
      return nil
    }
  }

  /// What is open here.
  func status() throws(FileError) -> FileStatus {
    var status = stat()
    try systemCall("fstat", path) { fstat(number, &status) }
    return FileStatus(status, traits)
  }

  /// Brings contents and entries to the device (fsync(2)).
  func synchronize() throws(FileError) {
    // It may take long, and whoever gives the library up waits for it.
    try openFiles.enter(path)
    defer { openFiles.leave() }
    try systemCall("fsync", path) { fsync(number) }
  }

  /// Lets go of the file, although others may use the descriptor still: from now on it stands for /dev/null, and what they
  /// try with it fails. Its number stays taken, so that nobody else's file is at it.
  func abandon() throws(FileError) {
    let nothing = try systemCall("open", "/dev/null") { open("/dev/null", O_RDONLY | O_CLOEXEC) }
    defer { close(nothing) }
    try systemCall("dup3", path) { linux_replace(nothing, number) }
  }

  /// The child's path for messages.
  func pathOfChild(_ name: EntryName) -> String {
    path == Self.topPath ? name.text : path + "/" + name.text
  }
}
