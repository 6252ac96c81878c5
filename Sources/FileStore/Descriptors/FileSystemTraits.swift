import CLinux

/// Properties of a library's file system that not every file system has.
struct FileSystemTraits: Hashable, Sendable {
  /// Whether an inode number (st_ino) identifies one file for the file's whole life.
  ///
  /// exFAT and vfat have no inode numbers: their drivers assign new ones at each mount, and even while the disk is
  /// mounted. FUSE servers do the same unless they take care, and SMB where the server has none. On such file systems
  /// the engine records no inode: the number may soon belong to another file.
  var hasLastingInodes: Bool

  /// The traits of most local disks.
  static let usual = FileSystemTraits(hasLastingInodes: true)
  /// The traits that are safe on every file system.
  static let least = FileSystemTraits(hasLastingInodes: false)

  init(hasLastingInodes: Bool) {
    self.hasLastingInodes = hasLastingInodes
  }

  /// Costs one fstatfs(2).
  init(of file: Int32) {
    self = Self.withLastingInodes.contains(linux_file_system(file)) ? .usual : .least
  }

  /// The magic numbers (statfs(2)) of file systems that store inodes on the disk or, if they live in memory, keep them
  /// while mounted: ext2 to ext4, XFS, Btrfs, tmpfs, ramfs, overlayfs, F2FS, NFS, ZFS, bcachefs, Ceph, JFS, NILFS,
  /// ReiserFS, GFS2, OCFS2.
  private static let withLastingInodes: Set<UInt> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x8584_58F6, 0x794C_7630, 0xF2F5_2010, 0x6969, 0x2FC1_2FC1,
    0xCA45_1A4E, 0x00C3_6400, 0x3153_464A, 0x3434, 0x5265_4973, 0x0116_1970, 0x7461_636F,
  ]
}
