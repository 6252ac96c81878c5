/// Whose a name of a file is.
///
/// A row keeps its path as long as a file with its inode is there. Any other name of that inode (link(2)) is a user's:
/// no row follows it, nothing adopts it, and nothing takes it away. When the row's own name is gone, the other one
/// cannot be told from the new name of a moved file, and the row follows it. Removing a download removes its name only.
public enum FileName: Hashable, Sendable {
  /// It is the path of a row with the file's inode.
  case own
  /// A row with the file's inode has another path, and the file is there too.
  case second
  /// No row with the file's inode has its file.
  case free
}
