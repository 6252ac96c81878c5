import Flux

/// The context that conditions need besides the rows.
package struct ConditionMoment: Hashable, Sendable {
  /// The time of the query.
  package var now: Timestamp
  /// The day from which ages count.
  package var today: LocalDay
  /// The current obstacles: a queued download behind one counts as waiting.
  package var obstacles: Obstacles

  /// A context; by default the day is the UTC day.
  package init(now: Timestamp, today: LocalDay? = nil, obstacles: Obstacles = .init()) {
    self.now = now
    self.today = today ?? LocalDay(of: now)
    self.obstacles = obstacles
  }
}
