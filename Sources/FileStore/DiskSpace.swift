import Glibc

/// How much room the file system of a library has.
public struct DiskSpace: Hashable, Sendable {
  /// What this user may still write, in bytes.
  public let freeBytes: Int64
  /// The size of the file system, in bytes.
  public let totalBytes: Int64
}

extension Library {
  /// The room on the library's file system now (fstatvfs(3)). Costs one system call.
  public func diskSpace() throws(FileError) -> DiskSpace {
    var status = statvfs()
    try systemCall("fstatvfs", path) { fstatvfs(top.number, &status) }
    return DiskSpace(
      freeBytes: Self.bytes(blocks: UInt64(status.f_bavail), of: UInt64(status.f_frsize)),
      totalBytes: Self.bytes(blocks: UInt64(status.f_blocks), of: UInt64(status.f_frsize)))
  }

  /// How many bytes the files of these names in `.podflux` have together; what is not there has none.
  public func engineFileBytes(_ names: [String]) throws(FileError) -> Int64 {
    var bytes: Int64 = 0
    for name in names { bytes += try engineFolder.statusOfChild(EntryName(name))?.identity.size ?? 0 }
    return bytes
  }

  /// Some network file systems say "without limit" with numbers that overflow.
  private static func bytes(blocks: UInt64, of size: UInt64) -> Int64 {
    let (bytes, isOverflow) = blocks.multipliedReportingOverflow(by: size)
    return isOverflow ? .max : Int64(clamping: bytes)
  }
}
