import CLinux
import Flux

/// An open published file for reading; it is closed with the last reference.
public struct PublishedContents: Sendable {
  private let file: Descriptor
  /// Its identity, length and last modification at the time of opening.
  public let identity: FileIdentity

  init(_ file: Descriptor) throws(FileError) {
    identity = try file.status().regularFile(at: file.path)
    self.file = file
  }

  /// When the file was created (statx(2), STATX_BTIME); nil if the file system does not store it.
  public var birth: Timestamp? {
    var (seconds, nanoseconds) = (Int64(0), UInt32(0))
    guard linux_birth_time(file.number, &seconds, &nanoseconds) == 0, seconds.magnitude < 1 << 50 else { return nil }
    return Timestamp(milliseconds: seconds * 1000 + Int64(nanoseconds / 1_000_000))
  }

  /// The result of reading to the end.
  public enum Reading: Hashable, Sendable {
    /// The body received all bytes.
    case complete
    /// The body returned false.
    case stopped
    /// Another program wrote to the file meanwhile: the bytes read may be a state that it never had.
    case changed
  }

  /// How many bytes are read at once.
  private static let pieceBytes: Int64 = 1 << 20

  /// Reads the file from its beginning to its length at the opening, a MiB at a time, while the body returns true. With
  /// `complete`, the bytes are those of the opening: at the end it compares the modification time.
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

  /// Reads `count` bytes from `offset`, or fewer at the end of the file.
  public func read(offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    try file.read(offset: offset, count: count)
  }
}
