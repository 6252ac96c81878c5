import Flux
import Glibc

/// Which file this is, whatever its name, and how long it is.
///
/// Where inodes do not last (`FileSystemTraits`), only the length tells files of one place apart.
public struct FileIdentity: Hashable, Sendable {
  /// The device that holds the file. After a reboot the same device may have another number.
  public let device: UInt64
  /// The file's number on its device. It stays when the file is renamed.
  public let inode: UInt64
  /// The length in bytes.
  public let size: Int64
  /// When it was written to last (st_mtim), in nanoseconds since 1970; nil where it was not looked at. It makes no other
  /// file of it.
  public let modifiedNanoseconds: Int64?
  /// Whether the inode is the same after the disk has been mounted anew.
  public let hasLastingInode: Bool

  /// An identity put together again, for example from a database.
  public init(device: UInt64, inode: UInt64, size: Int64, modifiedNanoseconds: Int64? = nil) {
    self.init(
      device: device, inode: inode, size: size, modifiedNanoseconds: modifiedNanoseconds, hasLastingInode: true)
  }

  init(device: UInt64, inode: UInt64, size: Int64, modifiedNanoseconds: Int64?, hasLastingInode: Bool) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modifiedNanoseconds = modifiedNanoseconds
    self.hasLastingInode = hasLastingInode
  }

  /// Whether both are one file, as long as it was.
  public static func == (left: Self, right: Self) -> Bool {
    left.device == right.device && left.inode == right.inode && left.size == right.size
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(inode)
    hasher.combine(size)
  }

  /// The inode as it may be noted down for later: 0 where it does not last.
  public var lastingInode: UInt64 { hasLastingInode ? inode : 0 }

  /// Whether this is the file that was recorded as `other`, perhaps before a reboot.
  ///
  /// Compares inode and size and leaves out the device, whose number a reboot may change: a library lies on one device.
  /// Where one of them has no lasting inode the size alone tells, so that both must be of one place.
  public func isSameFile(as other: FileIdentity) -> Bool {
    (inode == other.inode || !hasLastingInode || !other.hasLastingInode) && size == other.size
  }
}

/// What `stat` says, as far as it matters here.
struct FileStatus {
  enum Kind {
    case regular, folder, symbolicLink, other
  }

  let kind: Kind
  let identity: FileIdentity
  /// How many names it has: none, once it is deleted.
  let linkCount: Int
  /// When its name, place or contents last changed (st_ctim).
  let changed: Timestamp

  init(_ status: stat, _ traits: FileSystemTraits) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      case S_IFLNK: .symbolicLink
      default: .other
      }
    identity = FileIdentity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modifiedNanoseconds: status.st_mtim.nanoseconds, hasLastingInode: traits.hasLastingInodes)
    linkCount = Int(status.st_nlink)
    changed = Timestamp(
      milliseconds: Int64(status.st_ctim.tv_sec) * 1000 + Int64(status.st_ctim.tv_nsec) / 1_000_000)
  }

  /// The identity, if this is a regular file.
  func regularFile(at path: @autoclosure () -> String) throws(FileError) -> FileIdentity {
    switch kind {
    case .regular: return identity
    case .symbolicLink: throw .symbolicLink(path: path())
    case .folder, .other: throw .notARegularFile(path: path())
    }
  }
}

extension timespec {
  /// Nanoseconds since 1970, or as many as there can be: a file system takes whatever time it is given.
  fileprivate var nanoseconds: Int64 {
    let (whole, isTooMuch) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isMore) = whole.addingReportingOverflow(Int64(tv_nsec))
    return isTooMuch || isMore ? (tv_sec < 0 ? .min : .max) : sum
  }
}
