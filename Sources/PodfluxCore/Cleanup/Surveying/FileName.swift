/// Whose a name of a file is.
///
/// A row keeps its path as long as a file with its inode is there. Any other name of that inode (link(2)) is a user's:
/// no row follows it, nothing adopts it, and nothing takes it away. When the row's own name is gone, the other one
/// cannot be told from the new name of a moved file, and the row follows it. Removing a download removes its name only.
///
/// Of several rows with one inode, only one has a file: those of the others were deleted, and their inode was reused.
/// That one is the row with the file's length and time (`PublishedFile.claims`).
package enum FileName: Hashable, Sendable {
  /// The name is the path of a row with the file's inode.
  case own
  /// A row with the file's inode has another path, and the file is there too.
  case second
  /// No row with the file's inode has its file.
  case free

  /// Whose name a file with a known inode has. `expected` are the files of the rows with its inode, and `isAt` says
  /// whether the file is at a path too.
  package static func of(
    _ file: FoundFile, expected: [PublishedFile], isAt: (LibraryPath) throws -> Bool
  ) rethrows -> FileName {
    let claiming = expected.filter { $0.claims(file) }
    let owners = claiming.isEmpty ? expected : claiming
    guard !owners.contains(where: { EntryPath($0.path) == file.place }) else { return .own }
    return try owners.contains { try isAt($0.path) } ? .second : .free
  }
}

extension PublishedFile {
  /// Whether a row with this file claims one that was found, at any path: then no other row may follow it, and nothing
  /// may take it away. The planner and the store judge by this one rule.
  ///
  /// An inode and a length are not enough if the times differ: the row's file may have been replaced, and its inode
  /// reused. Without a known inode, the path identifies a file.
  package func claims(_ found: FoundFile) -> Bool {
    guard length == found.length, !hasOtherTime(than: found) else { return false }
    return found.inode == FoundFile.unknownInode ? EntryPath(path) == found.place : inode == found.inode
  }
}
