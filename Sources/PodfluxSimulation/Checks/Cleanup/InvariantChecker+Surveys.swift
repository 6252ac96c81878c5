import PodfluxCore

/// Checks of what a survey has decided.
extension InvariantChecker {
  /// If many files were gone at once, the planner must decide nothing.
  func hasDecided(_ steps: [CleanupStep], _ survey: SimulatedSurvey, _ world: World) throws {
    try checkWords(for: steps, of: survey.run, world)
    guard survey.run.isCleanup else { return }
    let files: [FoundFile] = survey.record.entries.compactMap { if case .file(let file) = $0 { file } else { nil } }
    let (inodes, places) = (Set(files.map(\.inode)), Set(files.map(\.place)))
    awayFiles = [survey.run.key: Set(survey.record.rows.filter { !places.contains($0.place) }.map(\.download))]
    let completed = survey.record.rows.filter {
      $0.isCompleted && !survey.record.isBlocked($0.place) && survey.run.isProof($0.finished)
    }
    guard completed.count >= CleanupPlanner.leastSuspicious else { return }
    guard !completed.contains(where: { places.contains($0.place) }) else { return }
    // A row behind an obstacle is followed if its file was found elsewhere: then not all files are gone.
    guard !survey.record.rows.contains(where: { $0.isCompleted && inodes.contains($0.file.inode) }) else { return }
    let lengths = Set(files.map(\.length))
    guard !completed.contains(where: { $0.file.sha256 != nil && lengths.contains($0.file.length) }) else { return }
    throw Violation(
      .everythingGone, "\(completed.count) files are gone at once, and \(steps.count) steps are decided on")
  }

  /// Only a run that was asked for it may move or delete what a person could miss.
  private func checkWords(for steps: [CleanupStep], of run: CleanupRun, _ world: World) throws {
    let mayTake = run.options.orphans == .quarantine || run.options.orphans == .delete
    for step in steps {
      let isAllowed =
        switch (step.finding, step.decision) {
        case (.orphan, .quarantine), (.strayPartial, .quarantine): mayTake
        case (.orphan, .delete): run.options.orphans == .delete
        case (.corrupt, .quarantine): mayTake && run.cause == .client
        case (.corrupt, .redownload): run.options.missing == .redownload
        case (.orphan, .adopt): run.options.orphans == .adopt
        case (.adoptable(let found, let owner, _), .adopt):
          try run.options.orphans == .adopt || Self.wasMissing(found, of: owner, world)
        default: true
        }
      guard isAllowed else { throw Violation(.words, "\(run.options), because of a \(run.cause): \(step)") }
    }
  }

  /// Whether a file is the one that a download had before it was missing, at its place.
  private static func wasMissing(_ found: FoundFile, of owner: DownloadID, _ world: World) throws -> Bool {
    try world.database.formerFiles(like: found).contains { former in
      former.cause == .missing && former.download == owner && former.file.inode == found.inode
        && former.file.length == found.length && EntryPath(former.file.path) == found.place
    }
  }
}
