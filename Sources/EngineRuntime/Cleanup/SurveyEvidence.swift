import Flux
import PodfluxCore

/// What the planner asks for, from the rows and the files.
final class SurveyEvidence<Files: LibraryFileSystem, Rows: SurveyRows>: CleanupEvidence {
  private let files: Files
  private let rows: Rows
  private let asksWhetherCancelled: () -> Bool
  private let report: (CleanupProgress) -> Void
  /// Read when it is first asked for: when everything has been listed.
  private var restored: Set<FoundFile>?
  private var progress = CleanupProgress(files: 0, readBytes: 0)
  private var reported = CleanupProgress(files: 0, readBytes: 0)

  /// After how many files, or bytes that were read, progress is reported.
  private let reportInterval: CleanupProgress

  init(
    files: Files, rows: Rows, reportInterval: CleanupProgress, isCancelled: @escaping () -> Bool,
    report: @escaping (CleanupProgress) -> Void
  ) {
    self.files = files
    self.rows = rows
    self.reportInterval = reportInterval
    asksWhetherCancelled = isCancelled
    self.report = report
  }

  var isCancelled: Bool { asksWhetherCancelled() }

  /// Counts what has been looked at.
  func count(_ entry: LibraryEntry) -> LibraryEntry {
    progress.files += 1
    reportIfDue()
    return entry
  }

  func sha256(of file: FoundFile) throws -> String? {
    let hash = files.sha256(of: file) { bytes in
      progress.readBytes += Int64(bytes)
      reportIfDue()
      return !isCancelled
    }
    guard !isCancelled else { throw CleanupPlanner.Failure.cancelled }
    return hash
  }

  private func reportIfDue() {
    guard
      progress.files - reported.files >= reportInterval.files
        || progress.readBytes - reported.readBytes >= reportInterval.readBytes
    else { return }
    reported = progress
    report(progress)
  }

  func formerFiles(like file: FoundFile) throws -> [FormerFile] { try rows.formerFiles(like: file) }

  func failedDownload(wanting place: EntryPath) throws -> DownloadID? { try rows.failedDownload(wanting: place) }

  func canAdopt(_ owner: DownloadID) throws -> Bool { try rows.canAdopt(owner) }

  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool {
    try rows.isNeeded(file, otherThanBy: id) { files.isAlso(file, at: $0) }
  }

  func isClaimed(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool {
    try rows.isNeeded(file, otherThanBy: id) { _ in false }
  }

  func name(of file: FoundFile) throws -> FileName {
    try rows.name(of: file) { files.isAlso(file, at: $0) }
  }

  func likeness(of file: FoundFile) throws -> MediaCheck.Likeness? { files.likeness(of: file) }

  func existed(_ file: FoundFile, at moment: Timestamp) throws -> Bool? { files.existed(file, at: moment) }

  func changed(_ file: FoundFile) throws -> Timestamp? { files.changed(file) }

  func lostFile(ofLength length: Int64) throws -> DownloadID? { try rows.lostFile(ofLength: length) }

  func isRestored(_ file: FoundFile) throws -> Bool {
    let restored = try self.restored ?? files.restoredFiles()
    self.restored = restored
    return restored.contains(file.withoutTime)
  }

  func hasMade(_ folder: EntryPath) throws -> Bool { try rows.hasMade(folder) }

  func isSidecar(_ file: FoundFile) throws -> Bool { try rows.isSidecar(file) }
}
