import Flux
import PodfluxCore

extension CleanupRun {
  /// What the run looks at: names for a renaming, files of others for an adoption, else rows and files.
  ///
  /// - Parameters:
  ///   - quarantineDays: After how many days files leave the quarantine; 0 for never.
  ///   - bootID: The machine's present boot.
  ///   - isCancelled: Asked for each file, and each piece that is read.
  ///   - report: Called now and then with how far it is.
  /// - Returns: The survey's next step, which returns nil as long as it goes on, and is not to be called after that.
  package func survey<Files: LibraryFileSystem, Rows: SurveyRows>(
    of files: Files, _ rows: Rows, quarantineDays: Int, bootID: String, pace: SurveyPace = SurveyPace(),
    now: @escaping () -> Timestamp, isCancelled: @escaping () -> Bool, report: @escaping (CleanupProgress) -> Void
  ) -> () -> SurveyEnding? {
    if let renaming {
      return RenamingSurvey(
        renaming, files: files, rows: rows, pace: pace, isCancelled: isCancelled, report: report
      ).advance
    }
    if let adopting {
      return AdoptionSurvey(
        adopting, files: files, rows: rows, pace: pace, isCancelled: isCancelled, report: report
      ).advance
    }
    return Survey(
      self, quarantineDays: quarantineDays, bootID: bootID, files: files, rows: rows, pace: pace, now: now,
      isCancelled: isCancelled, report: report
    ).advance
  }
}
