import Flux

/// The tables of the cleanup store: runs, steps, and former files.
public protocol CleanupTable {
  func save(_ run: CleanupRun) throws
  func forget(_ run: CleanupRun.Key) throws

  /// Adds a step of the active run.
  func insert(_ step: CleanupStep) throws
  /// Deletes all steps with one statement.
  func removeSteps() throws
  /// The first planned steps after this one.
  func planned(after key: CleanupStep.Key, limit: Int) throws -> [CleanupStep]
  /// Writes the result of a step; `because` and `holder` replace the former values unless nil.
  func finish(
    _ key: CleanupStep.Key, as status: CleanupStep.Status, because: String?, holder: DownloadID?) throws

  /// Records that a download had a file until this time.
  func insert(_ former: FormerFile, at moment: Timestamp) throws
  /// The download owns this file again. Records of its damaged files at other paths stay.
  func forgetFormerFiles(of download: DownloadID, having file: PublishedFile) throws
  /// A download of this id or address whose file was missing, or stayed when the download was removed.
  func removedDownload(id: DownloadID?, address: WebAddress) throws -> DownloadID?
  /// The address from which a download's former file came.
  func formerAddress(of download: DownloadID) throws -> WebAddress?

  /// Records that the engine created these folders, so that it may delete them when empty.
  func note(made folders: [LibraryPath]) throws
  /// The folders on a file's path that the engine created. Cost: a look-up for each folder.
  func madeFolders(above path: LibraryPath) throws -> [LibraryPath]
}
