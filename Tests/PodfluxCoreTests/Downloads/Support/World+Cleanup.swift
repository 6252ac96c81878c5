import Testing

@testable import PodfluxCore

/// Short forms for cleanups.
extension World {
  /// Requests a run.
  @discardableResult
  func clean(
    _ options: CleanupOptions = .init(), at sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> CleanupRun.Key {
    guard case .cleanup(let key) = try send(.cleanup(.run(CleanupRequest(options))), at: sourceLocation) else {
      throw NoRun()
    }
    return key
  }

  private struct NoRun: Error {}

  /// Reports these findings and the end of the survey.
  func found(_ steps: [CleanupStep], at sourceLocation: SourceLocation = #_sourceLocation) throws {
    let key = try #require(looking?.key, "no survey is running", sourceLocation: sourceLocation)
    if !steps.isEmpty { try send(.surveyed(key, .found(steps)), at: sourceLocation) }
    try send(.surveyed(key, .complete(.init(), remark: nil)), at: sourceLocation)
  }

  /// Reports the issued steps one by one, until none is left.
  func carryOutSteps(
    _ outcome: CleanupStep.Outcome = .done, at sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    while let key = steps.keys.min() { try send(.cleaned(key, outcome), at: sourceLocation) }
  }

  /// Reports the deletions for which steps wait, until none is left.
  func carryOutAwaitedDeletions() throws {
    while let key = cleanup.awaited.keys.min() { try send(.deleted(key)) }
  }

  /// A run with these findings and no errors on the disk, until all steps are done except those that wait for a
  /// deletion.
  func cleanUp(
    _ found: [CleanupStep], _ options: CleanupOptions = .init(), at sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try clean(options, at: sourceLocation)
    try self.found(found, at: sourceLocation)
    try carryOutSteps(at: sourceLocation)
  }

  /// All steps of the last run in their table.
  func stepRows() throws -> [CleanupStep] {
    try database.read { try $0.cleanupSteps(PageRequest(limit: 1000)).steps }
  }

  /// A tally of the active run, or else of the last one.
  func tally(_ kind: CleanupStep.Finding.Kind) -> CleanupRun.Tally? {
    (cleanup.active ?? cleanup.last)?.tallies[kind]
  }
}

extension CleanupStep {
  /// A planned step for this finding.
  static func planned(_ finding: Finding, _ decision: Decision, _ because: String = "it is so") -> CleanupStep {
    CleanupStep(finding: finding, decision: decision, because: because)
  }
}

extension FoundFile {
  /// The file on the disk.
  init(at file: PublishedFile) {
    self.init(place: EntryPath(file.path), length: file.length, inode: file.inode)
  }
}
