import Flux

/// The port of the cleanup's tables. All calls belong to the turn's transaction.
package protocol CleanupTables {
  /// Runs and their steps.
  var cleanup: any CleanupTable { get }
}

/// Runs and their steps.
package protocol CleanupTable {
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
}

extension CleanupTables where Self: ForwardingTables {
  /// The tables behind, unchanged.
  package var cleanup: any CleanupTable { inner.cleanup }
}
