import Glibc

extension LibraryLock {
  /// Whether an engine holds the library now.
  ///
  /// Reads the kernel's list of locks (proc(5), /proc/locks) and takes no lock itself: an engine that starts at this
  /// moment would take the caller for another engine. Costs a read of that list.
  package static func isHeld(_ library: Library) throws(FileError) -> Bool {
    guard let lock = try library.stateFolder.statusOfChild(Library.Layout.lock) else { return false }
    let list = try Descriptor.openFolder(atPath: "/proc", shownAs: "/proc").openChild("locks", O_RDONLY)
    let text = String(decoding: try list.read(offset: 0, count: longestList), as: UTF8.self)
    return text.split(separator: "\n").contains { names(lock.identity.inode, in: $0) }
  }

  /// The most that is read of the list, in bytes: some ten thousand locks.
  private static let longestList = 1 << 20

  /// Whether a line names the inode, such as `2: FLOCK ADVISORY WRITE 21937 fe:00:16224795 0 EOF`. Ignores the device:
  /// on some file systems it differs from that of stat(2).
  private static func names(_ inode: UInt64, in line: Substring) -> Bool {
    let fields = line.split(separator: " ")
    return fields.contains("FLOCK") && fields.contains { $0.hasSuffix(":\(inode)") }
  }
}
