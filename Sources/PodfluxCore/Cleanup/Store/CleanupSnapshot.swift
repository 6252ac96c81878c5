/// The last started run, the waiting one, and a page of steps.
///
/// ```swift
/// let snapshot = try await podflux.snapshot(.init(stores: [.cleanup], stepsPage: .init(limit: 20)))
/// print(snapshot.cleanup?.run?.stage.rawValue ?? "no run as yet", snapshot.cleanup?.steps.map(\.because) ?? [])
/// ```
public struct CleanupSnapshot: Hashable, Sendable {
  /// The active run, or else the last one; nil before the first.
  public var run: CleanupRun?
  /// The survey's progress; nil without an active survey.
  public var progress: CleanupProgress?
  public var waiting: CleanupRun?
  public var steps: [CleanupStep]
  /// The cursor of the next page; nil on the last.
  public var next: PageCursor?

  package init(
    run: CleanupRun?, progress: CleanupProgress? = nil, waiting: CleanupRun?, steps: [CleanupStep], next: PageCursor?
  ) {
    self.run = run
    self.progress = progress
    self.waiting = waiting
    self.steps = steps
    self.next = next
  }
}
