import CLinux
import Glibc
import Synchronization

/// A way to move a file without replacing another.
enum Move: Int, Sendable {
  /// renameat2(2) with RENAME_NOREPLACE, which many file systems lack: NFS, exFAT, most FUSE ones.
  case renaming
  /// linkat(2), which never replaces, then unlinkat(2). exFAT and vfat have no hard links.
  case linking
  /// Creates an empty placeholder under the new name (O_EXCL), and then replaces it with renameat(2).
  ///
  /// A crash in between leaves the placeholder: the caller has recorded the move, and removes it.
  case placing

  /// The way to try if the file system lacks this one.
  private var next: Move? { Move(rawValue: rawValue + 1) }

  /// Moves a file in this way or, if the file system lacks it, in the next one.
  ///
  /// - Parameter isOwnFolder: Whether no other program puts files into the destination now, so that no placeholder is
  ///   needed.
  /// - Returns: The way that worked.
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

  /// Whether the error may mean that the file system lacks this way. Other errors would fail the next way too.
  private func isUnknown(_ error: FileError) -> Bool {
    switch (self, error) {
    case (.renaming, .io(_, _, EINVAL)), (.renaming, .io(_, _, ENOSYS)), (.renaming, .io(_, _, EOPNOTSUPP)): true
    // EPERM means "no hard links here" (link(2)); FUSE servers return ENOSYS.
    case (.linking, .denied), (.linking, .io(_, _, ENOSYS)), (.linking, .io(_, _, EOPNOTSUPP)),
      (.linking, .io(_, _, EMLINK)):
      true
    default: false
    }
  }

  private static func rename(
    _ name: EntryName, in source: Descriptor, to newName: EntryName, in destination: Descriptor
  ) throws(FileError) {
    try destination.changingEntry(andIn: source) { () throws(FileError) in
      let code = linux_rename_without_replacing(source.number, name.cString, destination.number, newName.cString)
      guard code == 0 else {
        throw FileError(operation: "renameat2", path: destination.pathOfChild(newName), code: code)
      }
    }
  }

  private static func link(
    _ name: EntryName, in source: Descriptor, to newName: EntryName, in destination: Descriptor
  ) throws(FileError) {
    try destination.changingEntry { () throws(FileError) in
      try systemCall("linkat", destination.pathOfChild(newName)) {
        linkat(source.number, name.cString, destination.number, newName.cString, 0)
      }
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
    try source.moveChild(name, to: newName, in: destination)
  }

  private static func place(
    _ name: EntryName, in source: Descriptor, to newName: EntryName, in destination: Descriptor
  ) throws(FileError) {
    try checkIsFile(name, in: source)
    // Keeps it open: no other file can get its inode meanwhile.
    let placeholder = try destination.makePlaceholder(newName)
    guard try isUntouched(placeholder, newName, in: destination) else {
      throw .exists(path: destination.pathOfChild(newName))
    }
    do throws(FileError) {
      try source.moveChild(name, to: newName, in: destination)
    } catch {
      // If this fails too, an empty file stays visible to the user.
      if (try? isUntouched(placeholder, newName, in: destination)) == true { _ = try? destination.deleteFile(newName) }
      throw error
    }
  }

  /// Refuses folders: they cannot be linked, and cannot replace an empty file.
  private static func checkIsFile(_ name: EntryName, in source: Descriptor) throws(FileError) {
    guard let found = try source.statusOfChild(name) else { throw .notFound(path: source.pathOfChild(name)) }
    guard found.kind != .folder else { throw .notARegularFile(path: source.pathOfChild(name)) }
  }

  /// Whether the placeholder is unchanged: no program has written to it or replaced it.
  private static func isUntouched(
    _ placeholder: Descriptor, _ name: EntryName, in folder: Descriptor
  ) throws(FileError) -> Bool {
    let (made, found) = (try placeholder.status().identity, try folder.statusOfChild(name)?.identity)
    return made.size == 0 && found == made
  }
}

extension Descriptor {
  /// Reserves a name with an empty file.
  fileprivate func makePlaceholder(_ name: EntryName) throws(FileError) -> Descriptor {
    do throws(FileError) {
      return try makeChild(name, O_WRONLY | O_EXCL, mode: Library.Layout.fileMode)
    } catch .notFound, .io(_, _, EINVAL), .io(_, _, EILSEQ) {
      // exFAT drivers return one of these for characters that they do not support.
      throw .refusedName(path: pathOfChild(name))
    }
  }
}

/// The way to move files in one library: the first move determines it.
final class MoveChoice: Sendable {
  private static let probe: EntryName = "probe"
  private static let movedProbe: EntryName = "probe.moved"

  private let first: Mutex<Move>

  init(_ first: Move) {
    self.first = Mutex(first)
  }

  /// Moves a file without replacing another. Fails with `exists` if the name is taken.
  ///
  /// - Parameter isOwnFolder: Whether no other program puts files into the destination now.
  func perform(
    _ name: EntryName, in source: Descriptor, to newName: EntryName, in destination: Descriptor,
    isOwnFolder: Bool = false
  ) throws(FileError) {
    let known = first.withLock { $0 }
    let used = try known.perform(name, in: source, to: newName, in: destination, isOwnFolder: isOwnFolder)
    if used != known { first.withLock { $0 = used } }
  }

  /// Whether what lies at a place may be the placeholder of a process that died while it moved a file of this length
  /// there: an empty regular file, where files are moved over placeholders. Ask it only of a move that was recorded.
  func mayHaveLeft(
    _ found: FileStatus, movingLength length: Int64, probing folder: Descriptor
  ) throws(FileError) -> Bool {
    guard found.kind == .regular, found.identity.size == 0, length > 0 else { return false }
    return try findOut(in: folder) == .placing
  }

  /// Determines the way to move files, with an empty file in the engine's own folder.
  func findOut(in folder: Descriptor) throws(FileError) -> Move {
    _ = try folder.deleteFile(Self.movedProbe)
    _ = try folder.makeChild(Self.probe, O_WRONLY, mode: Library.Layout.privateFileMode)
    try perform(Self.probe, in: folder, to: Self.movedProbe, in: folder, isOwnFolder: true)
    _ = try folder.deleteFile(Self.movedProbe)
    return first.withLock { $0 }
  }
}
