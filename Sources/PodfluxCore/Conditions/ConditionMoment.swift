import Flux

/// What a condition needs to know beside the rows.
public struct ConditionMoment: Hashable, Sendable {
  /// When it is asked.
  public var now: Timestamp
  /// The day by which ages are told.
  public var today: LocalDay
  /// What keeps downloads from running: what would run but for that waits.
  public var obstacles: Obstacles

  /// Makes a moment; days are those of UTC, by default.
  public init(now: Timestamp, today: LocalDay? = nil, obstacles: Obstacles = .init()) {
    self.now = now
    self.today = today ?? LocalDay(of: now)
    self.obstacles = obstacles
  }
}
