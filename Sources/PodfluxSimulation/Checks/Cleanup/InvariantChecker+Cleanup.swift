import Digests
import PodfluxCore

/// Checks of the cleanup.
extension InvariantChecker {
  /// A step that was issued, and its run's options.
  struct HandedStep {
    var step: CleanupStep
    var options: CleanupOptions
  }

  /// The step's row must be committed, and its run must be allowed to act.
  func willHandOut(_ step: CleanupStep, in process: SimulatedProcess) throws {
    guard let run = process.dispatcher.state.cleanup.active, run.stage == .acting else {
      throw Violation(.stepFirst, "step \(step.key) is handed out, and no run acts")
    }
    guard run.options.mode == .apply else {
      throw Violation(.planChangesNothing, "step \(step.key) of a plan is handed out")
    }
    guard run.cause != .start || process.powers.mayCleanUp || ruleCauses.mayHaveMoved else {
      throw Violation(.powers, "step \(step.key) of a start is handed out by an engine that compares nothing then")
    }
    handedSteps[step.key] = HandedStep(step: step, options: run.options)
    handedRuns[step.key] = run.key
  }

  func willCleanUp(_ step: CleanupStep, in process: SimulatedProcess) throws {
    if let handed = handedSteps[step.key], handed.step.finding == step.finding { return }
    if let run = process.dispatcher.state.cleanup.active, run.options.mode == .plan {
      throw Violation(.planChangesNothing, "\(step) of a plan is carried out")
    }
    throw Violation(.stepFirst, "\(step) is carried out, and is no committed row")
  }

  /// The cleanup declares a completed download's file missing.
  ///
  /// A file with its path, inode and length may be another download's all the same, if that one was published there
  /// when this one's was gone, and got its inode. Then the time is another one, and that download has written it, or
  /// has its time.
  func willLose(_ file: PublishedFile, of id: DownloadID, on disk: SimulatedDisk) throws {
    guard let present = disk.published[file.path.description]?.file, disk.isPublished(file) else { return }
    let isReplaced =
      file.modifiedNanoseconds != present.modified
      && (present.isWritten(byAnotherThan: id)
        || isKnown(present, at: file.path, byAnotherThan: id))
    guard isReplaced else { throw Violation(.forgetting, "\(file.path) is said to be gone, and is there") }
  }

  /// Whether the row of another download knows a file as its own.
  func isKnown(_ file: SimulatedFile, at place: LibraryPath, byAnotherThan id: DownloadID) -> Bool {
    rows.values.contains { $0.id != id && $0.publishedFile?.describes(file, at: place) ?? false }
  }

  /// The cleanup takes a file away as an orphan.
  func willTake(
    _ entry: SimulatedDisk.PublishedEntry, at place: EntryPath, for step: CleanupStep, on disk: SimulatedDisk
  ) throws {
    let away = handedRuns[step.key].flatMap { awayFiles[$0] } ?? []
    if let id = owner(of: entry.file, at: place, on: disk, away) {
      throw Violation(
        .neededFiles, "\(place.text) is \(step.decision.rawValue)d by cleaning up, and is the file of \(id)")
    }
    guard case .orphan(let found) = step.finding, found.inode == entry.file.inode else {
      throw Violation(.foreignBytes, "\(place.text) is \(step.decision.rawValue)d, and is another file than was found")
    }
    let orphans = handedSteps[step.key]?.options.orphans ?? .report
    guard orphans == .delete || (step.decision == .quarantine && orphans == .quarantine) else {
      throw Violation(
        .foreignBytes, "\(place.text) is \(step.decision.rawValue)d, which no request allows: \(orphans.rawValue)"
      )
    }
  }

  /// The cleanup removes a folder as empty.
  func willRemoveFolder(_ place: EntryPath, on disk: SimulatedDisk) throws {
    // An engine that died before reporting its folder's removal may take a later one of that name for it.
    let path = SimulatedDisk.path(place)
    guard disk.folders.contains(path), !disk.everMadeFolders.contains(path) else { return }
    throw Violation(.foreignFiles, "the folder \(place.text) is removed, and the engine has not made it")
  }

