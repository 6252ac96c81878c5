import Flux

/// The cleanup: which run is under way, how far it is, and what the last one came to.
///
/// A run first looks, which changes nothing. Every decision is a row before any is carried out, so that a run goes on
/// after a crash where it stopped. Each step is checked again, with the row and with the file, when its turn comes.
package struct CleanupStore: DomainStore {
  /// The parts of other stores that this store reads.
  package struct Context: Sendable {
    /// Whether anything may be started.
    var isScheduling: Bool
    var settings: Settings
    /// The attempts that have not ended.
    var live: [DownloadID: LiveAttempt]
  }

  /// The run that looks or acts.
  package internal(set) var active: CleanupRun?
  /// The run that begins when that one has ended.
  package private(set) var waiting: CleanupRun?
  /// The last run that has ended.
  package private(set) var last: CleanupRun?
  /// How far the survey of the active run is.
  package private(set) var progress: CleanupProgress?

  /// How many steps are under way at once.
  static let stepsAtOnce = 16

  /// Whether what the active run has come to is not in its row yet.
  private var isChanged = false
  /// Whether the pass of this start has yet to begin, when nothing else waits.
  private var owesStartPass = false
  /// The last step that was handed out, or passed over.
  private var cursor: CleanupStep.Key = 0
  /// The steps of the active run.
  var steps = OwedWork<CleanupStep>(limit: Self.stepsAtOnce)
  /// The steps that wait until other rows have left the paths that they need.
  private(set) var held = HeldSteps()
  /// Of the steps under way, those that wait until others have moved their files.
  var deferred: [CleanupStep] = []
  /// Whether the first planned steps may have been under way when the last engine ended: then they are handed out,
  /// cancelled or not, so that no file has a name that its row does not know.
  private var resumesRenaming = false
  /// The steps that were handed out so.
  private var resumed: Set<CleanupStep.Key> = []
  /// The steps of the last run whose files could not be moved.
  private var unmoved: [CleanupStep.Key: CleanupStep] = [:]
  /// Of the steps under way, those whose rows are done and whose files are owed their deletion: they end as that does.
  private(set) var awaited: [Deletion.Key: [CleanupStep.Key]] = [:]

  /// Makes the store with the runs that its table holds, in the order of their numbers.
  package init(runs: [CleanupRun] = []) {
    for run in runs {
      switch run.stage {
      case .waiting: waiting = run
      case .looking: active = run
      case .acting:
        active = run
        steps.oweMore()
      case .done, .cancelled, .refused, .failed: last = run
      }
    }
  }

  /// Whether a run is under way, waits, or is owed: a drain waits for it.
  package var owesWork: Bool { active != nil || waiting != nil || owesStartPass }

  /// Whether rows and files are compared, or are about to be.
  var isComparing: Bool { owesStartPass || active?.isCleanup == true || waiting?.isCleanup == true }

  /// Begins and ends runs, and takes in what services report of them.
  package mutating func handle(
    _ action: Action, in turn: inout StoreTurn<Self>, reading context: Context
  ) throws -> Reply? {
    guard let concern = Concern(action) else { return nil }
    switch concern {
    case .intent(.run(let request)):
      let run = try ask(for: request.options(under: context.settings), in: &turn)
      if request.mode == .apply { turn.tell(.cleanup(.accepted)) }
      return .cleanup(run)
    case .intent(.rename(let request)):
      try checkExists(request.feed, in: turn)
      let renaming = request.renaming(under: context.settings)
      return .cleanup(try ask(for: .init(mode: request.mode), renaming: renaming, in: &turn))
    case .intent(.adopt(let request)):
      try checkExists(request.feed, in: turn)
      return .cleanup(try ask(for: .init(mode: request.mode), adopting: try request.adopting, in: &turn))
    case .intent(.cancel): return .affected(try cancel(in: &turn))
    case .recovered(let recovery): try recover(recovery, settings: context.settings, in: &turn)
    case .surveyed(let run, let news): try receive(news, of: run, in: &turn)
    case .cleaned(let key, let outcome): try finish(key, outcome, reading: context, in: &turn)
    case .deleted(let key, let status, let reason): try finish(awaiting: key, as: status, because: reason, in: turn)
    }
    return nil
  }

  /// Ends steps whose rows the downloads have changed.
  package mutating func receive(_ event: StoreEvent, in turn: inout StoreTurn<Self>, reading context: Context) throws {
    guard let (step, outcome) = Self.applied(event) else { return }
    if step.finding.kind == .misnamed, steps.underWay[step.key] == nil { return }
    switch outcome {
    case .done: try finish(step, as: .done, because: nil, in: turn)
    case .left(let reason): try finish(step, as: .left, because: reason, in: turn)
    case .owed(let deletion): awaited[deletion, default: []].append(step.key)
    }
    try releaseHeld(behind: step, reading: context, in: &turn)
  }

  // MARK: Runs

  private mutating func ask(
    for options: CleanupOptions, renaming: Renaming? = nil, adopting: Adopting? = nil,
    because cause: CleanupRun.Cause = .client, in turn: inout StoreTurn<Self>
  ) throws -> CleanupRun.Key {
    guard waiting == nil else {
      throw Refusal(.conflict, "a cleanup waits already; ask again when it has begun, or cancel it with cleanup/cancel")
    }
    // What a client wants takes the place of a start's pass that has not changed anything yet, or has not begun: a plan
    // would be gone before a client has read it. One that renames or adopts waits for it: moved files are known then.
    let run = CleanupRun(
      key: turn.sequence, options: options, renaming: renaming, adopting: adopting, cause: cause, askedAt: turn.now)
    if run.isCleanup {
      if active?.cause == .start, active?.stage == .looking { try end(as: .cancelled, in: &turn) }
      owesStartPass = false
    }
    waiting = run
    try turn.tables.cleanup.save(run)
    return run.key
  }

  private mutating func cancel(in turn: inout StoreTurn<Self>) throws -> Int {
    let number = (active?.isCancelled == false ? 1 : 0) + (waiting == nil ? 0 : 1)
    if owesStartPass { turn.tell(.cleanup(.ended)) }
    owesStartPass = false
    if let waiting { try turn.tables.cleanup.forget(waiting.key) }
    waiting = nil
    try cancelActive(in: &turn)
    return number
  }

  private mutating func cancelActive(in turn: inout StoreTurn<Self>) throws {
    // Steps under way end first: the run reports what they did.
    active?.isCancelled = true
    isChanged = true
    if active?.stage == .looking { try end(as: .cancelled, in: &turn) }
  }

  private mutating func recover(_ recovery: Recovery, settings: Settings, in turn: inout StoreTurn<Self>) throws {
    resumesRenaming = active?.stage == .acting && active?.renaming != nil
    // An engine that compares nothing at its start does not go on with another engine's comparison either: a command
    // that only plans would carry it out.
    if active?.cause == .start, !recovery.mayCleanUp { try cancelActive(in: &turn) }
    if var run = active, run.stage == .looking {
      // The survey reports its findings again: they must not be counted twice.
      run.tallies = [:]
      active = run
      try turn.tables.cleanup.removeSteps()
      try turn.tables.cleanup.save(run)
      turn.perform(.startSurvey(run, quarantineDays: settings.quarantineDays))
      guard run.cause == .client else { return }
    }
    owesStartPass = settings.cleanupOnStart && recovery.mayCleanUp
  }

  private mutating func begin(settings: Settings, in turn: inout StoreTurn<Self>) throws {
    guard active == nil else { return }
    let asked = waiting
    // Each run has a number of its own.
    if owesStartPass, asked == nil || (asked?.isCleanup == false && asked?.key != turn.sequence) {
      waiting = nil
      owesStartPass = false
      _ = try ask(for: CleanupRequest().options(under: settings), because: .start, in: &turn)
    }
    guard var run = waiting else { return }
    waiting = run.key == asked?.key ? nil : asked
    (run.stage, run.doubtedSince) = (.looking, last?.doubtAfterwards)
    active = run
    cursor = 0
    unmoved = [:]
    try turn.tables.cleanup.removeSteps()
    try turn.tables.cleanup.save(run)
    turn.perform(.startSurvey(run, quarantineDays: settings.quarantineDays))
  }

  private mutating func end(
    as stage: CleanupRun.Stage, because reason: String? = nil, in turn: inout StoreTurn<Self>
  ) throws {
    guard var run = active else { return }
    turn.perform(.cancelSurvey(run.key))
    active = nil
    progress = nil
    steps = OwedWork(limit: Self.stepsAtOnce)
    (held, awaited) = (HeldSteps(), [:])
    (deferred, resumesRenaming, resumed) = ([], false, [])
    if let last { try turn.tables.cleanup.forget(last.key) }
    run.stage = stage
    run.reason = reason ?? run.reason
    run.endedAt = turn.now
    last = run
    isChanged = false
    try turn.tables.cleanup.save(run)
    turn.tell(.cleanup(.ended))
    if run.isNews { turn.perform(.tell(.cleaned(run))) }
  }

  // MARK: Looking

  private mutating func receive(_ news: CleanupNews, of key: CleanupRun.Key, in turn: inout StoreTurn<Self>) throws {
    guard var run = active, run.key == key, run.stage == .looking else { return }
    switch news {
    case .progress(let progress): self.progress = progress
    case .found(let steps):
      for step in steps {
        run.count(step)
        try turn.tables.cleanup.insert(step)
      }
      active = run
      isChanged = true
      turn.perform(.nextSurveyPage(key))
    case .complete(let usage, let remark):
      run.usage = run.isCleanup ? usage : nil
      run.reason = remark
      run.stage = .acting
      active = run
      steps.oweMore()
      isChanged = true
      progress = nil
      if run.options.mode == .plan { try end(as: .done, in: &turn) }
    case .refused(let reason): try end(as: .refused, because: reason, in: &turn)
    case .failed(let reason): try end(as: .failed, because: reason, in: &turn)
    }
  }

  // MARK: Acting

  /// Begins what waits, and hands out what is to be done next.
  package mutating func endBatch(in turn: inout StoreTurn<Self>, reading context: Context) throws {
    try goOn(reading: context, in: &turn)
    if isChanged, let active { try turn.tables.cleanup.save(active) }
    isChanged = false
  }

  private mutating func goOn(reading context: Context, in turn: inout StoreTurn<Self>) throws {
    guard context.isScheduling else { return }
    try begin(settings: context.settings, in: &turn)
    guard active?.stage == .acting else { return }
    try handOutDeferred(reading: context, in: &turn)
    while active?.isCancelled == false || resumesRenaming {
      let mayHaveBegun = resumesRenaming
      resumesRenaming = false
      let next = try steps.take { [cursor, room = steps.room] _ in
        try turn.tables.cleanup.planned(after: cursor, limit: room)
      }
      guard !next.isEmpty else { break }
      for var step in next {
        if let renaming = active?.renaming {
          step.move = CleanupStep.Move(isPortable: renaming.isPortable, mayHaveBegun: mayHaveBegun)
        }
        cursor = step.key
        if mayHaveBegun { resumed.insert(step.key) }
        try handOut(step, reading: context, in: &turn)
      }
    }
    guard steps.underWay.isEmpty else { return }
    for step in held.inOrder {
      try finish(step, as: .left, because: "another download's row still says that its file is there", in: turn)
    }
    try end(as: active?.isCancelled == true ? .cancelled : .done, in: &turn)
    // No other turn may come to begin the one that waits.
    try begin(settings: context.settings, in: &turn)
  }

  mutating func handOut(_ step: CleanupStep, reading context: Context, in turn: inout StoreTurn<Self>) throws {
    if steps.underWay.values.contains(where: step.waits) { return deferred.append(step) }
    if let deletion = try step.owedMove(in: turn) {
      // An engine that has ended since has done what it says to the row.
      awaited[deletion, default: []].append(step.key)
    } else if let obstacle = try step.obstacle(besides: context.live, in: turn) ?? step.nameObstacle(in: turn) {
      try finish(step, as: .left, because: obstacle, in: turn)
    } else if case .misnamed(let id, let file, let path) = step.finding {
      var step = step
      step.move?.ownFolders = try turn.tables.upkeep.madeFolders(above: file.path)
      turn.tell(.cleanup(.renaming(id, to: path)))
      turn.perform(.cleanUp(step))
    } else {
      turn.perform(.cleanUp(step))
    }
  }

  private mutating func finish(
    _ key: CleanupStep.Key, _ outcome: CleanupStep.Outcome, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws {
    if case .moved = outcome, let step = unmoved.removeValue(forKey: key) {
      // Carried out twice it failed first, and then the file was moved: its row follows it all the same.
      return turn.tell(.cleanup(.apply(step)))
    }
    guard let step = steps.underWay[key], !awaited.values.contains(where: { $0.contains(key) }) else { return }
    switch outcome {
    case .left(let reason):
      try finish(step, as: .left, because: reason, in: turn)
      // Its file may have been moved, which could not be seen: a cleanup finds it.
      if resumed.contains(key) { owesStartPass = true }
      if step.finding.kind == .misnamed {
        unmoved[key] = step
        turn.tell(.cleanup(.endedRenaming(step, isMoved: false)))
      }
    case .moved(let folders):
      if !folders.isEmpty { turn.tell(.cleanup(.madeFolders(folders))) }
      try conclude(step, reading: context, in: &turn)
      turn.tell(.cleanup(.endedRenaming(step, isMoved: true)))
    case .done:
      let others = try step.occupants(in: turn)
      if let id = step.finding.download, !others.isEmpty {
        _ = steps.end(key)
        held.hold(step, of: id, behind: others)
        guard let group = held.group(of: id) else { return }
        return try release(group, reading: context, in: &turn)
      }
      try conclude(step, reading: context, in: &turn)
    }
  }

  private mutating func conclude(_ step: CleanupStep, reading context: Context, in turn: inout StoreTurn<Self>) throws {
    guard !step.concernsDownloads else { return turn.tell(.cleanup(.apply(step))) }
    if case .emptyFolder(let place) = step.finding, let folder = place.libraryPath {
      turn.tell(.cleanup(.removedFolder(folder)))
    }
    try finish(step, as: .done, because: nil, in: turn)
    try releaseHeld(behind: step, reading: context, in: &turn)
  }

  /// A step has ended: its download may have left a place that others wait for.
  private mutating func releaseHeld(
    behind step: CleanupStep, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws {
    guard let place = step.finding.leftPlace else { return }
    for id in held.waiting(for: place) {
      guard let waiting = held[id] else { continue }
      held.hold(waiting, of: id, behind: try waiting.occupants(in: turn))
      guard let group = held.group(of: id) else { continue }
      try release(group, reading: context, in: &turn)
    }
  }

  /// Has the rows of a group follow their files: those in whose way only rows stand that go in this turn, too.
  private mutating func release(
    _ group: Set<DownloadID>, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws {
    var going = group
    var staying: [DownloadID] = []
    /// For each download, those that can follow their files only if it does.
    var followers: [DownloadID: [DownloadID]] = [:]
    for id in group.sorted() {
      guard let step = held[id] else { continue }
      if let obstacle = try step.obstacle(besides: context.live, in: turn) {
        _ = held.remove(id)
        try finish(step, as: .left, because: obstacle, in: turn)
        staying.append(id)
        continue
      }
      let others = try step.occupants(in: turn)
      held.hold(step, of: id, behind: others)
      for other in others { followers[other.id, default: []].append(id) }
      if !others.allSatisfy({ group.contains($0.id) }) { staying.append(id) }
    }
    going.subtract(staying)
    while let id = staying.popLast() {
      for follower in followers[id] ?? [] where going.remove(follower) != nil { staying.append(follower) }
    }
    for step in going.compactMap({ held.remove($0) }).sorted(by: { $0.key < $1.key }) {
      turn.tell(.cleanup(.apply(step)))
    }
  }

  /// What a step has owed its deletion is gone now, or stays.
  private mutating func finish(
    awaiting deletion: Deletion.Key, as status: CleanupStep.Status, because: String?, in turn: borrowing StoreTurn<Self>
  ) throws {
    for key in awaited.removeValue(forKey: deletion) ?? [] {
      guard let step = steps.underWay[key] else { continue }
      try finish(step, as: status, because: because, in: turn)
    }
  }

  private mutating func finish(
    _ step: CleanupStep, as status: CleanupStep.Status, because: String?, in turn: borrowing StoreTurn<Self>
  ) throws {
    _ = steps.end(step.key)
    var holder: DownloadID?
    // The client shows people whose file it is.
    if status == .left, step.download == nil, let found = step.finding.foundFile {
      holder = try turn.tables.downloads.holder(of: found, otherThan: nil)
    }
    try turn.tables.cleanup.finish(step.key, as: status, because: because, holder: holder)
    active?.finish(step, as: status)
    isChanged = true
  }
}
