import Flux

/// The tables of the cleanup.
public protocol CleanupTables {
  /// Runs and their steps.
  var cleanup: any CleanupTable { get }
}

/// Runs and their steps.
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
}
