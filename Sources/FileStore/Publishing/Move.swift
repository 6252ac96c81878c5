import CLinux
import Glibc
import Synchronization

/// How a file is moved without replacing another.
enum Move: Int, Sendable {
  /// renameat2(2) with RENAME_NOREPLACE, which many file systems do not know: NFS, exFAT, most of FUSE's.
  case renaming
  /// linkat(2), which never replaces, then unlinkat(2). exFAT and vfat have no links.
  case linking
  /// The new name is taken by an empty file that must not be there before (O_EXCL), and then replaced by renameat(2).
  ///
  /// A crash in between leaves the empty file: whoever moves has noted down what he does, and takes it away.
  case placing

  /// What to try where this one is not to be had.
  private var next: Move? { Move(rawValue: rawValue + 1) }

  /// Moves a file, in this way or, where the file system has no such thing, in the next one.
  ///
  /// - Parameter isOwnFolder: Whether nobody else puts files into the destination now, so that no placeholder is needed.
  /// - Returns: the way in which it was moved.
  func perform(
    _ name: EntryName, in source: Descriptor, to newName: EntryName, in destination: Descriptor, isOwnFolder: Bool
  ) throws(FileError) -> Move {
    do throws(FileError) {
      switch self {
      case .renaming: try Self.rename(name, in: source, to: newName, in: destination)
      case .linking: try Self.link(name, in: source, to: newName, in: destination)
      case .placing where isOwnFolder: try Self.renameToFreeName(name, in: source, to: newName, in: destination)
      case .placing: try Self.place(name, in: source, to: newName, in: destination)
      }
      return self
    } catch {
      guard let next, isUnknown(error) else { throw error }
      return try next.perform(name, in: source, to: newName, in: destination, isOwnFolder: isOwnFolder)
    }
  }

  /// Whether the file system may not know this way of moving. What else is wrong, the next way fails of too.
  private func isUnknown(_ error: FileError) -> Bool {
    switch (self, error) {
    case (.renaming, .io(_, _, EINVAL)), (.renaming, .io(_, _, ENOSYS)), (.renaming, .io(_, _, EOPNOTSUPP)): true
    // EPERM stands for "no links here" (link(2)), ENOSYS comes from FUSE's servers.
    case (.linking, .denied), (.linking, .io(_, _, ENOSYS)), (.linking, .io(_, _, EOPNOTSUPP)),
      (.linking, .io(_, _, EMLINK)):
      true
    default: false
    }
  }

  private static func rename(
    _ name: EntryName, in source: Descriptor, to newName: EntryName, in destination: Descriptor
  ) throws(FileError) {
    let code = linux_rename_without_replacing(source.number, name.cString, destination.number, newName.cString)
    guard code == 0 else {
      throw FileError(operation: "renameat2", path: destination.pathOfChild(newName), code: code)
    }
  }

  private static func link(
    _ name: EntryName, in source: Descriptor, to newName: EntryName, in destination: Descriptor
  ) throws(FileError) {
    try systemCall("linkat", destination.pathOfChild(newName)) {
      linkat(source.number, name.cString, destination.number, newName.cString, 0)
    }
    _ = try source.deleteFile(name)
  }

  private static func renameToFreeName(
    _ name: EntryName, in source: Descriptor, to newName: EntryName, in destination: Descriptor
  ) throws(FileError) {
    guard try destination.statusOfChild(newName) == nil else {
      throw .exists(path: destination.pathOfChild(newName))
    }
    try checkIsFile(name, in: source)
    try replace(newName, in: destination, by: name, in: source)
  }

  private static func place(
    _ name: EntryName, in source: Descriptor, to newName: EntryName, in destination: Descriptor
  ) throws(FileError) {
    try checkIsFile(name, in: source)
    // It stays open: its inode can be no other file's meanwhile.
    let placeholder = try destination.makePlaceholder(newName)
    guard try isUntouched(placeholder, newName, in: destination) else {
      throw .exists(path: destination.pathOfChild(newName))
    }
    do throws(FileError) {
      try replace(newName, in: destination, by: name, in: source)
    } catch {
      // Should that fail too, an empty file stays for a person to see.
      if (try? isUntouched(placeholder, newName, in: destination)) == true { _ = try? destination.deleteFile(newName) }
      throw error
    }
  }

  /// A folder has no second name, and none that takes the place of an empty file: it stays where it is.
  private static func checkIsFile(_ name: EntryName, in source: Descriptor) throws(FileError) {
    guard let found = try source.statusOfChild(name) else { throw .notFound(path: source.pathOfChild(name)) }
    guard found.kind != .folder else { throw .notARegularFile(path: source.pathOfChild(name)) }
  }

  /// Whether the placeholder is still what it was made as: nobody has written to it or put another file there.
  private static func isUntouched(
    _ placeholder: Descriptor, _ name: EntryName, in folder: Descriptor
  ) throws(FileError) -> Bool {
    let (made, found) = (try placeholder.status().identity, try folder.statusOfChild(name)?.identity)
    return made.size == 0 && found == made
  }

  private static func replace(
    _ newName: EntryName, in destination: Descriptor, by name: EntryName, in source: Descriptor
  ) throws(FileError) {
    try systemCall("renameat", destination.pathOfChild(newName)) {
      renameat(source.number, name.cString, destination.number, newName.cString)
    }
  }
}

extension Descriptor {
  /// Takes a name with an empty file.
  fileprivate func makePlaceholder(_ name: EntryName) throws(FileError) -> Descriptor {
    do throws(FileError) {
      return try openChild(name, O_WRONLY | O_CREAT | O_EXCL, mode: Library.Layout.fileMode)
    } catch .notFound, .io(_, _, EINVAL), .io(_, _, EILSEQ) {
      // exFAT's drivers say one of these of characters that it does not have.
      throw .refusedName(path: pathOfChild(name))
    }
  }
}

/// How files are moved in one library: the first move finds out, the others need not.
final class MoveChoice: Sendable {
  private static let probe: EntryName = "probe"
  private static let movedProbe: EntryName = "probe.moved"

  private let first: Mutex<Move>

  init(_ first: Move) {
    self.first = Mutex(first)
  }

  /// Moves a file without replacing another. Fails with `exists` where one has the name.
  ///
  /// - Parameter isOwnFolder: Whether nobody else puts files into the destination now.
  func perform(
    _ name: EntryName, in source: Descriptor, to newName: EntryName, in destination: Descriptor,
    isOwnFolder: Bool = false
  ) throws(FileError) {
    let known = first.withLock { $0 }
    let used = try known.perform(name, in: source, to: newName, in: destination, isOwnFolder: isOwnFolder)
    if used != known { first.withLock { $0 = used } }
  }

  /// How files are moved, tried with an empty one in the engine's own folder.
  func findOut(in folder: Descriptor) throws(FileError) -> Move {
    _ = try folder.deleteFile(Self.movedProbe)
    _ = try folder.openChild(Self.probe, O_WRONLY | O_CREAT, mode: Library.Layout.privateFileMode)
    try perform(Self.probe, in: folder, to: Self.movedProbe, in: folder, isOwnFolder: true)
    _ = try folder.deleteFile(Self.movedProbe)
    return first.withLock { $0 }
  }
}
