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

  /// What reading to the end has come to.
  public enum Reading: Hashable, Sendable {
    /// All of it was read.
    case complete
    /// The body wanted no more.
    case stopped
    /// Somebody wrote to it while it was read: what was read is perhaps nothing that it ever held.
    case changed
  }

  /// How much is read at once, in bytes.
  private static let pieceBytes: Int64 = 1 << 20

  /// Reads it from its beginning to the length that it had when it was opened, a MiB at a time, for as long as the body
  /// says to go on. What was read is what it held when it was opened: that nobody has written to it since is seen at the
  /// end, by the time of the last writing.
  public func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Bool) throws(FileError) -> Reading {
    var offset: Int64 = 0
    while offset < identity.size {
      let bytes = try read(offset: offset, count: Int(min(Self.pieceBytes, identity.size - offset)))
      guard !bytes.isEmpty else { return .changed }
      guard bytes.withUnsafeBytes(body) else { return .stopped }
      offset += Int64(bytes.count)
    }
    return try isUnchanged() ? .complete : .changed
  }

  private func isUnchanged() throws(FileError) -> Bool {
    let present = try file.status().regularFile(at: file.path)
    return present == identity && present.modifiedNanoseconds == identity.modifiedNanoseconds
  }

  /// Reads `count` bytes from `offset`, or fewer where the file ends.
  public func read(offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    try file.read(offset: offset, count: count)
  }
}
