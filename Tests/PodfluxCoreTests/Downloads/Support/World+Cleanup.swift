import Testing

@testable import PodfluxCore

/// A library that is cleaned up, short to write.
extension World {
  /// Asks for a run.
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

  /// Tells what was found, and that this is all.
  func found(_ steps: [CleanupStep], at sourceLocation: SourceLocation = #_sourceLocation) throws {
    let key = try #require(looking?.key, "nobody looks", sourceLocation: sourceLocation)
    if !steps.isEmpty { try send(.surveyed(key, .found(steps)), at: sourceLocation) }
    try send(.surveyed(key, .complete(.init(), remark: nil)), at: sourceLocation)
  }

  /// Reports the steps that are handed out, one by one, until none is left.
  func carryOutSteps(
    _ outcome: CleanupStep.Outcome = .done, at sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    while let key = steps.keys.min() { try send(.cleaned(key, outcome), at: sourceLocation) }
  }

  /// Reports what steps have owed its deletion, until no step waits for one.
  func carryOutAwaitedDeletions() throws {
    while let key = cleanup.awaited.keys.min() { try send(.deleted(key)) }
  }

  /// A run that finds these and is hindered by nothing on the disk, until all steps are done but those whose files are owed
  /// their deletion.
  func cleanUp(
    _ found: [CleanupStep], _ options: CleanupOptions = .init(), at sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try clean(options, at: sourceLocation)
    try self.found(found, at: sourceLocation)
    try carryOutSteps(at: sourceLocation)
  }

  /// All steps of the last run as their table has them.
  func stepRows() throws -> [CleanupStep] {
    try database.read { try $0.cleanupSteps(PageRequest(limit: 1000)).steps }
  }

  /// What a tally of the run that is under way, or else of the last one, says.
  func tally(_ kind: CleanupStep.Finding.Kind) -> CleanupRun.Tally? {
    (cleanup.active ?? cleanup.last)?.tallies[kind]
  }
}

extension CleanupStep {
  /// A step of this finding that is to be taken.
  static func planned(_ finding: Finding, _ decision: Decision, _ because: String = "it is so") -> CleanupStep {
    CleanupStep(finding: finding, decision: decision, because: because)
  }
}

extension FoundFile {
  /// The file as the disk has it.
  init(at file: PublishedFile) {
    self.init(place: EntryPath(file.path), length: file.length, inode: file.inode)
  }
}
