/// The rows that a survey compares with files. Each call is one short reading: rows change between two of them.
public protocol SurveyRows {
  /// Where a page of expected files ended.
  associatedtype ExpectedCursor
  /// Before the first expected file.
  var firstExpected: ExpectedCursor { get }

  /// The files that rows say are there, in the byte order of their places. Cost: one look-up and the page.
  func expectedFiles(
    after cursor: ExpectedCursor, limit: Int
  ) throws -> (files: [ExpectedFile], next: ExpectedCursor?)
  /// A download's row; nil if there is none.
  func download(_ id: DownloadID) throws -> Download?
  /// The downloads that say that bytes of theirs are durable, and are not completed, in the order of their ids.
  func downloadsWithBytes(after id: DownloadID?, limit: Int) throws -> [Download]
  /// See `CleanupEvidence`.
  func formerFiles(like file: FoundFile) throws -> [FormerFile]
  /// See `CleanupEvidence`.
  func failedDownload(wanting place: EntryPath) throws -> DownloadID?
  /// See `CleanupEvidence`.
  func canAdopt(_ owner: DownloadID) throws -> Bool
  /// Whether a file is that of another download than this one, or of any.
  ///
  /// - Parameter isAt: Whether the file is at this place too (link(2)).
  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?, isAt: (LibraryPath) -> Bool) throws -> Bool
  /// See `CleanupEvidence`.
  func lostFile(ofLength length: Int64) throws -> DownloadID?
  /// See `CleanupEvidence`.
  func hasMade(_ folder: EntryPath) throws -> Bool
}
