import Flux

/// The port of the tables that the downloads' store writes. All calls belong to the turn's transaction.
package protocol DownloadTables {
  var downloads: any DownloadTable { get }
  /// Pending deletions of files that removed and damaged downloads left on the disk.
  var deletions: any DeletionTable { get }
  /// Pending verifications of completed files.
  var verifications: any VerificationTable { get }
  /// The former files of downloads.
  var formerFiles: any FormerFileTable { get }

  /// Writes the end of a host's cooldown; nil removes it.
  func save(cooldownOf host: String, until moment: Timestamp?) throws
  /// Writes the total of bytes discarded for a cause, of all downloads ever.
  func save(discarded bytes: Int64, because cause: RestartCause) throws
}

extension DownloadTables where Self: ForwardingTables {
  /// The tables behind, unchanged.
  package var verifications: any VerificationTable { inner.verifications }
  /// The tables behind, unchanged.
  package var formerFiles: any FormerFileTable { inner.formerFiles }

  /// To the tables behind, unchanged.
  package func save(cooldownOf host: String, until moment: Timestamp?) throws {
    try inner.save(cooldownOf: host, until: moment)
  }

  /// To the tables behind, unchanged.
  package func save(discarded bytes: Int64, because cause: RestartCause) throws {
    try inner.save(discarded: bytes, because: cause)
  }
}

/// A lane: the queued downloads of one host, origin, network policy and session.
///
/// The same obstacles stop all downloads of a lane, so that one look at the lane decides for all of them, and the table
/// keeps the first download of each lane. Due feeds are judged by lanes in the same way.
package struct QueueLane: Hashable, Sendable {
  package var host: String
  package var origin: Origin
  /// The effective policy.
  package var policy: NetworkPolicy
  package var session: Session.Key?

  package init(host: String, origin: Origin, policy: NetworkPolicy, session: Session.Key? = nil) {
    self.host = host
    self.origin = origin
    self.policy = policy
    self.session = session
  }
}

extension Download {
  /// The lane in which the download stands while it is queued.
  var lane: QueueLane {
    QueueLane(host: source.host, origin: origin, policy: networks.effective, session: session)
  }
}

/// The downloads' rows, to read. Each call costs a bounded number of index look-ups unless it says otherwise.
package protocol DownloadTableReader {
  func find(_ id: DownloadID) throws -> Download?
  /// Whether a download, or one other than this, records the file with this path, inode and length as its own, or as
  /// about to be.
  func isClaimed(_ file: PublishedFile, otherThanBy id: DownloadID?) throws -> Bool
  /// The downloads, except this one, that claim a file at any path (see `PublishedFile.claims`): some of them, if they
  /// are many.
  func claimants(of file: FoundFile, otherThan id: DownloadID?) throws -> [Download]
  /// The completed downloads that meet a condition and record the path of another one's file, too: at most one of them
  /// has it. Cost: linear in those that meet it.
  func sharingPaths(_ condition: Condition, at moment: ConditionMoment) throws -> [DownloadID]
  /// The completed downloads, except this one, whose files have this path.
  func completedDownloads(at path: LibraryPath, otherThan id: DownloadID) throws -> [DownloadID]
  /// A download, or one other than this, with a file of this inode and length, at any path.
  func holder(of file: FoundFile, otherThan id: DownloadID?) throws -> DownloadID?
  /// Whether there is a download with this id: cheaper than finding it, and called for every enqueue.
  func contains(_ id: DownloadID) throws -> Bool
  /// A download of this address that has not failed.
  func find(_ address: WebAddress) throws -> DownloadID?
  /// The download of an episode's address that resembles the episode most (``EpisodeResemblance``), has not failed, and
  /// is free and no other's of the episode's feed. Cost: at most 2 · `DownloadIntent.Enqueue.lookedAt` look-ups.
  func find(
    _ wish: DownloadIntent.Enqueue, of episode: Episode.Reference, where isFree: (DownloadID) -> Bool
  ) throws -> DownloadID?

  /// The stored number of rows in each state.
  func counts() throws -> [DownloadState.Kind: Int]
  /// The rows that an engine which ended left running: at most as many as can run at once.
  func running() throws -> [Download]

  /// The first queued download that is not held and whose lane may run: `mayRun` is called once for all downloads of a
  /// lane.
  func nextAdmissible(where mayRun: (QueueLane) -> Bool) throws -> Download?
  /// The first queued download of a session that is not held.
  func nextAdmissible(of session: Session.Key) throws -> Download?
  /// The first of the downloads that wait for storage, in the order of their next checks.
  func waitingForStorage(limit: Int) throws -> [Download]
  /// The downloads that rules have asked for, and that are queued or wait for storage: those of the newest episodes
  /// first, without such as are known, or said, to be longer than so many bytes. One may be named twice. Cost: linear
  /// in what rules have downloaded of newer episodes.
  func awaitedByRules(ofAtMost bytes: Int64, limit: Int) throws -> [DownloadID]
  /// The total size of all downloads' files, complete and partial ones.
  func storedBytes() throws -> Int64
  /// The total size of the complete files alone.
  func completedBytes() throws -> Int64
  /// The earliest time at which a waiting download may try again.
  func earliestRetry() throws -> Timestamp?
  /// Waiting downloads whose time has come, the earliest first.
  func dueRetries(at now: Timestamp, limit: Int) throws -> [Download]

  /// The position of the first or last download of a priority.
  func position(of end: QueueEnd, in priority: Priority) throws -> Int64?
  /// The next position in the direction of that end.
  func position(nextTo rank: Download.Rank, towards end: QueueEnd) throws -> Int64?

  /// The subset of these downloads that meets a condition.
  func filter(_ ids: [DownloadID], by condition: Condition, at moment: ConditionMoment) throws -> Set<DownloadID>
}

