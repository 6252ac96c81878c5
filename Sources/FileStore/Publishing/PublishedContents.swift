import CLinux
import Flux

/// An open published file, to be read. It is closed when the last reference goes.
public struct PublishedContents: Sendable {
  private let file: Descriptor
  /// Which file it is, its length, and when it was written to last, as it was opened.
  public let identity: FileIdentity

  init(_ file: Descriptor) throws(FileError) {
    identity = try file.status().regularFile(at: file.path)
    self.file = file
  }

  /// When the file was made (statx(2), STATX_BTIME); nil where the file system does not keep that.
  public var birth: Timestamp? {
    var (seconds, nanoseconds) = (Int64(0), UInt32(0))
    guard linux_birth_time(file.number, &seconds, &nanoseconds) == 0, seconds.magnitude < 1 << 50 else { return nil }
    return Timestamp(milliseconds: seconds * 1000 + Int64(nanoseconds / 1_000_000))
  }

  /// Which file it is, its length, and when it was written to last, now.
  public func present() throws(FileError) -> FileIdentity {
    try file.status().regularFile(at: file.path)
  }

  /// Reads `count` bytes from `offset`, or fewer where the file ends.
  public func read(offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    try file.read(offset: offset, count: count)
  }
}
