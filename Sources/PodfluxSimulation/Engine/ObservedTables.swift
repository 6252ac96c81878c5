import Flux
import PodfluxCore

/// What a transaction has written, in order.
enum TableWrite {
  case row(Download)
  case noRow(DownloadID)
  /// Every row may have changed.
  case manyRows(BulkChange?, of: Condition, sparing: [DownloadID])
  /// The retries that were due after a moment are due at another one.
  case broughtForward(from: Timestamp, to: Timestamp)
  case savedCounts([DownloadState.Kind: Int])
  case owed(Deletion)
  case finished(DownloadID)
}

/// Notes of the present transaction. Confined to the simulation's one thread.
final class TransactionNotes {
  var writes: [TableWrite] = []
  var feedWrites: [FeedWrite] = []
  /// Whose debts may have changed.
  var debtors: Set<DownloadID> = []
  /// The rows of sessions, in the order in which they were written.
  var sessions: [Session] = []
  var forgottenSessions: [Session.Key] = []
  /// The covers that are people's from now on.
  var disownedCovers: [PublishedFile] = []
  /// Whether a search for room was in vain, in this transaction or one before.
  var hasSearchedInVain = false
  /// The downloads whose rows were written one by one.
  var writtenDownloads: [DownloadID] {
    writes.compactMap { if case .row(let row) = $0 { row.id } else { nil } }
  }
  /// Whether one statement has changed many rows.
  var changesMany: Bool {
    writes.contains { write in
      switch write {
      case .manyRows, .broughtForward: true
      case .row, .noRow, .savedCounts, .owed, .finished: false
      }
    }
  }
}

/// The real tables, watched. The sabotages that concern tables are built in here.
struct ObservedTables: ForwardingTables {
  let inner: any Tables
  let notes: TransactionNotes
  let sabotage: Sabotage?
  let isFirstStart: Bool

  var downloads: any DownloadTable {
    ObservedDownloads(inner: inner.downloads, notes: notes, sabotage: sabotage, isFirstStart: isFirstStart)
  }
  var deletions: any DeletionTable { ObservedDeletions(inner: inner.deletions, notes: notes, sabotage: sabotage) }
  var filters: any FilterTable { ObservedFilters(inner: inner.filters, sabotage: sabotage) }
  var sidecars: any SidecarTable { ObservedSidecars(inner: inner.sidecars, notes: notes, sabotage: sabotage) }
  var sessions: any SessionTable { ObservedSessions(inner: inner.sessions, notes: notes) }
  var rules: any RuleTable {
    ObservedRules(inner: inner.rules, episodes: inner.episodes, notes: notes, sabotage: sabotage)
  }
  var feeds: any FeedTable {
    ObservedFeeds(inner: inner.feeds, episodes: inner.episodes, notes: notes, sabotage: sabotage)
  }
  var episodes: any EpisodeTable {
    ObservedEpisodes(inner: inner.episodes, downloads: downloads, notes: notes, sabotage: sabotage)
  }
}

struct ObservedFilters: FilterTable {
  let inner: any FilterTable
  let sabotage: Sabotage?

  func save(_ state: FiltersState, over subject: FilterSubject) throws { try inner.save(state, over: subject) }

  func turn(to day: LocalDay) throws {
    if sabotage != .agesForgotten { try inner.turn(to: day) }
  }
}

struct ObservedDownloads: DownloadTable {
  let inner: any DownloadTable
  let notes: TransactionNotes
  let sabotage: Sabotage?
  let isFirstStart: Bool

  func insert(_ download: Download) throws {
    var download = download
    if sabotage == .holdForgotten { download.isHeld = false }
    try inner.insert(download)
    notes.writes.append(.row(download))
  }

  func update(_ download: Download) throws {
    try inner.update(download)
    notes.writes.append(.row(download))
  }

  func delete(_ id: DownloadID) throws {
    try inner.delete(id)
    notes.writes.append(.noRow(id))
  }

  func save(_ counts: [DownloadState.Kind: Int]) throws {
    try inner.save(counts)
    notes.writes.append(.savedCounts(counts))
  }

  func nextAdmissible(of session: Session.Key) throws -> Download? { try inner.nextAdmissible(of: session) }

  func nextAdmissible(where mayRun: (QueueLane) -> Bool) throws -> Download? {
    switch sabotage {
    case .hostLimitIgnored where !isFirstStart: try inner.nextAdmissible { _ in true }
    case .policyIgnored:
      try inner.nextAdmissible { lane in
        var lane = lane
        lane.policy = .any
        return mayRun(lane)
      }
    case .parkedForgotten: try inner.nextAdmissible { $0.session == nil && mayRun($0) }
    default: try inner.nextAdmissible(where: mayRun)
    }
  }

  func setNetwork(_ policy: NetworkPolicy, ofPodcast name: String) throws {
    try inner.setNetwork(policy, ofPodcast: name)
    notes.writes.append(.manyRows(nil, of: .everything, sparing: []))
  }

  func bringForward(retriesAfter latest: Timestamp, to moment: Timestamp) throws -> Bool {
    guard sabotage != .farRetriesKept, try inner.bringForward(retriesAfter: latest, to: moment) else { return false }
    notes.writes.append(.broughtForward(from: latest, to: moment))
    return true
  }

  func dueRetries(at now: Timestamp, limit: Int) throws -> [Download] {
    let due = try inner.dueRetries(at: now, limit: limit)
    guard sabotage == .retryForgetsResume else { return due }
    return due.map { download in
      var forgetful = download
      forgetful.progress = .init(total: download.progress.total)
      return forgetful
    }
  }

  func respace(_ priority: Priority, step: Int64) throws {
    try inner.respace(priority, step: step)
    notes.writes.append(.manyRows(nil, of: .everything, sparing: []))
  }

