import CLinux
import Flux

/// An open published file for reading; it is closed with the last reference.
package struct PublishedContents: Sendable {
  private let file: Descriptor
  /// Its identity, length and last modification at the time of opening.
  package let identity: FileIdentity

  init(_ file: Descriptor) throws(FileError) {
    identity = try file.status().regularFile(at: file.path)
    self.file = file
  }

  /// The number of its descriptor, for reading while this lives.
  package var descriptor: Int32 { file.number }

  /// When the file was created (statx(2), STATX_BTIME); nil if the file system does not store it.
  package var birth: Timestamp? {
    var (seconds, nanoseconds) = (Int64(0), UInt32(0))
    guard linux_birth_time(file.number, &seconds, &nanoseconds) == 0, seconds.magnitude < 1 << 50 else { return nil }
    return Timestamp(milliseconds: seconds * 1000 + Int64(nanoseconds / 1_000_000))
  }

  /// When its content, its names or its permissions were last changed (st_ctim): no program sets that time.
  package var changed: Timestamp? { try? file.status().changed }

  /// Which file it is, its length, and when it was written to last, now.
  package func present() throws(FileError) -> FileIdentity {
    try file.status().regularFile(at: file.path)
  }

  /// Whether the file has several names, in the library or elsewhere on its disk (link(2)), now.
  package func hasOtherNames() throws(FileError) -> Bool { try file.status().linkCount > 1 }

  /// Reads `count` bytes from `offset`, or fewer at the end of the file.
  package func read(offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    try file.read(offset: offset, count: count)
  }
}
