import Flux

/// The context that conditions need besides the rows.
public struct ConditionMoment: Hashable, Sendable {
  /// The time of the query.
  public var now: Timestamp
  /// The day from which ages count.
  public var today: LocalDay
  /// The current obstacles: a queued download behind one counts as waiting.
  public var obstacles: Obstacles

  /// A context; by default the day is the UTC day.
  public init(now: Timestamp, today: LocalDay? = nil, obstacles: Obstacles = .init()) {
    self.now = now
    self.today = today ?? LocalDay(of: now)
    self.obstacles = obstacles
  }
}
