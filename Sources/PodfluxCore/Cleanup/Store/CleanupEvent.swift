/// Events by which the cleanup informs other stores.
package enum CleanupEvent: Sendable {
  /// The files of a step are as it expects them: the downloads are to change their rows as it says.
  case apply(CleanupStep)
  /// A file is about to be moved to another name.
  case renaming(DownloadID, to: LibraryPath)
  /// No step moves the file of a download any more; it has been moved or not.
  case endedRenaming(CleanupStep, isMoved: Bool)
  /// These folders were made for a file, the outermost first.
  case madeFolders([LibraryPath])
  /// A folder was empty and is gone. A folder of its name that is made later is not the engine's.
  case removedFolder(LibraryPath)
  /// A client's run is to mend what differs between rows and files; it has not begun.
  case accepted
  /// A run has ended, or one that was owed is not to come.
  case ended
}