  /// The download whose row needs this file, at any path, or whose own name the file has too.
  ///
  /// - Parameter away: The downloads whose own names were away as the run looked: when a person brings one back behind
  ///   its look, the other name was a stray.
  private func owner(
    of file: SimulatedFile, at place: EntryPath, on disk: SimulatedDisk, _ away: Set<DownloadID>
  ) -> DownloadID? {
    rows.keys.sorted().first { id in
      if !away.contains(id), let own = rows[id]?.publishedFile, own.inode == file.inode, EntryPath(own.path) != place,
        disk.published[own.path.description]?.file === file
      {
        return true
      }
      guard let published = rows[id]?.publishedFile, published.inode == file.inode, published.length == file.length
      else { return false }
      if EntryPath(published.path) == place { return true }
      return rows[id]?.state.kind == .completed
        && published.sha256.map { $0 == Self.digest(of: file.content, .sha256).hexadecimal } ?? true
    }
  }

  // MARK: After a batch

  /// The steps that the batch reports as done; the rows show whether the store agrees.
  func finishedSteps(in batch: Batch, _ ledger: SimulatedLedger) -> [CleanupStep] {
    let confirmed = batch.actions.compactMap { action -> CleanupStep? in
      guard case .cleaned(let key, let outcome) = action, outcome.isDone else { return nil }
      return handedSteps[key]?.step
    }
    for step in confirmed {
      if let (id, _) = step.finding.following { confirmedMoves[id] = step }
    }
    // A row may follow its file in a later turn than its survey: when its path is free.
    let followed = ledger.notes.writes.compactMap { write -> CleanupStep? in
      guard case .row(let row) = write, let step = confirmedMoves[row.id], let (_, file) = step.finding.following,
        row.state == .completed(file)
      else { return nil }
      return step
    }
    for step in followed { step.finding.download.map { confirmedMoves[$0] = nil } }
    return confirmed + followed.filter { !confirmed.contains($0) }
  }

  /// Updates the client's model to the cleanup's changes: removed and added downloads.
  func tell(
    _ client: inout SimulatedClient, of steps: [CleanupStep], _ ledger: SimulatedLedger, on disk: SimulatedDisk
  ) {
    guard !steps.isEmpty else { return }
    let lost = Set(
      steps.compactMap { step -> DownloadID? in
        if case .missing(let id, _, _) = step.finding, step.decision == .forget { id } else { nil }
      })
    // Its feed may have been left, with all files, in the batch that has adopted its file.
    let present = ledger.notes.writes.reduce(into: Set<DownloadID>()) { present, write in
      switch write {
      case .row(let row): present.insert(row.id)
      case .noRow(let id): present.remove(id)
      default: break
      }
    }
    for write in ledger.notes.writes {
      switch write {
      case .noRow(let id) where lost.contains(id): client.lose(id)
      case .row(let row):
        guard case .completed(let file) = row.state, steps.contains(where: { $0.finding.concerns(row) }) else {
          continue
        }
        disk.own(file)
        if client.wishes[row.id] == nil, present.contains(row.id) { client.find(row) }
      default: break
      }
    }
  }

  /// Updates the client's model to what a cleanup has completed by a file: also what was paused in the same batch.
  func complete(
    _ steps: [CleanupStep], in client: inout SimulatedClient, _ ledger: SimulatedLedger
  ) {
    let adopted = steps.filter { $0.decision == .adopt }
    for case .row(let row) in ledger.notes.writes
    where row.state.kind == .completed && adopted.contains(where: { $0.finding.concerns(row) }) {
      client.complete(row.id)
    }
  }

  /// A run's tallies must match its steps.
  func checkTallies(_ world: World) throws {
    guard let cleanup = world.process?.dispatcher.state.cleanup, let run = cleanup.active ?? cleanup.last else {
      return
    }
    var (tallies, freed): ([CleanupStep.Finding.Kind: CleanupRun.Tally], Int64) = ([:], 0)
    let steps = try steps(in: world)
    for step in steps {
      tallies[step.finding.kind, default: .init()].found += 1
      tallies[step.finding.kind, default: .init()].bytes += step.finding.bytes
      switch step.status {
      case .done:
        tallies[step.finding.kind, default: .init()].done += 1
        if step.decision == .delete { freed += step.finding.bytes }
      case .left: tallies[step.finding.kind, default: .init()].left += 1
      case .planned: break
      }
    }
    guard run.tallies == tallies, run.freedBytes == freed, Set(run.deeds) == deeds(in: steps) else {
      throw Violation(
        .tallies, "run \(run.key) says \(run.tallies) and \(run.freedBytes) bytes; its steps say \(tallies), \(freed)")
    }
  }

