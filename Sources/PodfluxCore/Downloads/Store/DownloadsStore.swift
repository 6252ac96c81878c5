import Flux

/// Events by which the downloads inform other stores.
package enum DownloadsEvent: Sendable {
  /// An attempt has fetched so many bytes over cellular.
  case fetchedOverCellular(Int64)
  /// An episode has got a download.
  case enqueued(EpisodeID, DownloadID, isNew: Bool)
  /// The file is back that a rule had downloaded for an episode, and so is its download.
  case returned(EpisodeID)
  /// A download that a rule has asked for is completed.
  case finished(DownloadID)
  /// A download is completed; posted only where the setting asks for sidecars.
  case completed(DownloadID)
  /// A completed download was removed, with its file or without it.
  case removed(DownloadID, PublishedFile, withFile: Bool)
  /// Many downloads were removed in one statement.
  case removedMany
  /// A completed download's file is gone or damaged, and the download is not completed any more.
  case lost(DownloadID, PublishedFile)
  /// Another program has changed the content of a completed download's file, which stays completed.
  case edited(DownloadID)
  /// The storage quota leaves no room for something, or not as much as before.
  case lacksRoom
  /// Downloads that rules have asked for and that had failed are tried again.
  case retriedForRules
  /// An attempt of a download has failed, and its file may be elsewhere: the download has failed, or waits.
  case failedAtAddress(DownloadID)
  /// The engine has made folders for a file.
  case madeFolders([LibraryPath])
  /// What downloads find about their sessions.
  case session(SessionSignal)
  /// A step of the cleanup has been applied to the rows, or could not be.
  case applied(CleanupStep, StepOutcome)
  /// A round of the upkeep is done: postponed deletions after this one are left, none if it is nil; and whether former
  /// files are, where they were asked for.
  case didRound(nextDeletion: Deletion.Key?, areFormerFilesDone: Bool?)

  /// What became of a step's rows.
  package enum StepOutcome: Hashable, Sendable {
    /// The rows are as the step says, and nothing is left to do.
    case done
    /// The rows are not as the step says; one sentence says why.
    case left(String)
    /// The rows are as the step says, and this deletion removes the file: the step ends with the deletion.
    case owed(Deletion.Key)
  }
}

