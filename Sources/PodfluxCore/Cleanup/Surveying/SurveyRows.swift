/// The rows that a survey compares with files. Each call is one short read: rows change between two of them.
package protocol SurveyRows {
  /// The position after a page of expected files.
  associatedtype ExpectedCursor
  /// The position before the first expected file.
  var firstExpected: ExpectedCursor { get }

  /// The files that rows expect, in the byte order of their paths. Cost: one look-up and the page.
  func expectedFiles(
    after cursor: ExpectedCursor, limit: Int
  ) throws -> (files: [ExpectedFile], next: ExpectedCursor?)
  func download(_ id: DownloadID) throws -> Download?
  /// A download, and what its file can be named after; nil if it is none of this feed, where one is named. Cost: a few
  /// look-ups; one for a download of another feed.
  func nameable(_ id: DownloadID, of feed: FeedID?) throws -> NameableDownload?
  /// The places of a feed's episodes among those that have a date, 1 for the oldest. Cost: the feed's episodes.
  func episodeIndexes(of feed: Feed.Key) throws -> [EpisodeID: Int64]
  /// The subscriptions after one, in the order of their keys.
  func feedNames(after key: Feed.Key, limit: Int) throws -> [FeedName]
  /// The episodes of a feed after one, in the order of their keys, and whether each has a download that is completed or
  /// running. Cost: the page.
  func adoptableEpisodes(of feed: Feed.Key, after episode: EpisodeID?, limit: Int) throws -> [AdoptableEpisode]
  /// The rows with which a file becomes the download of an episode.
  func adoption(of episode: EpisodeID) throws -> EpisodeAdoption
  /// The downloads that are not completed and have durable bytes, in the order of their ids.
  func downloadsWithBytes(after id: DownloadID?, limit: Int) throws -> [Download]
  /// See `CleanupEvidence`.
  func formerFiles(like file: FoundFile) throws -> [FormerFile]
  /// See `CleanupEvidence`.
  func failedDownload(wanting place: EntryPath) throws -> DownloadID?
  /// See `CleanupEvidence`.
  func canAdopt(_ owner: DownloadID) throws -> Bool
  /// Whether a row of another download than this one, or of any, expects the file.
  ///
  /// `isAt` says whether the file also has that row's path (link(2)).
  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?, isAt: (LibraryPath) -> Bool) throws -> Bool
  /// Whose name a file has. `isAt` says whether the file also has a row's path (link(2)).
  func name(of file: FoundFile, isAt: (LibraryPath) -> Bool) throws -> FileName
  /// See `CleanupEvidence`.
  func lostFile(ofLength length: Int64) throws -> DownloadID?
  /// See `CleanupEvidence`.
  func hasMade(_ folder: EntryPath) throws -> Bool
  /// See `CleanupEvidence`.
  func isSidecar(_ file: FoundFile) throws -> Bool
}