  /// The engine must send a notice of an ended run if and only if the run did something, or failed to.
  func checkTold(_ batch: Batch, _ process: SimulatedProcess) throws {
    guard let run = process.dispatcher.state.cleanup.last else { return }
    let isTold = batch.turnout.effects.contains(.tell(.cleaned(run)))
    let kinds = run.tallies.filter { ![.partial, .orphanPartial].contains($0.key) && $0.value.done > 0 }
    guard isTold == run.isNews, kinds.isEmpty || isTold else {
      throw Violation(
        .told, "run \(run.key) came to \(run.stage) \(run.tallies), and people are \(isTold ? "" : "not ")told")
    }
  }

  /// The results of a run according to its steps.
  private func deeds(in steps: [CleanupStep]) -> Set<CleanupRun.Deed> {
    var deeds: [[String]: CleanupRun.Deed] = [:]
    for step in steps where step.isDeed && step.status != .planned {
      let key = [step.finding.kind.rawValue, step.decision.rawValue]
      var deed = deeds[key] ?? .init(step.finding.kind, step.decision)
      deed.done += step.status == .done ? 1 : 0
      deed.left += step.status == .left ? 1 : 0
      deed.bytes += step.status == .done ? step.finding.bytes : 0
      deeds[key] = deed
    }
    return Set(deeds.values)
  }

  func steps(in world: World) throws -> [CleanupStep] {
    try world.database.read { try $0.cleanupSteps(PageRequest(limit: 100_000)) }.steps
  }

  // MARK: The end

  /// Without further faults, after a cleanup: rows and files must agree one to one.
  func checkAgreement(_ world: World) throws {
    guard let run = world.process?.dispatcher.state.cleanup.last else {
      throw Violation(.agreement, "there was no cleanup")
    }
    let completed = rows.keys.sorted().compactMap { id -> (DownloadID, PublishedFile)? in
      if case .completed(let file)? = rows[id]?.state { (id, file) } else { nil }
    }
    if run.stage == .refused {
      guard completed.allSatisfy({ !run.isProof(rows[$0.0]?.dates.finished) || !world.disk.isPublished($0.1) }) else {
        throw Violation(.agreement, "a cleanup is refused: \(run.reason ?? "")")
      }
      return
    }
    guard run.stage == .done else { throw Violation(.agreement, "a cleanup ended as \(run.stage.rawValue)") }
    let steps = try steps(in: world)
    checkedSteps = steps
    checkedQuarantine = CheckedQuarantine(world)
    // A damaged file goes to quarantine after its step is done, and may leave an empty folder.
    hasFoundCorruption = steps.contains { $0.finding.kind == .corrupt }
    hasFetchedAgain = steps.contains { $0.decision == .redownload }
    var owned: Set<String> = []
    for (id, file) in completed {
      guard world.disk.isPublished(file) else {
        // Behind a link, or where one is, nothing can be told.
        guard !world.disk.links.contains(file.path.description), !steps.contains(where: { $0.leaves(file) }) else {
          continue
        }
        throw Violation(.agreement, "\(id) is completed after a cleanup, and its file is not at \(file.path)")
      }
      // If a missing file's path, inode and length were reused, its owner is ambiguous.
      guard owned.insert(file.path.description).inserted || isShared(file, by: id) else {
        throw Violation(.agreement, "\(file.path) is the file of \(id) and of another download")
      }
    }
    let left = Set(
      steps.filter { $0.status == .left || $0.decision == .mark }.flatMap {
        [$0.finding.place.map(SimulatedDisk.path), $0.finding.destination?.description].compactMap(\.self)
      })
    let forgotten = forgottenStems(steps)
    let inodes = Set(completed.map(\.1.inode))
    for path in world.disk.published.keys.sorted()
    where !owned.contains(path) && !left.contains(path) && !forgotten.contains(where: path.hasPrefix) {
      guard let file = world.disk.published[path]?.file else { continue }
      // Another name of a download's file belongs to a person, also where this very run has adopted the file.
      if file.hasManyNames, inodes.contains(file.inode) { continue }
      let found = world.disk.found(file, at: path)
      guard try !world.database.read({ try $0.isSidecar(found) }) else { continue }
      throw Violation(.agreement, "\(path) is an orphan after a cleanup, and no step mentions it")
    }
  }

  /// The names, without extensions, of sidecars whose missing media steps have dealt with, and of their folders'
  /// pictures. What a person has made of these was known to the survey then, and goes on as a person's file: an orphan
  /// of the next run.
  private func forgottenStems(_ steps: [CleanupStep]) -> [String] {
    steps.flatMap { step -> [String] in
      guard case .missing(_, let file, _) = step.finding, step.decision != .leave else { return [] }
      let path = file.path.description
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      return [Sidecar.stem(beside: file.path) + ".", "\(folder)\(Sidecar.coverName)."]
    }
  }