/// The downloads: which there are, what state each is in, which of them run.
///
/// Rows live in the table; memory holds what is active (`live`) and running counts, so it does not grow with the
/// library. Its aspects: `+Intents` (what clients want), `+Reports` (what attempts report), `+Scheduling` (which ones
/// run), `+Order` (places in the queue), `+Obstacles` (what keeps them from running), `+Sessions` (their logins),
/// `+Storage` (room on the disk), `+Quota` (what the quota leaves), `+WaitingList` (who gets it), `+Deletions`,
/// `+Verifying` (files that are read again), `+Steps` (what the cleanup changes), `+Episodes` (whose files they are).
package struct DownloadsStore: DomainStore {
  /// The parts of other stores that this store reads.
  package struct Context: Sendable {
    /// The engine's lifecycle: whether it works, suspends or stops.
    var lifecycle: LifecycleStore
    var settings: Settings
    var network: NetworkStore
    var sessions: SessionsView
    /// The steps of a cleanup that are under way.
    var steps: OwedWork<CleanupStep>
  }

  /// The attempts that have not ended, and what is known of them beyond their rows: at most `Settings.maxConcurrent`
  /// that transfer, and some that publish.
  package internal(set) var live: [DownloadID: LiveAttempt] = [:]
  /// Bytes that were fetched and thrown away, of all downloads that there ever were.
  package internal(set) var discarded: Download.Discarded
  /// What keeps downloads from running, as of the last turn.
  package internal(set) var obstacles = Obstacles()
  /// When the first of those that wait is to be looked at again; nil if none waits for a moment.
  package internal(set) var nextMoment: Timestamp?

  private var stateCounts: StateCounts
  /// The cooldowns of hosts, and the local hosts that have redirected to other machines.
  var hosts: HostWatch
  /// Whether the schedule lets downloads run now, and when that changes.
  var schedule = ScheduleWatch()
  /// The downloads that wait for room.
  var room = RoomWatch()
  /// The deletions that removed and damaged downloads are owed.
  var deletions = OwedWork<Deletion>(limit: Self.deletionsAtOnce)
  /// The completed files that are read again, or moved.
  var checks = FileChecks()
  /// The episodes that have got these downloads in this turn: their rows say so only when all have heard of it.
  var assigned: [DownloadID: Set<Episode.Reference>] = [:]
  /// When more of the downloads fail whose sessions could not log in; nil if none is left.
  var refusesAt: Timestamp?

  /// Makes the store with what its tables hold.
  package init(
    counts: [DownloadState.Kind: Int], cooldowns: [String: Timestamp] = [:], discarded: Download.Discarded = .init()
  ) {
    stateCounts = StateCounts(counts)
    hosts = HostWatch(cooldowns: cooldowns)
    self.discarded = discarded
  }

  /// How many downloads are in each state.
  package var counts: [DownloadState.Kind: Int] { stateCounts.current }

  /// Hosts that are not asked before a moment, because they have said so.
  package var cooldowns: [String: Timestamp] { hosts.cooldowns }

  /// Hosts on loopback that have led elsewhere, as many as there were since the start: they need a path like others.
  package var departing: Set<String> { hosts.departing }

  /// Bytes that arrive in a second, all running transfers together.
  package var bytesPerSecond: Int64 {
    live.values.reduce(0) { $0 + $1.rate }
  }

  /// Whether an attempt is alive.
  package var hasLiveWork: Bool { !live.isEmpty }

  /// Whether files are being deleted or verified: a drain waits for that.
  package var owesWork: Bool { isDeleting || !checks.owed.underWay.isEmpty }

  /// Whether downloads wait for a moment: then they go on by themselves, if this engine starts any.
  var hasWaiting: Bool { counts[.waiting, default: 0] != 0 }

  /// Whether files are being deleted, or will be once the attempt of a removed download has ended.
  var isDeleting: Bool { !deletions.underWay.isEmpty || live.values.contains(where: \.isDisowned) }

  /// Takes in what clients want and what services report.
  package mutating func handle(
    _ action: Action, in turn: inout StoreTurn<Self>, reading context: Context
  ) throws -> Reply? {
    let settings = context.settings
    switch action {
    case .intent(.downloads(let intent)): return try handle(intent, reading: context, in: &turn)
    case .attempt(let report): try handle(report, reading: context, in: &turn)
    case .recovered(let recovery): try recover(recovery, settings: settings, in: &turn)
    case .intent(.stop): if context.lifecycle.isEnding { stopAttempts(in: &turn) }
    case .deleted(let key): try finishDeletion(key, in: &turn)
    case .notDeleted(let key, _): try postponeDeletion(key, in: &turn)
    case .verified(let verification, let verdict): try finish(verification, verdict, context.steps, in: &turn)
    case .timeCame: try wakeWaiting(settings: settings, in: &turn)
    case .roomCame(let bytes): try wake(withRoom: bytes, settings: settings, in: &turn)
    default: break
    }
    return nil
  }

  /// Follows changed settings, applies the steps of a cleanup, and does its part of the upkeep.
  package mutating func receive(_ event: StoreEvent, in turn: inout StoreTurn<Self>, reading context: Context) throws {
    switch event {
    case .settings(.changed(let former)): try follow(context.settings, from: former, in: &turn)
    case .podcasts(.wanted(let episode, let wish)), .rules(.wanted(let episode, let wish)):
      let (id, isNew) = try enqueue(wish, reading: context, in: &turn)
      assign(id, to: wish.episode)
      turn.tell(.downloads(.enqueued(episode, id, isNew: isNew)))
    case .podcasts(.claimed(_, let id)): try claim(id, in: turn)
    case .downloads(.enqueued(let episode, let id, _)): unassign(id, from: episode)
    case .podcasts(.renewed(let id, let wish)): try renew(id, as: wish, reading: context, in: &turn)
    case .sessions(.made(let session, for: .download(let id))): try set(session, of: id, in: &turn)
    case .podcasts(.sessionChanged(let ids, let former, let session)):
      try follow(session, from: former, ids, reading: context, in: &turn)
    case .cleanup(.renaming(let id, let path)): checks.renames[id] = path
    case .cleanup(.endedRenaming(let step, let isMoved)): try endRenaming(step, isMoved: isMoved, in: turn)
    case .podcasts(.unwanted(let ids)): _ = try change(ids, by: .remove(deletingFiles: true), in: &turn)
    case .rules(.unwanted(let ids, let heir)):
      for id in ids {
        guard let download = try turn.tables.downloads.find(id) else { continue }
        try forget(download, deletingFile: true, sparingEdits: true, in: &turn)
      }
      if let heir { try promiseRoom(to: heir, in: turn) }
    case .cleanup(.apply(let step)): turn.tell(.downloads(.applied(step, try apply(step, in: &turn))))
    case .upkeep(.began): try retryWhatRulesWant(in: &turn)
    case .upkeep(.round(let key, let forgetsFormerFiles)):
      let next = try retryDeletions(after: key, in: turn)
      let areDone = forgetsFormerFiles ? try forgetFormerFiles(in: turn) : nil
      turn.tell(.downloads(.didRound(nextDeletion: next, areFormerFilesDone: areDone)))
    default: break
    }
  }

  /// Starts what may run, hands out what is owed, and stops what may not run any more.
  package mutating func endBatch(in turn: inout StoreTurn<Self>, reading context: Context) throws {
    let (lifecycle, settings) = (context.lifecycle, context.settings)
    if lifecycle.isScheduling {
      try seeObstacles(reading: context, in: &turn)
      try refuseWhatCannotLogIn(reading: context, in: &turn)
      try admit(reading: context, in: &turn)
      if lacksWaitingList {
        // Downloads of rules have just begun to wait for room: queued ones of newer episodes start in the same turn.
        try seeObstacles(reading: context, in: &turn)
        try admit(reading: context, in: &turn)
      }
      try lookForQuotaNeeds(settings, in: &turn)
      try handOutDeletions(in: &turn)
      try handOutVerifications(in: &turn)
    }
    tellOfVerifications(lifecycle, in: &turn)
    try stateCounts.save(in: turn)
    if lifecycle.isScheduling { nextMoment = try firstMoment(in: turn) }
  }

  /// Writes a download's change of state.
  ///
  /// - Throws: `StateFault` for what the transition table forbids: the store looks before it goes, so that the row is
  ///   not what it was when it looked.
  mutating func transition(
    _ download: inout Download, to state: DownloadState, in turn: borrowing StoreTurn<Self>
  ) throws {
    guard download.state.canBecome(state) else {
      throw StateFault("no way leads from \(download.state.kind) to \(state.kind) for \"\(download.id)\"")
    }
    count(download.state.kind, -1)
    count(state.kind, +1)
    download.state = state
    if state.file == nil { download.tagging = nil }
    try turn.tables.downloads.update(download)
    noteArrival(of: download)
  }

  /// Writes what has changed of a download beside its state.
  mutating func update(_ download: Download, in turn: borrowing StoreTurn<Self>) throws {
    // A waiting download may need another amount of room now.
    if case .waiting = download.state { room.isStale = true }
    try turn.tables.downloads.update(download)
  }

  /// The row that an attempt works for; nil once that is gone.
  func download(of attempt: AttemptID, in turn: borrowing StoreTurn<Self>) throws -> Download? {
    guard live[attempt.download]?.isDisowned == false else { return nil }
    return try turn.tables.downloads.find(attempt.download)
  }

  mutating func count(_ kind: DownloadState.Kind, _ change: Int) {
    stateCounts.change(kind, by: change)
    // A download that left the state may have waited for room, and have obstructed others.
    if kind == .waiting, change < 0 { room.isStale = true }
  }
}

extension DownloadsStore.Context {
  /// Copies what this context has of the stores.
  init(_ stores: borrowing Stores) {
    lifecycle = stores.lifecycle
    settings = stores.settings.settings
    network = stores.network
    sessions = stores.sessions.view
    steps = stores.cleanup.steps
  }
}
