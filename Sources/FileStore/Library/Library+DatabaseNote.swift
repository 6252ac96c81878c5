import Glibc

/// The note in the state folder that a database was there. SQLite makes a missing database anew, and an empty one
/// counts as new: without the note a library whose database was lost would begin again, and delete the partial files
/// that the lost one knew.
extension Library {
  private static let databaseNote = Array("podflux database 1\n".utf8)
  private static let unfinishedNote: EntryName = "database.temp"

  /// Whether an engine has opened a database here before.
  package func notesDatabase() throws(FileError) -> Bool {
    try stateFolder.statusOfChild(Layout.databaseNote) != nil
  }

  /// Notes that the database is there. When this returns, the note survives a power cut.
  package func noteDatabase() throws(FileError) {
    if stateFolder !== engineFolder, try engineFolder.statusOfChild(Layout.database) == nil {
      // The state has moved out.
      _ = try engineFolder.deleteFile(Layout.databaseNote)
    }
    guard try !notesDatabase() else { return }
    try stateFolder.replaceFile(Layout.databaseNote, by: Self.unfinishedNote, with: Self.databaseNote)
  }
}