  /// A cleanup right after another one must find nothing to do.
  func checkNothingToDo(_ world: World) throws {
    let steps = try steps(in: world)
    defer { (checkedSteps, checkedQuarantine) = (steps, CheckedQuarantine(world)) }
    guard let step = steps.first(where: { $0.status != .left && !isLastName($0) }) else { return }
    if case .emptyFolder = step.finding, hasFoundCorruption { return }
    if case .expiredQuarantine(let limit, _) = step.finding, checkedQuarantine.expires(by: limit, at: world) { return }
    // A download that is fetched again may have started and failed since.
    if case .orphanPartial = step.finding, hasFetchedAgain { return }
    if case .orphan(let file) = step.finding,
      forgottenStems(checkedSteps).contains(where: SimulatedDisk.path(file.place).hasPrefix) || wasSpared(file)
    {
      return
    }
    let earlier = checkedSteps.first { $0.finding == step.finding }.map { "; the run before left it: \($0.because)" }
    throw Violation(.agreement, "a second cleanup finds something to do: \(step)\(earlier ?? "")")
  }

  /// Whether the run before left a file that might have been the only copy of a lost one, and gave that download its
  /// file. Only the next run knows that the download has it: the adoption might have failed.
  private func wasSpared(_ file: FoundFile) -> Bool {
    let isLeft = checkedSteps.contains { $0.finding == .orphan(file) && $0.status == .left }
    return isLeft
      && checkedSteps.contains { earlier in
        guard case .adoptable(let adopted, _, _) = earlier.finding, earlier.decision == .adopt else { return false }
        return earlier.status == .done && adopted.length == file.length
      }
  }

  /// Whether it is about the second name (link(2)) of a file, whose download had the first one until the run before:
  /// then nothing tells it from any other orphan, or from a file that was to stay.
  private func isLastName(_ step: CleanupStep) -> Bool {
    let found: FoundFile
    switch step.finding {
    case .orphan(let file), .adoptable(let file, _, _): found = file
    default: return false
    }
    return checkedSteps.contains { earlier in
      switch earlier.finding {
      case .corrupt(_, _, let damaged): damaged.inode == found.inode && damaged.place != found.place
      case .moved(_, let former, _): former.inode == found.inode && EntryPath(former.path) != found.place
      default: false
      }
    }
  }

  /// Quarantined files must be there, complete, unless a person has removed them.
  func checkQuarantine(_ disk: SimulatedDisk) throws {
    let kept = Set(disk.quarantined.map { ObjectIdentifier($0.file) })
    guard quarantined.allSatisfy({ kept.contains(ObjectIdentifier($0)) || disk.hasBeenRestored($0) }) else {
      throw Violation(.damage, "a file that was put aside is not in quarantine any more")
    }
    // A person can edit a file with another name through that name.
    guard let changed = disk.quarantined.first(where: { $0.file.hash != $0.hash && !$0.file.hasManyNames }) else {
      return
    }
    throw Violation(.damage, "\(changed.path ?? "a stray") was put aside and is not what it was")
  }
}

extension CleanupStep.Finding {
  /// The row that must follow its file, and the file's current path.
  fileprivate var following: (DownloadID, PublishedFile)? {
    switch self {
    case .moved(let id, _, let file), .modified(let id, _, let file): return (id, file)
    case .misnamed(let id, var file, let path):
      file.path = path
      return (id, file)
    default: return nil
    }
  }
}

extension CleanupStep.Outcome {
  /// Whether the files are as the step requires.
  fileprivate var isDone: Bool {
    switch self {
    case .done, .moved: true
    case .left: false
    }
  }
}

extension CleanupStep {
  /// Whether it leaves this file, or a copy of it, at a path that no row can store, or that another row keeps.
  fileprivate func leaves(_ file: PublishedFile) -> Bool {
    switch (finding, status) {
    case (.orphan(let found), .left): found.length == file.length
    case (.moved(_, let former, _), .left): former == file
    default: false
    }
  }
}

extension PublishedFile {
  /// Whether a row with this knows that file as its own. A row that a start has completed knows no time: its path
  /// tells.
  func describes(_ file: SimulatedFile, at place: LibraryPath) -> Bool {
    guard inode == file.inode, length == file.length else { return false }
    return modifiedNanoseconds.map { $0 == file.modified } ?? (path == place)
  }
}
