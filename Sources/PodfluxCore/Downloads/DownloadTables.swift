import Flux

/// The tables of the downloads.
public protocol DownloadTables {
  /// The downloads.
  var downloads: any DownloadTable { get }
  /// What removed and damaged downloads left on the disk.
  var deletions: any DeletionTable { get }
  /// Which completed files are to be read again.
  var verifications: any VerificationTable { get }
  /// The files that downloads had.
  var formerFiles: any FormerFileTable { get }

  /// Writes until when a host is left alone; nil forgets it.
  func save(cooldownOf host: String, until moment: Timestamp?) throws
  /// Writes how many bytes were thrown away for a cause, of all downloads that there ever were.
  func save(discarded bytes: Int64, because cause: RestartCause) throws
}

/// The downloads' rows. Each call costs a bounded number of index look-ups unless it says otherwise.
public protocol DownloadTable {
  /// The download of this name.
  func find(_ id: DownloadID) throws -> Download?
  /// Whether a download, or another one than this, says that the file of this path, inode and length is its own, or is
  /// about to be.
  func isClaimed(_ file: PublishedFile, otherThanBy id: DownloadID?) throws -> Bool
  /// Whether a download, or another one than this, has a file of this number and length, wherever it lies by now.
  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool
  /// The completed downloads, but for this one, whose rows say that their files are at this place.
  func completedDownloads(at path: LibraryPath, otherThan id: DownloadID) throws -> [DownloadID]
  /// A download, or another one than this, that has a file of this number and length, wherever it lies by now.
  func holder(of file: FoundFile, otherThan id: DownloadID?) throws -> DownloadID?
  /// Whether there is a download of this name: cheaper than finding it, and asked for each one that is enqueued.
  func contains(_ id: DownloadID) throws -> Bool
  /// A download of this address that has not failed.
  func find(_ address: WebAddress) throws -> DownloadID?
  /// Adds a row.
  func insert(_ download: Download) throws
  /// Writes a row that exists.
  func update(_ download: Download) throws
  /// Deletes a row.
  func delete(_ id: DownloadID) throws

  /// How many rows there are in each state, as last saved.
  func counts() throws -> [DownloadState.Kind: Int]
  /// Keeps how many rows there are in some states, so that a start need not count them; those not named stay.
  func save(_ counts: [DownloadState.Kind: Int]) throws
  /// The rows that an engine which ended left running: at most as many as can run at once.
  func running() throws -> [Download]

  /// The queued download that comes first of those that are not held and that some hosts, origins and policies have: all
  /// downloads that are alike in these are passed over with one question.
  func nextAdmissible(where mayRun: (_ host: String, Origin, NetworkPolicy) -> Bool) throws -> Download?
  /// The first of those that wait for room on the disk, in the order in which they are to be looked at again.
  func waitingForStorage(limit: Int) throws -> [Download]
  /// How many bytes the files of all downloads have, complete and partial ones.
  func storedBytes() throws -> Int64
  /// Writes which networks the downloads of a podcast may use that say nothing themselves. Cost: the podcast's downloads.
  func setNetwork(_ policy: NetworkPolicy, ofPodcast name: String) throws
  /// When the first waiting download may try again.
  func earliestRetry() throws -> Timestamp?
  /// Waiting downloads whose time has come, the earliest first.
  func dueRetries(at now: Timestamp, limit: Int) throws -> [Download]

  /// The place of the first or last download of a priority.
  func position(of end: QueueEnd, in priority: Priority) throws -> Int64?
  /// The place next to this one, on the side of that end.
  func position(nextTo rank: Download.Rank, towards end: QueueEnd) throws -> Int64?
  /// Spreads the places of a priority's downloads evenly again, keeping their order. Cost: all rows of the priority.
  func respace(_ priority: Priority, step: Int64) throws

