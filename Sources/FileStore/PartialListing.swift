import Glibc

/// A walk through the folder of partial files. It belongs to one thread.
public final class PartialListing {
  /// One file in the folder.
  public struct Entry: Hashable, Sendable {
    /// The name on the disk; of bytes that are no UTF-8 something readable is made.
    public let fileName: String
    /// The name of the partial, or nil for a file that is none of the engine's.
    public let name: PartialName?
    /// Which file it is, and its length.
    public let identity: FileIdentity
  }

  private let folder: Descriptor
  private let stream: OpaquePointer

  init(_ folder: Descriptor) throws(FileError) {
    // A description of its own, since a duplicate would share the position with every other walk.
    let number = try systemCall("openat", folder.path) {
      openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard let stream = fdopendir(number) else {
      let code = errno
      close(number)
      throw FileError(operation: "fdopendir", path: folder.path, code: code)
    }
    self.folder = folder
    self.stream = stream
  }

  deinit {
    closedir(stream)
  }

  /// The next regular file, or nil at the end. Files that vanish meanwhile are passed over.
  public func next() throws(FileError) -> Entry? {
    while let fileName = try nextName() {
      guard let status = try folder.statusOfChild(fileName), status.kind == .regular else { continue }
      return Entry(fileName: fileName, name: PartialName(fileName: fileName), identity: status.identity)
    }
    return nil
  }

  private func nextName() throws(FileError) -> String? {
    errno = 0
    guard let entry = readdir(stream) else {
      let code = errno
      if code == 0 { return nil }
      throw FileError(operation: "readdir", path: folder.path, code: code)
    }
    // The record ends with its name: to copy the whole `dirent` would read beyond it.
    guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else {
      preconditionFailure("dirent is a C structure with a name")
    }
    let name = UnsafeRawPointer(entry).advanced(by: nameOffset)
    return String(cString: name.assumingMemoryBound(to: CChar.self))
  }
}
