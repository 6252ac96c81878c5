import CLinux

/// What the file system of a library is known to do, beside what every file system does.
struct FileSystemTraits: Hashable, Sendable {
  /// Whether a file's number (st_ino) is its own for as long as it lives.
  ///
  /// exFAT and vfat have no such numbers: their drivers give out others at each mount, and even while a disk is mounted.
  /// So do FUSE's servers unless they care, and SMB's where the server has none. There a number must be noted down nowhere:
  /// it may soon be another file's.
  var hasLastingInodes: Bool

  /// What is on the machine's own disks mostly.
  static let usual = FileSystemTraits(hasLastingInodes: true)
  /// What is safe everywhere.
  static let least = FileSystemTraits(hasLastingInodes: false)

  init(hasLastingInodes: Bool) {
    self.hasLastingInodes = hasLastingInodes
  }

  /// Costs one fstatfs(2).
  init(of file: Int32) {
    self = Self.withLastingInodes.contains(linux_file_system(file)) ? .usual : .least
  }

  /// The numbers of file systems (statfs(2)) whose inodes are on the disk, or stay as long as it is mounted where that is
  /// all there is: ext2 to ext4, XFS, Btrfs, tmpfs, ramfs, overlayfs, F2FS, NFS, ZFS, bcachefs, Ceph, JFS, NILFS, ReiserFS,
  /// GFS2, OCFS2.
  private static let withLastingInodes: Set<UInt> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x8584_58F6, 0x794C_7630, 0xF2F5_2010, 0x6969, 0x2FC1_2FC1,
    0xCA45_1A4E, 0x00C3_6400, 0x3153_464A, 0x3434, 0x5265_4973, 0x0116_1970, 0x7461_636F,
  ]
}
