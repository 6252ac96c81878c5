import Flux

/// The planner's source of facts beyond names and lengths.
package protocol CleanupEvidence {
  /// Whether the run has been cancelled; the planner checks it regularly.
  var isCancelled: Bool { get }
  /// The SHA-256 of a file's content, in hexadecimal digits; nil if it cannot be read, has been replaced, or was
  /// written to since the survey found it, since the survey's time would not match the content.
  func sha256(of file: FoundFile) throws -> String?
  /// The files at this path that downloads had or want, and former files of this length whose SHA-256 is known.
  func formerFiles(like file: FoundFile) throws -> [FormerFile]
  /// A failed download without a file whose file belongs at this path.
  func failedDownload(wanting place: EntryPath) throws -> DownloadID?
  /// Whether a file may be adopted for this download id: the download has failed, or there is none.
  func canAdopt(_ owner: DownloadID) throws -> Bool
  /// Whether a row of another download than this one, or of any, expects the file at any path.
  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool
  /// Whether a row of another download than this one, or of any, claims the file (see `PublishedFile.claims`).
  func isClaimed(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool
  /// Whose name a file has. A file without a known inode has a free one.
  func name(of file: FoundFile) throws -> FileName
  /// The likeness of a file; nil if it cannot be read, has been replaced, or was written to since the survey found it.
  func likeness(of file: FoundFile) throws -> MediaCheck.Likeness?
  /// Whether a file existed already at a time; nil if the file system does not tell.
  func existed(_ file: FoundFile, at moment: Timestamp) throws -> Bool?
  /// When a file's content, names or permissions were last changed; nil where the file system does not tell.
  func changed(_ file: FoundFile) throws -> Timestamp?
  /// A download that was removed, or failed, because its file of this length was gone, if the content is unknown.
  func lostFile(ofLength length: Int64) throws -> DownloadID?
  /// Whether a user restored this file from quarantine.
  func isRestored(_ file: FoundFile) throws -> Bool
  /// Whether the engine created this folder.
  func hasMade(_ folder: EntryPath) throws -> Bool
  /// Whether a file is a sidecar, also one that a person has moved or changed.
  func isSidecar(_ file: FoundFile) throws -> Bool
}
