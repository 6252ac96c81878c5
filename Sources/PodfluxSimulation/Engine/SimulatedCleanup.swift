import PodfluxCore

/// Looks for what cleaning up is to put in order, and does what was decided with the files, as `CleanupService` does:
/// one thing after the other, beside all turns.
final class SimulatedCleanup {
  private enum Work {
    case startSurvey(SimulatedSurvey)
    case step(CleanupStep)
  }

  /// Its process. The cycle ends with that.
  let process: SimulatedProcess
  unowned let world: World
  private var queue: [Work] = []
  private var isScheduled = false
  /// The run that is looked for, what was found and not told yet, and how looking ended.
  private var current: (run: CleanupRun.Key, untold: ArraySlice<CleanupStep>, end: CleanupNews?)?

  init(in process: SimulatedProcess) {
    self.process = process
    world = process.world
  }

  // MARK: What the stores ask

  func startSurvey(_ run: CleanupRun) {
    cancelLooking()
    current = (run.key, [], nil)
    queue.append(.startSurvey(SimulatedSurvey(run, bootID: process.bootID, in: world)))
    schedule()
  }

  func nextPage(_ run: CleanupRun.Key) {
    guard let (key, untold, end) = current, key == run, let end else { return }
    guard !untold.isEmpty else {
      current = nil
      return process.post(.surveyed(run, end))
    }
    let portion = untold.prefix(world.random.within(1...4))
    current?.untold.removeFirst(portion.count)
    process.post(.surveyed(run, .found(Array(portion))))
  }

  func cancelSurvey(_ run: CleanupRun.Key) {
    guard current?.run == run else { return }
    cancelLooking()
    current = nil
  }

  func cleanUp(_ step: CleanupStep) throws {
    try world.checker.willHandOut(step, in: process)
    queue.append(.step(step))
    schedule()
  }

  private func cancelLooking() {
    queue.removeAll { if case .startSurvey = $0 { true } else { false } }
  }

  // MARK: The queue

  private func schedule() {
    guard !isScheduled, !queue.isEmpty else { return }
    isScheduled = true
    world.schedule(.cleanup(self), after: world.random.delay())
  }

  /// Does the next thing.
  func work() throws {
    isScheduled = false
    switch queue.first {
    case .startSurvey(let survey):
      if try survey.look() {
        queue.removeFirst()
        try conclude(survey)
      } else if world.random.once(in: 4) {
        process.post(.surveyed(survey.run.key, .progress(.init(files: survey.entries.count, readBytes: 0))))
      }
    case .step(let step):
      queue.removeFirst()
      let outcome = try carryOut(step)
      // What was done with the file may stay unrecorded.
      guard !world.dies(in: 100) else { return }
      process.post(.cleaned(step.key, outcome))
    case nil: break
    }
    schedule()
  }

  private func conclude(_ survey: SimulatedSurvey) throws {
    let key = survey.run.key
    do {
      guard !world.suffers(.disk) || !world.random.once(in: 20) else { throw SimulatedTrouble() }
      let (steps, usage) = try survey.decide()
      try world.checker.hasDecided(steps, survey)
      try sabotage(steps, survey)
      current = (key, steps[...], .complete(usage, remark: nil))
    } catch CleanupPlanner.Failure.everythingGone(let count) {
      if world.sabotage == .everythingGoneIgnored {
        let losses = Self.losses(in: survey)
        try world.checker.hasDecided(losses, survey)
        current = (key, losses[...], .complete(.init(), remark: nil))
      } else {
        current = (key, [], .refused("the files of all \(count) completed downloads are gone"))
      }
    } catch let trouble as SimulatedTrouble {
      current = (key, [], .failed(trouble.description))
    }
    nextPage(key)
  }