  /// Applies a change to every row that it may change and that meets the condition, other than running ones and those of
  /// these downloads.
  ///
  /// - Returns: how many rows of each state were changed. Cost: all rows concerned, in one statement.
  func apply(
    _ change: BulkChange, to condition: Condition, at moment: ConditionMoment, sparing: [DownloadID]
  ) throws -> [DownloadState.Kind: Int]
  /// Which of these downloads meet a condition.
  func filter(_ ids: [DownloadID], by condition: Condition, at moment: ConditionMoment) throws -> Set<DownloadID>

  /// Lets the scheduler see a download again, if nothing else holds it.
  func release(_ id: DownloadID) throws
  /// Lets the scheduler see all downloads again but those that wait for a deletion.
  func releaseAll() throws
}

/// An end of a queue.
public enum QueueEnd: Hashable, Sendable {
  case first, last
}

/// A change of all downloads at once.
public enum BulkChange: Hashable, Sendable {
  /// queued, waiting → paused.
  case pause
  /// paused, failed → queued.
  case resume
  /// failed, waiting → queued.
  case retry
  /// All but completed ones are forgotten; what they left is owed its deletion.
  case cancel
  /// All are forgotten; partials, and files if asked for, are owed their deletion.
  case remove(deletingFiles: Bool)
}

/// What is owed its deletion.
public protocol DeletionTable {
  /// Adds a deletion; one that is not ready waits for `makeReady`.
  func insert(_ deletion: Deletion, isReady: Bool) throws
  /// The attempt that may still use the download's files has ended.
  func makeReady(_ download: DownloadID) throws
  /// Those that could not be done, after this one in the order of their numbers, may be tried again, but those of these
  /// downloads. Returns the last one that was looked at; nil if there are no more.
  func makeReady(after key: Deletion.Key, limit: Int, sparing live: [DownloadID]) throws -> Deletion.Key?
  /// No attempt is alive: every deletion may be done.
  func makeAllReady() throws
  /// It cannot be done now: it waits for `makeAllReady`. Returns whose it is, nil if it was done before.
  func postpone(_ key: Deletion.Key) throws -> DownloadID?
  /// The first deletions that are ready, handed out or not.
  func ready(limit: Int) throws -> [Deletion]
  /// It is done. Returns whose it was, nil if it was done before.
  func remove(_ key: Deletion.Key) throws -> DownloadID?
  /// A file is about to get its name. Deletions of a file of that name and inode mean another one, which is gone: they
  /// name no file any more.
  ///
  /// - Returns: which deletions these are.
  func spare(_ file: PublishedFile) throws -> [Deletion.Key]
  /// Whether a file of this place and inode is owed its deletion, or its move to quarantine.
  func names(_ file: PublishedFile) throws -> Bool
  /// Whether something of this download is owed that its next attempt has to wait for: the deletion of its partial file, or
  /// a move to quarantine that is on its way. One that could not be done is in nobody's way: it leaves partial files alone.
  func holds(_ download: DownloadID) throws -> Bool
  /// Whether something of this download is owed its deletion, or its move to quarantine.
  func isOwed(_ download: DownloadID) throws -> Bool
  /// What deletes this download's partial file, if that is owed: what is owed its move to quarantine leaves it alone.
  func owedPartial(of download: DownloadID) throws -> Deletion.Key?
  /// What moves this file of the download to quarantine, if that is owed and can be done now.
  func owedMove(of file: PublishedFile, of download: DownloadID) throws -> Deletion.Key?
}

/// Which completed files are to be read again. The rows of a download that is removed go with it.
public protocol VerificationTable {
  /// Chooses a download's file, if it is completed. Returns whether it was not chosen before.
  func insert(_ download: DownloadID) throws -> Bool
  /// Chooses the files of all completed downloads that meet the condition. Returns how many were not chosen before.
  ///
  /// Cost: all rows, in one statement.
  func insertAll(meeting condition: Condition, at moment: ConditionMoment) throws -> Int
  /// The first of those that are owed, handed out or not, in the order in which they were chosen.
  func owed(limit: Int) throws -> [Verification]
  /// It is done. Returns whether it was owed: the download may have been removed meanwhile.
  func remove(_ key: Verification.Key) throws -> Bool
  /// The download is not completed any more: there is nothing to read.
  func forget(_ download: DownloadID) throws
}
