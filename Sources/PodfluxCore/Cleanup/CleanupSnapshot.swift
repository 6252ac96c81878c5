/// The last run that began, what follows it, and a page of its steps.
public struct CleanupSnapshot: Hashable, Sendable {
  /// The run that is under way, or else the last one; nil before the first.
  public var run: CleanupRun?
  /// How far its looking is; nil where it does not look.
  public var progress: CleanupProgress?
  /// The run that begins when that one has ended.
  public var waiting: CleanupRun?
  /// The page of steps.
  public var steps: [CleanupStep]
  /// Where the next page begins; nil if this is the last.
  public var next: PageCursor?

  /// Makes the cleanup's part of a snapshot.
  public init(
    run: CleanupRun?, progress: CleanupProgress? = nil, waiting: CleanupRun?, steps: [CleanupStep], next: PageCursor?
  ) {
    self.run = run
    self.progress = progress
    self.waiting = waiting
    self.steps = steps
    self.next = next
  }
}
