import Flux

/// The tables of feeds and their episodes.
package protocol PodcastTables {
  /// The subscriptions.
  var feeds: any FeedTable { get }
  /// The episodes of all feeds.
  var episodes: any EpisodeTable { get }
}

/// Hosts whose feeds are looked at.
package enum HostScope: Hashable, Sendable {
  /// The feeds of these hosts only.
  case only(Set<String>)
  /// The feeds of all hosts but these.
  case allBut(Set<String>)
}

/// What the scheduler says of a feed that is due.
package enum DueVerdict: Hashable, Sendable {
  /// The feed is not to be refreshed now.
  case passed
  case taken
  /// The feed is taken, and no slot is left on its host or at all.
  case takenAsLast
}

/// The subscriptions, to read. Each call costs a bounded number of index look-ups unless it says otherwise.
package protocol FeedTableReader {
  func find(_ id: FeedID) throws -> Feed?
  func find(_ key: Feed.Key) throws -> Feed?
  /// The feed at an address, or that was there before it moved.
  func find(at address: WebAddress) throws -> FeedID?
  /// The feeds that are due on these hosts and are taken, judged by their id and their lane (whose origin says
  /// nothing): first the one that has been due for longest, up to the one that is taken as the last. Feeds that are
  /// paused or have ended are never due. Cost: linear in the feeds that are passed or taken.
  ///
  /// - Parameter live: Feeds that are passed without being judged.
  func due(
    at now: Timestamp, on hosts: HostScope, besides live: Set<Feed.Key>,
    judging judge: (_ id: FeedID, _ lane: QueueLane) -> DueVerdict
  ) throws -> [Feed]
  /// When the first feed becomes due after this moment.
  func nextMoment(after now: Timestamp) throws -> Timestamp?
  /// How many feeds there are.
  func count() throws -> Int
}

/// The subscriptions, to read and to write. Each call costs a bounded number of index look-ups unless it says
/// otherwise.
package protocol FeedTable: FeedTableReader {
  /// Adds a feed that the engine has not refreshed yet. Returns its key.
  func insert(
    _ id: FeedID, at address: WebAddress, wishes: Feed.Wishes, session: Session.Key?, next: Timestamp, added: Timestamp
  ) throws -> Feed.Key
  func update(_ feed: Feed) throws
  /// Writes no more of a feed than what every refresh may change: `refreshes` without the former addresses, and
  /// `episodes`.
  func updateRefreshes(of feed: Feed) throws
  /// Forgets a feed. No other table shows its episodes from now on; `EpisodeTable.forgetLeft` deletes them.
  func delete(_ key: Feed.Key) throws
  /// Makes all feeds due now that have not ended. Returns how many there are. Cost: linear in the feeds.
  func makeAllDue(at now: Timestamp) throws -> Int
  /// Makes the feeds due at a moment that are due after another one. Returns whether there are any.
  @discardableResult
  func bringForward(dueAfter latest: Timestamp, to moment: Timestamp) throws -> Bool
  /// Makes the feeds of a session due now whose last refresh was refused (401), unless they are paused or have ended.
  /// Cost: linear in the session's feeds.
  func makeRefusedDue(of session: Session.Key, at now: Timestamp) throws
}

/// The result of updating an episode's row.
package struct UpdatedEpisode: Hashable, Sendable {
  /// The download that was made for it last; it may be gone.
  package let download: DownloadID?

  package init(download: DownloadID?) {
    self.download = download
  }
}

/// The episodes of all feeds, to read.
package protocol EpisodeTableReader {
  func find(_ id: EpisodeID) throws -> Episode?
  /// The newest of the episodes that have this download.
  func find(having download: DownloadID) throws -> Episode?
  /// An episode's place among those of its feed that have a date, 1 for the oldest; nil if it has none. Cost: linear in
  /// the episodes of its feed.
  func index(of episode: Episode) throws -> Int64?
  /// The addresses that an episode's enclosure had before, as far as they are kept.
  func formerEnclosures(of episode: EpisodeID) throws -> [WebAddress]
  /// What the library keeps of an episode's notes; nil if it has none.
  func notes(of episode: EpisodeID) throws -> EpisodeNotes?
  /// Whether the library has notes of an episode. It does not read them.
  func hasNotes(_ episode: EpisodeID) throws -> Bool
  /// The first episodes that meet a condition and have an enclosure, in the order of their ids, without those whose
  /// download exists.
  func wanted(_ condition: EpisodeCondition, at moment: ConditionMoment, limit: Int) throws -> [Episode]
  /// The downloads of a feed's episodes that exist.
  func downloads(of feed: Feed.Key) throws -> [DownloadID]
  /// The downloads of a feed's episodes that no episode of another feed has.
  func ownDownloads(of feed: Feed.Key) throws -> [DownloadID]
}

/// The episodes of all feeds, to read and to write.
package protocol EpisodeTable: EpisodeTableReader {
  /// Adds episodes with their notes, and records which of them appear later than their date says that they should.
  /// Returns their ids, in the same order.
  @discardableResult
  func insert(
    _ contents: [EpisodeContent], of feed: Feed.Key, added: Timestamp, isBackdated: (EpisodeContent) -> Bool
  ) throws -> [EpisodeID]
  /// Replaces what a feed says of an episode, and its notes if the change has some. Returns nil if the feed has no such
  /// episode.
  func update(_ change: RefreshReport.EpisodeChange, of feed: Feed.Key) throws -> UpdatedEpisode?
  /// Deletes some episodes of feeds that are gone, at most so many. Returns whether there may be more.
  func forgetLeft(limit: Int) throws -> Bool
  /// Notes whether the feed has these episodes.
  func setMissing(_ isMissing: Bool, _ episodes: [EpisodeID], of feed: Feed.Key) throws
  func setDownload(_ download: DownloadID, of episode: EpisodeID) throws
  /// Marks an episode. Returns whether that changed it; nil if there is no such episode.
  func mark(_ episode: EpisodeID, _ marking: PodcastIntent.EpisodeMarking) throws -> Bool?
  /// Marks all episodes that meet a condition. Returns how many changed. Cost: one statement, linear in the episodes
  /// that the condition looks at.
  func mark(
    _ condition: EpisodeCondition, _ marking: PodcastIntent.EpisodeMarking, at moment: ConditionMoment
  ) throws -> Int
}

extension EpisodeTable {
  /// Adds episodes that appear in time. Returns their ids, in the same order.
  @discardableResult
  package func insert(_ contents: [EpisodeContent], of feed: Feed.Key, added: Timestamp) throws -> [EpisodeID] {
    try insert(contents, of: feed, added: added) { _ in false }
  }
}
