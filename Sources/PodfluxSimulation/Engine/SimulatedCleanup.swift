import EngineRuntime
import PodfluxCore

/// The queue of the engine's surveys and of its cleanup steps: one thing after the other, beside all turns.
final class SimulatedCleanup {
  private enum Work {
    case survey(SimulatedSurvey)
    case step(CleanupStep)
  }

  /// Its process. The cycle ends with that.
  let process: SimulatedProcess
  unowned let world: World
  private let files: SimulatedFiles
  private var queue: [Work] = []
  private var isScheduled = false
  private var pages = SurveyPages()
  /// The run whose survey is wanted.
  private var wanted: CleanupRun.Key?

  init(in process: SimulatedProcess) {
    self.process = process
    world = process.world
    files = SimulatedFiles(in: process)
  }

  // MARK: What the stores ask

  func startSurvey(_ run: CleanupRun, quarantineDays: Int) throws {
    try world.checker.willSurvey(run, in: process)
    pages.begin(run.key)
    world.checker.beginsSurvey(run, on: world.disk)
    wanted = run.key
    world.checker.quarantineDays[run.key] = quarantineDays
    let survey = SimulatedSurvey(run, quarantineDays: quarantineDays, in: process, files: files) { [unowned self] in
      wanted != run.key
    }
    queue.append(.survey(survey))
    schedule()
  }

  func nextPage(_ run: CleanupRun.Key) {
    guard let news = pages.next(of: run, atMost: world.random.within(1...4)) else { return }
    process.post(.surveyed(run, news))
  }

  func cancelSurvey(_ run: CleanupRun.Key) {
    guard pages.cancel(run) else { return }
    wanted = nil
  }

  func cleanUp(_ step: CleanupStep) throws {
    try world.checker.willHandOut(step, in: process)
    queue.append(.step(step))
    schedule()
  }

  // MARK: The queue

  private func schedule() {
    guard !isScheduled, !queue.isEmpty else { return }
    isScheduled = true
    world.schedule(.cleanup(self), after: world.random.once(in: 3) ? world.random.delay() : 0)
  }

  /// Does the next thing.
  func work() throws {
    isScheduled = false
    switch queue.first {
    case .survey(let survey):
      guard wanted == survey.run.key else {
        queue.removeFirst()
        break
      }
      guard let ending = try survey.advance() else { break }
      queue.removeFirst()
      if case .ended(let steps, let news) = ending { try conclude(survey, steps, news) }
    case .step(let step):
      queue.removeFirst()
      if world.suffers(.people), world.random.once(in: 4), let place = step.finding.place { world.meddle(with: place) }
      let outcome = try carryOut(step)
      // A crash may keep the step's outcome from being recorded.
      guard process.isAlive, !world.dies(in: 100) else { return }
      process.post(.cleaned(step.key, outcome))
    case nil: break
    }
    schedule()
  }

  private func conclude(_ survey: SimulatedSurvey, _ steps: [CleanupStep], _ news: CleanupNews) throws {
    guard process.isAlive else { return }
    var (steps, news) = (steps, news)
    if world.sabotage == .everythingGoneIgnored, case .refused = news, world.disk.isInPlace {
      steps = survey.record.rows.filter(\.isCompleted).map {
        CleanupStep(finding: .missing($0.download, $0.file), decision: .forget, because: "its file is gone")
      }
      news = .complete(.init(), remark: nil)
    }
    switch (world.sabotage, survey.run.options.mode) {
    case (.adoptDoubtful?, _):
      for index in steps.indices where steps[index].decision == .offer {
        (steps[index].decision, steps[index].status) = (.adopt, .planned)
      }
    case (.adoptUnplanned?, .plan): steps.removeAll { $0.finding.kind == .episodeFile }
    default: break
    }
    if case .complete = news {
      try world.checker.hasDecided(steps, survey, world)
      try world.checker.hasPaired(steps, survey, on: world.disk)
    }
    switch (world.sabotage, survey.run.options.mode) {
    case (.stepBeforeItsRow?, .apply), (.planThatActs?, .plan):
      for step in steps where step.decision.isAct { _ = try carryOut(step) }
    default: break
    }
    pages.end(survey.run.key, with: steps, news)
    nextPage(survey.run.key)
  }

  private func carryOut(_ step: CleanupStep) throws -> CleanupStep.Outcome {
    try world.checker.willCleanUp(step, in: process)
    let (before, meddlings) = (world.disk.published.mapValues { world.disk.found($0.file, at: "") }, files.meddlings)
    let outcome = try files.run(.step(step)) { files.carryOut(step, at: world.clock.wall) }
    if world.sabotage == .adoptTouches, let path = step.finding.pairing.flatMap({ _ in step.finding.place }) {
      world.disk.published[SimulatedDisk.path(path)]?.file.touch(at: world.disk.nextTime())
    }
    if process.isAlive, files.meddlings == meddlings {
      try world.checker.hasAdopted(step, before: before, on: world.disk)
    }
    if process.isAlive { try world.checker.hasRenamed(step, outcome, on: world.disk) }
    if case .missing(let id, let file, _) = step.finding, outcome == .done {
      try world.checker.willLose(file, of: id, on: world.disk)
    }
    return outcome
  }
}
