import PodfluxCore

extension LibraryDatabase: SurveyRows {
  /// Before the first file that a row says is there.
  public var firstExpected: TableReader.ExpectedCursor { .start }

  /// The files that rows say are there, in the byte order of their places. Cost: one look-up and the page.
  public func expectedFiles(
    after cursor: TableReader.ExpectedCursor, limit: Int
  ) throws -> (files: [ExpectedFile], next: TableReader.ExpectedCursor?) {
    try read { try $0.expectedFiles(after: cursor, limit: limit) }
  }

  /// A download's row; nil if there is none.
  public func download(_ id: DownloadID) throws -> Download? {
    try read { try $0.download(id) }
  }

  /// The downloads that say that bytes of theirs are durable, and are not completed, in the order of their ids.
  public func downloadsWithBytes(after id: DownloadID?, limit: Int) throws -> [Download] {
    try read { try $0.downloadsWithBytes(after: id, limit: limit) }
  }

  /// The files of this place that downloads had, and those of this length whose SHA-256 is known.
  public func formerFiles(like file: FoundFile) throws -> [FormerFile] {
    try read { try $0.formerFiles(like: file) }
  }

  /// A failed download that is to get its file here.
  public func failedDownload(wanting place: EntryPath) throws -> DownloadID? {
    try read { try $0.failedDownload(wanting: place) }
  }

  /// Whether a download of this name could have a file adopted: it has failed, or there is none.
  public func canAdopt(_ owner: DownloadID) throws -> Bool {
    try read { try $0.canAdopt(owner) }
  }

  /// Whether a file is that of another download than this one, or of any, by its inode and its length.
  public func isNeeded(
    _ file: FoundFile, otherThanBy id: DownloadID?, isAt: (LibraryPath) -> Bool
  ) throws -> Bool {
    try read { try $0.isNeeded(file, otherThanBy: id, isAt: isAt) }
  }

  /// A download that was given up, or failed, because its file of this length was gone, if its content is unknown.
  public func lostFile(ofLength length: Int64) throws -> DownloadID? {
    try read { try $0.lostFile(ofLength: length) }
  }

  /// Whether the engine has made this folder.
  public func hasMade(_ folder: EntryPath) throws -> Bool {
    try read { try $0.hasMade(folder) }
  }
}
