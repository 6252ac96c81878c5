import Flux
import PodfluxCore

/// Checks every turn. It keeps its own copy of the rows, built from the writes, so that checking all of them costs no
/// query.
///
/// Aspects: `+Rows` (rows), `+Effects` (effects and services), `+End` (the final state).
final class InvariantChecker {
  /// The committed rows.
  private(set) var rows: [DownloadID: Download] = [:]
  /// The downloads with a pending deletion.
  private(set) var owed: Set<DownloadID> = []
  /// The downloads of `owed` with a partial file to delete: their next attempts must wait.
  private(set) var owedPartials: Set<DownloadID> = []
  /// The downloads of `owed` whose next attempts may wait.
  private(set) var holding: Set<DownloadID> = []
  /// The published files with a pending deletion, by download.
  private(set) var condemned: [DownloadID: [PublishedFile]] = [:]
  /// Partial files that another program has changed: their rows may be wrong through no fault of the engine.
  var tampered: Set<DownloadID> = []
  /// The issued steps.
  var handedSteps: [CleanupStep.Key: HandedStep] = [:]
  /// The run of each issued step.
  var handedRuns: [CleanupStep.Key: CleanupRun.Key] = [:]
  /// The downloads whose files were not at their paths as the last run looked.
  var awayFiles: [CleanupRun.Key: Set<DownloadID>] = [:]
  /// Steps whose files were confirmed for following, and whose rows may not have followed yet.
  var confirmedMoves: [DownloadID: CleanupStep] = [:]
  /// The files that people have dropped, by their paths.
  var adoptable: [String: DroppedFile] = [:]
  /// What a run that adopts could see when it began to look.
  var adoptionScene: AdoptionScene?
  /// The last plan of one, if nothing changed while it looked.
  var adoptionPlan: AdoptionPlan?
  /// Whether the last checked cleanup had found damaged files.
  var hasFoundCorruption = false
  /// The steps of that cleanup.
  var checkedSteps: [CleanupStep] = []
  /// The quarantine at the end of that cleanup.
  var checkedQuarantine = CheckedQuarantine()
  /// Whether it has made downloads fetch files again.
  var hasFetchedAgain = false
  private var checkedRun: CleanupRun.Key?
  /// Damaged files in quarantine.
  var quarantined: [SimulatedFile] = []
  /// After how many days each run's survey takes files in quarantine for expired.
  var quarantineDays: [CleanupRun.Key: Int] = [:]
  /// The latest moment that the wall clock has shown before it was set.
  var latestWall = Timestamp(milliseconds: 0)
  private(set) var position = LogPosition.origin
  private(set) var savedCounts: [DownloadState.Kind: Int] = [:]
  private var turns = 0
  /// The attempts of this session that have ended.
  var ended: Set<AttemptID> = []
  /// The attempts that have reported `publishing`, and hold no slot any more.
  var publishing: Set<AttemptID> = []
  /// The bytes that came over the network in each living attempt.
  var traffic: [AttemptID: Traffic] = [:]
  /// The fetches of sidecars whose bytes count as cellular.
  var cellularFetches: Set<SidecarFetch.ID> = []
  /// The bytes that came over cellular, according to attempts' reports.
  var usage = CellularUsage()
  /// What tags show and has come as a whole, for each living attempt.
  var served: [AttemptID: [TagMaterial.Part: [UInt8]]] = [:]
  /// The sidecars that people have removed or changed, as looks at their files have told.
  var removed: Set<Sidecar.Key> = []
  /// The downloads whose files an attempt has brought, and no person: an adopted file gets no sidecars by itself.
  var fetched: Set<DownloadID> = []
  /// The downloads whose files have got another name, or were followed.
  var hasFollowed: Set<DownloadID> = []
  /// The completed downloads whose rows have followed files of another length: a person has changed them.
  var edited: Set<DownloadID> = []
  /// The committed rows of sessions.
  var sessions: [Session.Key: Session] = [:]
  /// The hosts that want to be left alone.
  var resting = RestingHosts()
  /// The causes that have made rules due since the library was opened.
  var ruleCauses = RuleCauses()
  /// Feeds and episodes.
  let feeds = FeedModel()

