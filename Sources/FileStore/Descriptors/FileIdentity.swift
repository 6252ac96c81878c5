import Flux
import Glibc

/// Identifies a file independently of its name, and records its length.
///
/// On file systems without lasting inodes (`FileSystemTraits`), only the length distinguishes files at one path.
package struct FileIdentity: Hashable, Sendable {
  /// The device of the file. A reboot may change the number.
  package let device: UInt64
  /// The file's number on its device. A rename keeps it.
  package let inode: UInt64
  /// The length in bytes.
  package let size: Int64
  /// The time of the last write (st_mtim), in nanoseconds since 1970, or nil if not read. `==` ignores it.
  package let modifiedNanoseconds: Int64?
  /// Whether the inode stays the same when the disk is mounted again.
  package let hasLastingInode: Bool

  /// Restores an identity, for example from a database row.
  package init(device: UInt64, inode: UInt64, size: Int64, modifiedNanoseconds: Int64? = nil) {
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

  /// Whether both name the same file with the same length.
  package static func == (left: Self, right: Self) -> Bool {
    left.device == right.device && left.inode == right.inode && left.size == right.size
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(inode)
    hasher.combine(size)
  }

  /// The inode to record for later: 0 where inodes do not last.
  package var lastingInode: UInt64 { hasLastingInode ? inode : 0 }

  /// Whether this is the file that was recorded as `other`, perhaps before a reboot.
  ///
  /// Compares inode and size. Ignores the device, whose number a reboot may change: a library lies on one device. If
  /// either inode does not last, only the size counts, so compare only files of the same path.
  package func isSameFile(as other: FileIdentity) -> Bool {
    (inode == other.inode || !hasLastingInode || !other.hasLastingInode) && size == other.size
  }
}

/// The fields of `stat` that the engine uses.
struct FileStatus {
  enum Kind {
    case regular, folder, symbolicLink, other
  }

  let kind: Kind
  let identity: FileIdentity
  /// The number of hard links: 0 after the file was deleted.
  let linkCount: Int
  /// The room that it has on the disk, in bytes: less than its length where it has holes.
  let allocatedBytes: Int64
  /// The time at which its name, place or contents last changed (st_ctim).
  let changed: Timestamp

  /// Whether this is another name of a file that was found under one. FUSE servers may give two names of a file two
  /// inodes: there its link count, length and time tell.
  func isLink(of other: FileIdentity) -> Bool {
    guard kind == .regular, identity != other else { return kind == .regular }
    return !identity.hasLastingInode && linkCount > 1 && identity.size == other.size
      && identity.modifiedNanoseconds == other.modifiedNanoseconds
  }

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
    // In blocks of 512 bytes (stat(3type)).
    allocatedBytes = Int64(status.st_blocks) * 512
    changed = Timestamp(milliseconds: status.st_ctim.nanoseconds / 1_000_000)
  }

  /// The identity, if this is a regular file; fails otherwise.
  func regularFile(at path: @autoclosure () -> String) throws(FileError) -> FileIdentity {
    switch kind {
    case .regular: return identity
    case .symbolicLink: throw .symbolicLink(path: path())
    case .folder, .other: throw .notARegularFile(path: path())
    }
  }
}

extension timespec {
  /// Nanoseconds since 1970, clamped to Int64: file systems store any time.
  fileprivate var nanoseconds: Int64 {
    let (whole, isTooMuch) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isMore) = whole.addingReportingOverflow(Int64(tv_nsec))
    return isTooMuch || isMore ? (tv_sec < 0 ? .min : .max) : sum
  }
}