/// The downloads' rows, to read and to write. Each call costs a bounded number of index look-ups unless it says
/// otherwise.
package protocol DownloadTable: DownloadTableReader {
  func insert(_ download: Download) throws
  func update(_ download: Download) throws
  func delete(_ id: DownloadID) throws

  /// Stores the number of rows in some states, so that a start need not count them; other states stay unchanged.
  func save(_ counts: [DownloadState.Kind: Int]) throws
  /// Moves the retries that are due after a moment to another one. Returns whether there are any.
  @discardableResult
  func bringForward(retriesAfter latest: Timestamp, to moment: Timestamp) throws -> Bool
  /// Counts both anew. Cost: all rows.
  ///
  /// - Returns: Whether they had been counted wrongly: the disk or another program has changed the sum.
  func recountBytes() throws -> Bool
  /// Writes the network policy of a podcast, for its downloads without their own. Cost: the podcast's downloads.
  func setNetwork(_ policy: NetworkPolicy, ofPodcast name: String) throws
  /// Respaces the positions of a priority's downloads evenly, keeping their order. Cost: all rows of the priority.
  func respace(_ priority: Priority, step: Int64) throws

  /// Applies a change to every row that it may change and that meets the condition, except running ones and these
  /// downloads'.
  ///
  /// - Returns: The number of changed rows per former state. Cost: all these rows, in one statement.
  func apply(
    _ change: BulkChange, to condition: Condition, at moment: ConditionMoment, sparing: [DownloadID]
  ) throws -> [DownloadState.Kind: Int]

  /// Ends the hold of a download, if nothing else holds it.
  func release(_ id: DownloadID) throws
  /// Ends the hold of all downloads except those that wait for a deletion.
  func releaseAll() throws
}

/// The end of a priority's queue at which downloads are put.
package enum QueueEnd: Hashable, Sendable {
  case first, last
}

/// A change of many downloads at once. Downloads in other states than the named ones stay as they are.
package enum BulkChange: Hashable, Sendable {
  /// queued, waiting → paused.
  case pause
  /// paused, failed → queued.
  case resume
  /// failed, waiting → queued.
  case retry
  /// Removes all but completed ones; deletions of their files become pending.
  case cancel
  /// Removes all; deletions of partial files, and of files if requested, become pending.
  case remove(deletingFiles: Bool)
}

/// The pending deletions, to read.
package protocol DeletionTableReader {
  /// The first deletions that are ready, issued or not.
  func ready(limit: Int) throws -> [Deletion]
  /// Whether a deletion, or a move to quarantine, of a file with this path and inode is pending.
  func names(_ file: PublishedFile) throws -> Bool
  /// Whether the download's next attempt must wait for a pending deletion of its partial file, or for a running move to
  /// quarantine. A failed move does not hold it: moves leave partial files alone.
  func holds(_ download: DownloadID) throws -> Bool
  /// Whether a deletion, or a move to quarantine, of the download is pending.
  func isOwed(_ download: DownloadID) throws -> Bool
  /// The pending deletion of this download's partial file, if any; a move to quarantine leaves it alone.
  func owedPartial(of download: DownloadID) throws -> Deletion.Key?
  /// The pending move of this file to quarantine, if it can be done now.
  func owedMove(of file: PublishedFile, of download: DownloadID) throws -> Deletion.Key?
}

/// The pending deletions, to read and to write.
package protocol DeletionTable: DeletionTableReader {
  /// Adds a deletion; one that is not ready waits for `makeReady`.
  func insert(_ deletion: Deletion, isReady: Bool) throws
  /// Makes a download's deletions ready: the attempt that may use its files has ended.
  func makeReady(_ download: DownloadID) throws
  /// Makes failed deletions ready again, in the order of their numbers after this one, except those of these downloads.
  /// Returns the last one checked; nil if there are no more.
  func makeReady(after key: Deletion.Key, limit: Int, sparing live: [DownloadID]) throws -> Deletion.Key?
  /// Makes every deletion ready: no attempt is alive.
  func makeAllReady() throws
  /// A deletion failed: it waits for `makeAllReady`. Returns its download, nil if it was done before.
  func postpone(_ key: Deletion.Key) throws -> DownloadID?
  /// A deletion is done. Returns its download, nil if it was done before.
  func remove(_ key: Deletion.Key) throws -> DownloadID?
  /// A file is about to be published. Deletions of a file with its path and inode mean a former one, which is gone:
  /// removes the file from them.
  ///
  /// - Returns: These deletions.
  func spare(_ file: PublishedFile) throws -> [Deletion.Key]
}

/// The pending verifications of completed files. The rows of a removed download are removed with it.
package protocol VerificationTable {
  /// Adds a verification of a completed download's file. Returns false if it was pending already.
  func insert(_ download: DownloadID) throws -> Bool
  /// Adds verifications of all completed downloads that meet the condition. Returns how many were new.
  ///
  /// Cost: all rows, in one statement.
  func insertAll(meeting condition: Condition, at moment: ConditionMoment) throws -> Int
  /// The first pending verifications, issued or not, in the order of requests.
  func owed(limit: Int) throws -> [Verification]
  /// A verification is done. Returns whether it was pending: the download may have been removed meanwhile.
  func remove(_ key: Verification.Key) throws -> Bool
  /// Removes a verification: the download is no longer completed.
  func forget(_ download: DownloadID) throws
}