  func filter(_ ids: [DownloadID], by condition: Condition, at moment: ConditionMoment) throws -> Set<DownloadID> {
    try inner.filter(ids, by: condition, at: moment)
  }

  func apply(
    _ change: BulkChange, to condition: Condition, at moment: ConditionMoment, sparing: [DownloadID]
  ) throws -> [DownloadState.Kind: Int] {
    var changed = try inner.apply(change, to: condition, at: moment, sparing: sparing)
    notes.writes.append(.manyRows(change, of: condition, sparing: sparing))
    if sabotage == .counterDrift { changed[.queued] = nil }
    return changed
  }

  func release(_ id: DownloadID) throws {
    try inner.release(id)
    if let download = try inner.find(id) { notes.writes.append(.row(download)) }
  }

  func releaseAll() throws {
    try inner.releaseAll()
    notes.writes.append(.manyRows(nil, of: .everything, sparing: []))
  }

  func waitingForStorage(limit: Int) throws -> [Download] { try inner.waitingForStorage(limit: limit) }
  func awaitedByRules(ofAtMost bytes: Int64, limit: Int) throws -> [DownloadID] {
    try inner.awaitedByRules(ofAtMost: bytes, limit: limit)
  }
  func storedBytes() throws -> Int64 { try inner.storedBytes() }
  func completedBytes() throws -> Int64 { try inner.completedBytes() }
  func recountBytes() throws -> Bool { try inner.recountBytes() }
  func find(_ id: DownloadID) throws -> Download? { try inner.find(id) }
  func contains(_ id: DownloadID) throws -> Bool { try inner.contains(id) }
  func isClaimed(_ file: PublishedFile, otherThanBy id: DownloadID?) throws -> Bool {
    guard sabotage != .orphanNotRechecked else { return false }
    return try inner.isClaimed(file, otherThanBy: id)
  }
  func claimants(of file: FoundFile, otherThan id: DownloadID?) throws -> [Download] {
    guard sabotage != .orphanNotRechecked else { return [] }
    return try inner.claimants(of: file, otherThan: id)
  }
  func sharingPaths(_ condition: Condition, at moment: ConditionMoment) throws -> [DownloadID] {
    try inner.sharingPaths(condition, at: moment)
  }
  func completedDownloads(at path: LibraryPath, otherThan id: DownloadID) throws -> [DownloadID] {
    sabotage == .placeTakenTwice ? [] : try inner.completedDownloads(at: path, otherThan: id)
  }
  func holder(of file: FoundFile, otherThan id: DownloadID?) throws -> DownloadID? {
    try inner.holder(of: file, otherThan: id)
  }
  func find(_ address: WebAddress) throws -> DownloadID? { try inner.find(address) }
  func find(
    _ wish: DownloadIntent.Enqueue, of episode: Episode.Reference, where isFree: (DownloadID) -> Bool
  ) throws -> DownloadID? {
    if sabotage == .downloadShared { return try inner.find(wish.address) }
    return try inner.find(wish, of: episode, where: isFree)
  }
  func counts() throws -> [DownloadState.Kind: Int] { try inner.counts() }
  func running() throws -> [Download] { try inner.running() }
  func earliestRetry() throws -> Timestamp? { try inner.earliestRetry() }
  func position(of end: QueueEnd, in priority: Priority) throws -> Int64? {
    try inner.position(of: sabotage == .orderForgotten ? .first : end, in: priority)
  }
  func position(nextTo rank: Download.Rank, towards end: QueueEnd) throws -> Int64? {
    try inner.position(nextTo: rank, towards: end)
  }
}

struct ObservedDeletions: DeletionTable {
  let inner: any DeletionTable
  let notes: TransactionNotes
  let sabotage: Sabotage?

  func insert(_ deletion: Deletion, isReady: Bool) throws {
    try inner.insert(deletion, isReady: isReady || sabotage == .deletionWhileAlive)
    notes.writes.append(.owed(deletion))
    notes.debtors.insert(deletion.download)
  }

  func remove(_ key: Deletion.Key) throws -> DownloadID? {
    let download = try inner.remove(key)
    if let download {
      notes.writes.append(.finished(download))
      notes.debtors.insert(download)
    }
    return download
  }

  func spare(_ file: PublishedFile) throws -> [Deletion.Key] { try inner.spare(file) }
  func makeReady(_ download: DownloadID) throws {
    try inner.makeReady(download)
    notes.debtors.insert(download)
  }

  func postpone(_ key: Deletion.Key) throws -> DownloadID? {
    let download = try inner.postpone(key)
    if let download { notes.debtors.insert(download) }
    return download
  }

  func makeAllReady() throws {
    try inner.makeAllReady()
    for deletion in try inner.ready(limit: .max) { notes.debtors.insert(deletion.download) }
  }
  func makeReady(after key: Deletion.Key, limit: Int, sparing live: [DownloadID]) throws -> Deletion.Key? {
    let last = try inner.makeReady(after: key, limit: limit, sparing: live)
    for deletion in try inner.ready(limit: limit) { notes.debtors.insert(deletion.download) }
    return last
  }
  func ready(limit: Int) throws -> [Deletion] { try inner.ready(limit: limit) }
  func names(_ file: PublishedFile) throws -> Bool { try inner.names(file) }
  func isOwed(_ download: DownloadID) throws -> Bool { try inner.isOwed(download) }
  func holds(_ download: DownloadID) throws -> Bool { try inner.holds(download) }
  func owedPartial(of download: DownloadID) throws -> Deletion.Key? { try inner.owedPartial(of: download) }
  func owedMove(of file: PublishedFile, of download: DownloadID) throws -> Deletion.Key? {
    try inner.owedMove(of: file, of: download)
  }
}