  /// How often the copy is compared with the tables, in turns.
  private static let comparisonInterval = 100

  /// The changes of a batch that checks need.
  struct Changes {
    /// The written rows with their former values; nil for new ones.
    var before: [DownloadID: Download?] = [:]
    var hasNewOrder = false
    var hasManyRows = false
    /// What waits no longer for a moment that only a wrong clock can have set.
    var broughtForward: Set<DownloadID> = []
    /// The cleanup steps that the batch reports as done.
    var finishedSteps: [CleanupStep] = []
    /// Files for which the batch added a pending deletion.
    var owedFiles: [PublishedFile] = []
    /// The rows that the batch has removed, as they were written last.
    var removedRows: [DownloadID: Download] = [:]
  }

  /// A batch was committed.
  func committed(_ batch: Batch, in process: SimulatedProcess) throws {
    turns += 1
    let world = process.world
    try checkPosition(batch, process.ledger)
    let rowsBefore = rows
    let finished = finishedSteps(in: batch, process.ledger)
    tell(&world.client, of: finished, process.ledger, on: world.disk)
    var changes = try follow(process.ledger, batch, in: world)
    changes.finishedSteps = finished
    noteCauses(batch)
    noteRests(batch, rowsBefore)
    try followSessions(process.ledger, in: process)
    try checkFeeds(batch, changes, in: process)
    noteRemovedSidecars(batch)
    for cover in process.ledger.notes.disownedCovers { world.disk.disown(cover) }
    noteFetched(batch)
    for step in finished { if let id = step.finding.download { hasFollowed.insert(id) } }
    noteResults(batch, rowsBefore, world)
    complete(finished, in: &world.client, process.ledger)
    for id in changes.before.keys.sorted() {
      guard let row = rows[id] else { continue }
      try check(row, before: changes.before[id] ?? nil, changes, batch, world)
    }
    try checkAll(process, changes)
    try checkTraffic(batch, process)
    if turns % Self.comparisonInterval == 0 { try compareWithTables(world) }
    guard let ended = process.dispatcher.state.cleanup.last?.key, ended != checkedRun else { return }
    checkedRun = ended
    try checkTold(batch, process)
    try checkTallies(world)
  }

  /// A turn failed: nothing may have changed.
  func checkUnchanged(_ dispatcher: Dispatcher<Stores>) throws {
    guard dispatcher.position == position else {
      throw Violation(.logGrows, "a failed turn has moved the log from \(position) to \(dispatcher.position)")
    }
    guard dispatcher.state.downloads.counts.filter({ $0.value != 0 }) == counted else {
      throw Violation(.counts, "a failed turn has changed the counts")
    }
  }

  // MARK: The log

  private func checkPosition(_ batch: Batch, _ ledger: SimulatedLedger) throws {
    let handled = zip(batch.actions, batch.turnout.outcomes).reduce(0) { count, pair in
      if case .handled = pair.1, !pair.0.isReading { count + 1 } else { count }
    }
    let expected = LogPosition(
      revision: position.revision + (handled > 0 ? 1 : 0), sequence: position.sequence + Int64(handled))
    guard batch.turnout.position == expected, ledger.lastPosition ?? expected == expected,
      (ledger.lastPosition != nil) == (handled > 0)
    else {
      throw Violation(.logGrows, "\(handled) actions moved the log from \(position) to \(batch.turnout.position)")
    }
    position = expected
  }

  // MARK: The copy

