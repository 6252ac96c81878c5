import Glibc

extension LibraryLock {
  /// Whether an engine holds the library now.
  ///
  /// Looks into the kernel's list of locks (proc(5), /proc/locks) and takes none itself: an engine that starts at this
  /// very moment must not take the one who asks for another engine. Costs a read of that list.
  public static func isHeld(_ library: Library) throws(FileError) -> Bool {
    guard let lock = try library.stateFolder.statusOfChild(Library.Layout.lock) else { return false }
    let list = try Descriptor.openFolder(atPath: "/proc", shownAs: "/proc").openChild("locks", O_RDONLY)
    let text = String(decoding: try list.read(offset: 0, count: longestList), as: UTF8.self)
    return text.split(separator: "\n").contains { names(lock.identity.inode, in: $0) }
  }

  /// How much of the list is read, in bytes: some ten thousand locks.
  private static let longestList = 1 << 20

  /// A line is such as `2: FLOCK  ADVISORY  WRITE 21937 fe:00:16224795 0 EOF`. Its device is left out: on some file
  /// systems it is not the one that stat(2) tells.
  private static func names(_ inode: UInt64, in line: Substring) -> Bool {
    let fields = line.split(separator: " ")
    return fields.contains("FLOCK") && fields.contains { $0.hasSuffix(":\(inode)") }
  }
}
