import PodfluxCore

extension LibraryDatabase: SurveyRows {
  /// The position before the first expected file.
  package var firstExpected: TableReader.ExpectedCursor { .start }

  /// The files that rows expect, in the byte order of their paths. Cost: one look-up and the page.
  package func expectedFiles(
    after cursor: TableReader.ExpectedCursor, limit: Int
  ) throws -> (files: [ExpectedFile], next: TableReader.ExpectedCursor?) {
    try read { try $0.expectedFiles(after: cursor, limit: limit) }
  }

  package func download(_ id: DownloadID) throws -> Download? {
    try read { try $0.download(id) }
  }

  package func nameable(_ id: DownloadID, of feed: FeedID? = nil) throws -> NameableDownload? {
    try read { try $0.nameable(id, of: feed) }
  }

  package func episodeIndexes(of feed: Feed.Key) throws -> [EpisodeID: Int64] {
    try read { try $0.episodeIndexes(of: feed) }
  }

  package func feedNames(after key: Feed.Key, limit: Int) throws -> [FeedName] {
    try read { try $0.feedNames(after: key, limit: limit) }
  }

  package func adoptableEpisodes(
    of feed: Feed.Key, after episode: EpisodeID?, limit: Int
  ) throws -> [AdoptableEpisode] {
    try read { try $0.adoptableEpisodes(of: feed, after: episode, limit: limit) }
  }

  package func adoption(of episode: EpisodeID) throws -> EpisodeAdoption {
    try read { try $0.adoption(of: episode) }
  }

  /// The downloads that are not completed and have durable bytes, in the order of their ids.
  package func downloadsWithBytes(after id: DownloadID?, limit: Int) throws -> [Download] {
    try read { try $0.downloadsWithBytes(after: id, limit: limit) }
  }

  /// The former files of this path, and those of this length whose SHA-256 is known.
  package func formerFiles(like file: FoundFile) throws -> [FormerFile] {
    try read { try $0.formerFiles(like: file) }
  }

  /// A failed download whose file belongs at this path.
  package func failedDownload(wanting place: EntryPath) throws -> DownloadID? {
    try read { try $0.failedDownload(wanting: place) }
  }

  /// Whether a file may be adopted for this download id: the download has failed, or there is none.
  package func canAdopt(_ owner: DownloadID) throws -> Bool {
    try read { try $0.canAdopt(owner) }
  }

  /// Whether a row of another download than this one, or of any, expects the file, by inode and length.
  package func isNeeded(
    _ file: FoundFile, otherThanBy id: DownloadID?, isAt: (LibraryPath) -> Bool
  ) throws -> Bool {
    try read { try $0.isNeeded(file, otherThanBy: id, isAt: isAt) }
  }

  /// Whose name a file has.
  package func name(of file: FoundFile, isAt: (LibraryPath) -> Bool) throws -> FileName {
    try read { try $0.name(of: file, isAt: isAt) }
  }

  /// A download that was removed, or failed, because its file of this length was gone, if the file's SHA-256 is
  /// unknown.
  package func lostFile(ofLength length: Int64) throws -> DownloadID? {
    try read { try $0.lostFile(ofLength: length) }
  }

  /// Whether a file is a sidecar, also one that a person has moved or changed.
  package func isSidecar(_ file: FoundFile) throws -> Bool {
    try read { try $0.isSidecar(file) }
  }

  /// Whether the engine created this folder.
  package func hasMade(_ folder: EntryPath) throws -> Bool {
    try read { try $0.hasMade(folder) }
  }
}