  private func follow(_ ledger: SimulatedLedger, _ batch: Batch, in world: World) throws -> Changes {
    var changes = Changes()
    for write in ledger.notes.writes {
      switch write {
      case .row(let row): try note(row, in: &changes)
      case .noRow(let id): note(end: id, in: &changes, world)
      case .manyRows(let change, let condition, let spared):
        note(change, of: condition, sparing: spared, in: &changes, world)
      case .broughtForward(let latest, let moment): bringForward(after: latest, to: moment, in: &changes)
      case .savedCounts(let counts): savedCounts = savedCounts.merging(counts) { $1 }.filter { $0.value != 0 }
      case .owed(let deletion):
        guard let file = deletion.file else { continue }
        changes.owedFiles.append(file)
        // In this turn the row has followed an edit of its file, and was removed with it.
        if batch.followed(by: deletion.download) == file { world.disk.own(file) }
        if deletion.fate == .deleted { condemned[deletion.download, default: []].append(file) }
      case .finished: break
      }
    }
    for debt in ledger.debts {
      owed.note(debt.download, debt.isOwed)
      owedPartials.note(debt.download, debt.isPartialOwed)
      holding.note(debt.download, debt.holds)
      if !debt.isOwed { condemned[debt.download] = nil }
    }
    if changes.hasManyRows { try takeOver(from: world, in: &changes) }
    return changes
  }

  private func note(_ row: Download, in changes: inout Changes) throws {
    let old = rows[row.id]
    if let old, old.state != row.state, !old.state.canBecome(row.state) {
      throw Violation(.transitions, "\(row.id) went from \(old.state) to \(row.state)")
    }
    if changes.before[row.id] == nil { changes.before[row.id] = .some(old) }
    if old?.rank != row.rank { changes.hasNewOrder = true }
    rows[row.id] = row
  }

  private func note(end id: DownloadID, in changes: inout Changes, _ world: World) {
    let row = rows.removeValue(forKey: id)
    changes.removedRows[id] = row ?? changes.removedRows[id]
    if let file = row?.publishedFile, !changes.owedFiles.contains(file),
      !isOwned(file, byAnotherThan: id, on: world.disk)
    {
      release(file, of: id, on: world.disk)
    }
    changes.before[id] = .some(nil)
    changes.hasNewOrder = true
    tampered.remove(id)
  }

  private func note(
    _ change: BulkChange?, of condition: Condition, sparing spared: [DownloadID], in changes: inout Changes,
    _ world: World
  ) {
    changes.hasManyRows = true
    changes.hasNewOrder = true
    guard let change else { return }
    let today = world.process.map { process in
      process.dispatcher.state.network.state.localTime.day(at: world.clock.wall)
    }
    for id in rows.keys.sorted() where !spared.contains(id) {
      guard let row = rows[id], change.concerns(row.state),
        SimulatedCondition.holds(condition, for: row, on: today)
      else { continue }
      if changes.before[id] == nil { changes.before[id] = .some(row) }
      switch change {
      case .pause:
        rows[id]?.state = .paused
      case .resume, .retry:
        rows[id]?.state = .queued
        rows[id]?.failures = 0
        rows[id]?.freshAddresses = 0
        rows[id]?.restarts = 0
        rows[id]?.round = .init()
      case .cancel:
        changes.removedRows[id] = row
        rows[id] = nil
        changes.before[id] = .some(nil)
      case .remove(let deletingFile):
        if case .completed(let file) = row.state, !deletingFile, !isOwned(file, byAnotherThan: id, on: world.disk) {
          release(file, of: id, on: world.disk)
        }
        changes.removedRows[id] = row
        rows[id] = nil
        changes.before[id] = .some(nil)
      }
    }
  }

  private func bringForward(after latest: Timestamp, to moment: Timestamp, in changes: inout Changes) {
    changes.hasManyRows = true
    for (id, row) in rows {
      guard case .waiting(let waiting) = row.state, waiting.until > latest else { continue }
      if changes.before[id] == nil { changes.before[id] = .some(row) }
      changes.broughtForward.insert(id)
      switch waiting {
      case .retry(_, let error): rows[id]?.state = .waiting(.retry(at: moment, after: error))
      case .storage(_, let error): rows[id]?.state = .waiting(.storage(until: moment, after: error))
      }
    }
  }

