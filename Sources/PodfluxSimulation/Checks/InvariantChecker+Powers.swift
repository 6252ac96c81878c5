import Flux
import PodfluxCore

/// Checks of engines that may not do everything by themselves.
extension InvariantChecker {
  /// The causes that have made rules due since the library was opened.
  struct RuleCauses {
    /// When the tables were put in order; nil until then.
    fileprivate(set) var since: Timestamp?
    fileprivate var feeds: Set<Feed.Key> = []
    fileprivate var concernAll = false
    /// Whether a step that a former engine had begun to carry out was left: its file may have got another name.
    fileprivate(set) var mayHaveMoved = false

    fileprivate func concern(_ feed: Feed.Key) -> Bool { concernAll || feeds.contains(feed) }
  }

  /// A survey begins. What a renaming has left undone at a crash must be looked for by any engine.
  func willSurvey(_ run: CleanupRun, in process: SimulatedProcess) throws {
    guard run.cause != .start || process.powers.mayCleanUp || ruleCauses.mayHaveMoved else {
      throw Violation(.powers, "rows and files are compared by an engine that does not do so at its start")
    }
  }

  /// The library has been put in order: what rules owe from now on, they owe since then.
  func noteCauses(_ batch: Batch) {
    if case .recovered? = batch.actions.first { ruleCauses = RuleCauses(since: batch.clock.wall) }
    for case .cleaned(let key, .left) in batch.actions where handedSteps[key]?.step.finding.kind == .misnamed {
      ruleCauses.mayHaveMoved = true
    }
  }

  /// Notes what makes rules due.
  func noteCause(_ write: FeedWrite) {
    switch write {
    case .feed(let feed):
      if feeds.feeds[feed.key]?.wishes.rules != feed.wishes.rules { ruleCauses.feeds.insert(feed.key) }
    case .episode(let episode): ruleCauses.feeds.insert(episode.feed)
    case .changed(_, let feed), .missing(_, _, let feed): ruleCauses.feeds.insert(feed)
    case .marked, .rulesDue: ruleCauses.concernAll = true
    case .noFeed, .allDue, .broughtForward, .refusedDue, .download, .standing, .ruling: break
    }
  }

  /// A rule deletes a file. An engine that leaves to others what was owed before needs a cause since then.
  func checkOwed(_ episode: Episode, _ row: Download, because reason: RuleReason, in world: World) throws {
    guard let process = world.process, !process.powers.mayDeleteOwed, let since = ruleCauses.since,
      !ruleCauses.concern(episode.feed), case .exceeds(let clause) = reason
    else { return }
    if case .days(let days) = clause, let end = row.dates.finished?.advanced(byDays: Int(days)), end > since { return }
    throw Violation(.powers, "\(episode.id) goes (\(reason)), which was owed when the engine began")
  }
}
