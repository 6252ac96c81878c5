import Glibc

/// The space on a library's file system or, if its state lies on another one, on the fuller of the two.
package struct DiskSpace: Hashable, Sendable {
  /// The bytes that this user may still write.
  package let freeBytes: Int64
  /// The size of the file system, in bytes.
  package let totalBytes: Int64
  /// Whether a file can be made: where no inode is free, none can, however many bytes are. True where the file system
  /// counts no inodes.
  package let takesNewFiles: Bool
  /// The bytes that this user may still write to a new file.
  package var freeBytesForNewFiles: Int64 { takesNewFiles ? freeBytes : 0 }
}

extension Library {
  /// The space now (fstatvfs(3)). It must hold a partial file and, where publishing copies, its copy. Costs one system
  /// call for each file system.
  package func diskSpace() throws(FileError) -> DiskSpace {
    let space = try Self.diskSpace(of: top)
    guard incomingFolder != nil else { return space }
    let spaceOfState = try Self.diskSpace(of: stateFolder)
    let fuller = spaceOfState.freeBytes < space.freeBytes ? spaceOfState : space
    return DiskSpace(
      freeBytes: fuller.freeBytes, totalBytes: fuller.totalBytes,
      takesNewFiles: space.takesNewFiles && spaceOfState.takesNewFiles)
  }

  static func diskSpace(of folder: Descriptor) throws(FileError) -> DiskSpace {
    var status = statvfs()
    try systemCall("fstatvfs", folder.path) { fstatvfs(folder.number, &status) }
    return DiskSpace(
      freeBytes: bytes(blocks: UInt64(status.f_bavail), of: UInt64(status.f_frsize)),
      totalBytes: bytes(blocks: UInt64(status.f_blocks), of: UInt64(status.f_frsize)),
      takesNewFiles: status.f_files == 0 || status.f_favail > 0)
  }

  /// The bytes of the database with its write-ahead log.
  package func databaseBytes() throws(FileError) -> Int64 {
    var bytes: Int64 = 0
    for suffix in Self.databaseSuffixes {
      bytes += try stateFolder.statusOfChild(EntryName(Self.databaseName + suffix))?.identity.size ?? 0
    }
    return bytes
  }

  /// Some network file systems report "unlimited" with numbers that overflow.
  private static func bytes(blocks: UInt64, of size: UInt64) -> Int64 {
    let (bytes, isOverflow) = blocks.multipliedReportingOverflow(by: size)
    return isOverflow ? .max : Int64(clamping: bytes)
  }
}