  private func sabotage(_ steps: [CleanupStep], _ survey: SimulatedSurvey) throws {
    switch (world.sabotage, survey.run.options.mode) {
    case (.stepBeforeItsRow?, .apply), (.planThatActs?, .plan):
      for step in steps where step.decision.isAct { _ = try carryOut(step) }
    default: break
    }
  }

  private static func losses(in survey: SimulatedSurvey) -> [CleanupStep] {
    survey.rows.filter(\.isCompleted).map {
      CleanupStep(finding: .missing($0.download, $0.file), decision: .forget, because: "its file is gone")
    }
  }
}

/// The simulated disk cannot be read now.
struct SimulatedTrouble: Error, CustomStringConvertible {
  let description = "the simulated disk does not answer"
}

// MARK: - Steps

/// What a step says about files.
extension SimulatedCleanup {
  private static let hasChanged = CleanupStep.Outcome.left("the file has changed since")

  private func carryOut(_ step: CleanupStep) throws -> CleanupStep.Outcome {
    guard !world.suffers(.disk) || !world.random.once(in: 12) else {
      return .left(SimulatedTrouble().description)
    }
    return try finishOrLeave(step)
  }

  private func finishOrLeave(_ step: CleanupStep) throws -> CleanupStep.Outcome {
    try world.checker.willCleanUp(step, in: process)
    let disk = world.disk
    switch step.finding {
    case .missing(_, let file):
      let isThere = disk.published[file.path.description]?.file.inode == file.inode
      guard world.sabotage == .missingNotRechecked || !isThere else { return Self.hasChanged }
      try world.checker.willLose(file, on: disk)
    case .moved(_, let former, let file):
      guard !disk.isPublished(former), disk.isPublished(file) else { return Self.hasChanged }
    case .modified(_, _, let file):
      guard disk.standsUntouched(FoundFile(file)) else { return Self.hasChanged }
    case .corrupt(_, _, let found), .adoptable(let found, _, _):
      guard disk.standsUntouched(found) else { return Self.hasChanged }
    case .orphan(let found): return try handle(found, step)
    case .partial(let id, let planned, let length, let tailHash):
      guard length > 0 else { return disk.length(of: id) < planned.durable ? .done : Self.hasChanged }
      return try synchronize(id, length, tailHash)
    case .emptyFolder(let place):
      try world.checker.willRemoveFolder(place, on: disk)
      return disk.removeFolder(place) ? .done : Self.hasChanged
    case .orphanPartial: break
    case .strayPartial, .foreign, .expiredQuarantine: return .left("there is no such thing here")
    }
    return .done
  }

  private func handle(_ found: FoundFile, _ step: CleanupStep) throws -> CleanupStep.Outcome {
    let disk = world.disk
    guard let entry = disk.entry(at: found.place) else {
      // It may have been this step, before a crash.
      let isDone = step.decision == .delete || step.decision == .quarantine && disk.hasPutAside(found)
      return isDone ? .done : Self.hasChanged
    }
    guard world.sabotage == .orphanByNameOnly || disk.stands(found) else { return Self.hasChanged }
    switch step.decision {
    case .quarantine:
      try world.checker.willTake(entry, at: found.place, for: step)
      disk.quarantine(found.place.text)
    case .delete:
      try world.checker.willTake(entry, at: found.place, for: step)
      disk.destroy(found.place.text)
    default: break
    }
    return .done
  }

  private func synchronize(_ id: DownloadID, _ length: Int64, _ tailHash: String) throws -> CleanupStep.Outcome {
    guard let file = world.disk.partials[id], file.length == Int(length), file.tailHash == tailHash else {
      return Self.hasChanged
    }
    if world.suffers(.disk), world.random.once(in: 10) {
      file.failToSynchronize()
      return .left("the simulated device does not take it")
    }
    file.synchronize()
    return .done
  }
}

extension SimulatedFile {
  /// Of the last bytes, as a resume record has it.
  var tailHash: String { hash(of: max(0, length - Int(ResumeRecord.overlap))..<length) }
}
