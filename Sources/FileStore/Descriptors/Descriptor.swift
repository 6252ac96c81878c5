import CLinux
import Glibc

/// An open file or folder; deinit closes it.
final class Descriptor: Sendable {
  /// The name of the library's top folder in messages. Paths below it are shown without this name.
  static let topPath = "."

  let number: Int32
  /// The path in messages.
  let path: String
  /// The counter of the library's open files, which includes this one.
  let openFiles: OpenFiles
  /// The traits of its file system, inherited from the parent folder's descriptor.
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

  /// Opens `path` as the kernel resolves it: for the library folder, whose path may contain symbolic links.
  ///
  /// - Parameters:
  ///   - traits: The traits of its file system; nil to determine them.
  ///   - openFiles: The counter that includes it.
  static func openFolder(
    atPath path: String, shownAs shownPath: String, traits: FileSystemTraits? = nil, openFiles: OpenFiles = OpenFiles()
  ) throws(FileError) -> Descriptor {
    try openFiles.enter(shownPath)
    do throws(FileError) {
      let number = try systemCall("open", path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
      return Descriptor(
        number: number, path: shownPath, openFiles: openFiles, traits: traits ?? FileSystemTraits(of: number))
    } catch {
      openFiles.leave()
      throw error
    }
  }

  /// Opens a child of this folder. Fails for a symbolic link.
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

  /// Opens the same file once more, for reading only, through the page cache (proc(5), /proc/self/fd).
  func reopenedForReading() throws(FileError) -> Descriptor {
    try openFiles.enter(path)
    do throws(FileError) {
      let number = try systemCall("open", path) { open("/proc/self/fd/\(self.number)", O_RDONLY | O_CLOEXEC) }
      return Descriptor(number: number, path: path, openFiles: openFiles, traits: traits)
    } catch {
      openFiles.leave()
      throw error
    }
  }

  /// Opens a subfolder. Refuses a symbolic link even if it leads to a folder.
  func openFolder(_ name: EntryName) throws(FileError) -> Descriptor {
    do throws(FileError) {
      return try openChild(name, O_RDONLY | O_DIRECTORY)
    } catch .notAFolder {
      // With O_DIRECTORY, openat(2) reports ENOTDIR for a symbolic link too.
      guard try statusOfChild(name)?.kind == .symbolicLink else { throw .notAFolder(path: pathOfChild(name)) }
      throw .symbolicLink(path: pathOfChild(name))
    }
  }

  /// The status of a child, or nil if there is none. Follows no link.
  func statusOfChild(_ name: EntryName) throws(FileError) -> FileStatus? {
    var status = stat()
    do throws(FileError) {
      try systemCall("fstatat", pathOfChild(name)) { fstatat(number, name.cString, &status, AT_SYMLINK_NOFOLLOW) }
      return FileStatus(status, traits)
    } catch .notFound {
      return nil
    }
  }

  /// The status of this file (fstat(2)).
  func status() throws(FileError) -> FileStatus {
    var status = stat()
    try systemCall("fstat", path) { fstat(number, &status) }
    return FileStatus(status, traits)
  }

  /// Brings contents and entries to the device (fsync(2)).
  func synchronize() throws(FileError) {
    // fsync(2) may take long, and closing the library waits for it.
    try openFiles.enter(path)
    defer { openFiles.leave() }
    try systemCall("fsync", path) {
      let result = fsync(number)
      // Some file systems sync no folders (cifs, vboxsf): their entries are as durable as they can be.
      return result < 0 && errno == EINVAL && isFolder ? 0 : result
    }
  }

  /// Leaves `errno` as it was.
  private var isFolder: Bool {
    let code = errno
    defer { errno = code }
    var status = stat()
    return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Releases the file even if other threads still use the descriptor: the number now refers to /dev/null, and their
  /// calls fail. The number stays taken, so that no other file gets it.
  func abandon() throws(FileError) {
    let nothing = try systemCall("open", "/dev/null") { open("/dev/null", O_RDONLY | O_CLOEXEC) }
    defer { close(nothing) }
    try systemCall("dup3", path) { linux_replace(nothing, number) }
  }

  func pathOfChild(_ name: EntryName) -> String {
    path == Self.topPath ? name.text : path + "/" + name.text
  }
}