  /// After a bulk statement: takes ranks and holds from the tables, and compares the rest.
  private func takeOver(from world: World, in changes: inout Changes) throws {
    let page = try world.database.read { try $0.downloads(limit: PageRequest.maximumLimit) }
    let classes = world.process?.dispatcher.state.settings.settings.network ?? .init()
    for row in page {
      guard var expected = rows[row.id] else { throw Violation(.mirror, "the row of \(row.id) should be gone") }
      if changes.before[row.id] == nil { changes.before[row.id] = .some(expected) }
      expected.rank = row.rank
      expected.isHeld = row.isHeld
      expected.networks.podcast = classes.policy(ofPodcast: row.description.podcast)
      guard expected == row else { throw Violation(.mirror, "\(row) stands where \(expected) should") }
      rows[row.id] = row
    }
    guard page.count == rows.count else { throw Violation(.mirror, "\(page.count) rows instead of \(rows.count)") }
  }

  /// A row as it is, or was before the batch removed it.
  func lastRow(_ id: DownloadID, _ changes: Changes) -> Download? { rows[id] ?? changes.removedRows[id] }

  func compareWithTables(_ world: World) throws {
    let (page, position) = try world.database.read {
      (try $0.downloads(limit: PageRequest.maximumLimit), try $0.position())
    }
    guard page.count == rows.count else { throw Violation(.mirror, "\(page.count) rows instead of \(rows.count)") }
    for row in page where rows[row.id] != row { throw Violation(.mirror, "\(row) was not written") }
    try checkFilters(world)
    try checkEpisodeFilters(world)
    try checkTallies(world)
    try compareFeeds(world)
    guard position == self.position else {
      throw Violation(.logGrows, "the table says \(position), not \(self.position)")
    }
  }

  /// The filters' counts are derived tables.
  private func checkFilters(_ world: World) throws {
    let moment = ConditionMoment(now: world.clock.wall)
    let filters = try world.database.read { try $0.filters(FiltersState(), at: moment) }
    let counted = self.counted
    for group in filters.groups {
      for filter in group.filters {
        guard case .state(let kind) = filter.filter.meaning else { continue }
        let number = counted[kind, default: 0]
        guard filter.count == number else {
          throw Violation(.counts, "\(filter.filter.id) counts \(filter.count) instead of \(number)")
        }
      }
    }
  }

  var counted: [DownloadState.Kind: Int] {
    rows.values.reduce(into: [:]) { $0[$1.state.kind, default: 0] += 1 }
  }

  // MARK: Promises

  private func noteResults(_ batch: Batch, _ rowsBefore: [DownloadID: Download], _ world: World) {
    let answers = zip(batch.actions, batch.turnout.outcomes).compactMap { action, outcome in
      if case .intent(let intent) = action { (intent, outcome) } else { nil }
    }
    let changesMany = batch.actions.contains { $0.isBulk }
    let news = world.process.map { FeedNews($0.ledger.notes) } ?? FeedNews()
    world.client.noteResults(answers, rows: rowsBefore, isAlone: batch.actions.count == 1, news)
    if changesMany, batch.actions.count > 1 { world.client.adopt(rows) }
  }
}

extension Action {
  /// Whether it concerns several downloads at once.
  fileprivate var isBulk: Bool {
    guard case .intent(let intent) = self else { return false }
    return switch intent {
    case .downloads(.pause(.one)), .downloads(.resume(.one)), .downloads(.cancel(.one)), .downloads(.retry(.one)),
      .downloads(.remove(.one, _)):
      false
    case .downloads(.pause), .downloads(.resume), .downloads(.cancel), .downloads(.retry), .downloads(.remove): true
    default: false
    }
  }
}

extension BulkChange {
  /// Whether a bulk change applies to a state.
  fileprivate func concerns(_ state: DownloadState) -> Bool {
    switch self {
    case .pause: state.kind == .queued || state.kind == .waiting
    case .resume: state.kind == .paused || state.kind == .failed
    case .retry: state.kind == .failed || state.kind == .waiting
    case .cancel: [.queued, .waiting, .paused, .failed].contains(state.kind)
    case .remove: state.kind != .running
    }
  }
}

extension Download {
  /// The published file, or the one about to be.
  var publishedFile: PublishedFile? { state.file }
}

extension Set<DownloadID> {
  /// Inserts or removes the download.
  fileprivate mutating func note(_ download: DownloadID, _ isIn: Bool) {
    if isIn { insert(download) } else { remove(download) }
  }
}
