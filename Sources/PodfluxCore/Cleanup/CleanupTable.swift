import Flux

/// What cleaning up keeps: runs, steps, and what downloads had and where.
public protocol CleanupTable {
  /// Writes a run.
  func save(_ run: CleanupRun) throws
  /// Deletes a run.
  func forget(_ run: CleanupRun.Key) throws

  /// Adds a step of the active run.
  func insert(_ step: CleanupStep) throws
  /// Deletes all steps. Cost: all of them, in one statement.
  func removeSteps() throws
  /// The first steps after this one that are planned.
  func planned(after key: CleanupStep.Key, limit: Int) throws -> [CleanupStep]
  /// Writes what became of a step; `because` and `holder` replace the reason and the holder where there are new ones.
  func finish(
    _ key: CleanupStep.Key, as status: CleanupStep.Status, because: String?, holder: DownloadID?) throws

  /// Keeps in mind, from this moment on, that a download had a file.
  func insert(_ former: FormerFile, at moment: Timestamp) throws
  /// The download has a file again: this one. What is left of damaged files of its at other places is still known for that.
  func forgetFormerFiles(of download: DownloadID, having file: PublishedFile) throws
  /// A download of this name or address whose file was found gone, or was to stay when the download was removed.
  func removedDownload(id: DownloadID?, address: WebAddress) throws -> DownloadID?
  /// The address from which a download's former file was fetched.
  func formerAddress(of download: DownloadID) throws -> WebAddress?

  /// Keeps in mind that the engine has made these folders: nobody misses them when they are empty.
  func note(made folders: [LibraryPath]) throws
  /// The folders on the way to a file that the engine has made. Cost: a look-up for each folder.
  func madeFolders(above path: LibraryPath) throws -> [LibraryPath]
}
