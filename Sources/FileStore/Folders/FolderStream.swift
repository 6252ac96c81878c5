import Glibc

/// The names in a folder, one by one in no order. One thread at a time may use it.
final class FolderStream {
  /// One record of the folder. Its name is valid until the next record is read.
  struct Record {
    /// The name with a terminating zero.
    let name: UnsafePointer<CChar>
    /// The name's length in bytes.
    let length: Int
    /// The type that the file system reports (DT_…), which some leave out: only a hint.
    let type: UInt8
    /// The inode that the folder reports: only a hint, since another device may be mounted there.
    let inode: UInt64

    var isHidden: Bool { name[0] == CChar(bitPattern: UInt8(ascii: ".")) }

    /// Whether this is its name. Copies nothing.
    func isNamed(_ other: EntryName) -> Bool {
      other.cString.count == length + 1 && memcmp(other.cString, name, length) == 0
    }

    /// A copy of the name.
    var entryName: EntryName {
      EntryName(bytes: UnsafeRawBufferPointer(start: name, count: length))
    }
  }

  private let folder: Descriptor
  private let stream: OpaquePointer

  init(_ folder: Descriptor) throws(FileError) {
    try folder.openFiles.enter(folder.path)
    do throws(FileError) {
      stream = try Self.open(folder)
    } catch {
      folder.openFiles.leave()
      throw error
    }
    self.folder = folder
  }

  deinit {
    closedir(stream)
    folder.openFiles.leave()
  }

  private static func open(_ folder: Descriptor) throws(FileError) -> OpaquePointer {
    // Opens the folder again, since a duplicated descriptor would share its position with every other walk.
    let number = try systemCall("openat", folder.path) {
      openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard let stream = fdopendir(number) else {
      let code = errno
      close(number)
      throw FileError(operation: "fdopendir", path: folder.path, code: code)
    }
    return stream
  }

  /// The next record, or nil at the end. Leaves out "." and "..".
  func next() throws(FileError) -> Record? {
    while let record = try read() {
      let isFolderItself =
        record.isHidden && (record.length == 1 || record.length == 2 && record.name[1] == record.name[0])
      if !isFolderItself { return record }
    }
    return nil
  }

  private func read() throws(FileError) -> Record? {
    errno = 0
    guard let entry = readdir(stream) else {
      let code = errno
      if code == 0 { return nil }
      throw FileError(operation: "readdir", path: folder.path, code: code)
    }
    // The record ends with its name: copying the whole `dirent` would read beyond it.
    guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else {
      preconditionFailure("dirent is a C structure with a name")
    }
    let name = UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
    return Record(
      name: name, length: strlen(name), type: entry.pointee.d_type, inode: UInt64(entry.pointee.d_ino))
  }
}
