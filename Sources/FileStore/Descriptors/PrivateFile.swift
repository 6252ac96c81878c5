import Glibc

/// A file of the engine's own for its owner alone (mode 0600). It is read and replaced as a whole.
package struct PrivateFile: Sendable {
  /// The bytes of a private file, and who may read it.
  package struct Contents: Hashable, Sendable {
    package var bytes: [UInt8]
    /// Whether it belongs to this user, or this user is root.
    package var isOwn: Bool
    /// Whether only its owner may read it. Not every file system has such rights.
    package var isPrivate: Bool
  }

  package let path: String
  private let folder: String
  private let name: EntryName
  private let temporary: EntryName

  /// - Parameters:
  ///   - folder: Where it lies, as the kernel resolves it.
  ///   - name: A name without a zero. While it is replaced there is a file with `.new` at the end of its name.
  package init(in folder: String, named name: String) {
    self.folder = folder
    (self.name, temporary) = (EntryName(name), EntryName(name + ".new"))
    path = folder + "/" + name
  }

  /// What it holds, or its first `limit` bytes and one more if it is longer; nil if there is none. Rights of others are
  /// taken away where that is possible.
  ///
  /// - Throws: `symbolicLink` and `notARegularFile` too.
  package func read(atMost limit: Int) throws(FileError) -> Contents? {
    let folder = try openFolder()
    guard try folder.statusOfChild(name)?.regularFile(at: path) != nil else { return nil }
    let file = try folder.openChild(name, O_RDONLY | O_NONBLOCK)
    // Another file may have got the name between the look and the opening.
    let size = try file.status().regularFile(at: path).size
    let isPrivate = try Self.isPrivate(file)
    return Contents(
      bytes: try file.read(offset: 0, count: Int(min(size, Int64(limit) + 1))), isOwn: try Self.isOwn(file),
      isPrivate: isPrivate)
  }

  /// Replaces what it holds. It survives a power cut when this returns.
  ///
  /// - Parameter needsPrivacy: Whether nothing is written, and `notPrivate` thrown, where others could read it.
  package func replace(with bytes: [UInt8], needsPrivacy: Bool) throws(FileError) {
    try openFolder().replaceFile(name, by: temporary, with: bytes) { (file) throws(FileError) in
      guard try Self.isPrivate(file) || !needsPrivacy else { throw .notPrivate(path: path) }
    }
  }

  private func openFolder() throws(FileError) -> Descriptor {
    try Descriptor.openFolder(atPath: folder, shownAs: folder)
  }

  /// Takes the file's rights from all but its owner. Returns whether they are gone.
  private static func isPrivate(_ file: Descriptor) throws(FileError) -> Bool {
    guard try status(of: file).st_mode & others != 0 else { return true }
    _ = fchmod(file.number, Library.Layout.privateFileMode)
    return try status(of: file).st_mode & others == 0
  }

  private static func isOwn(_ file: Descriptor) throws(FileError) -> Bool {
    try status(of: file).st_uid == geteuid() || geteuid() == 0
  }

  private static func status(of file: Descriptor) throws(FileError) -> stat {
    var status = stat()
    try systemCall("fstat", file.path) { fstat(file.number, &status) }
    return status
  }

  /// The permission bits of group and others.
  private static let others: mode_t = 0o077
}
