/// What stood in the way of requests when a store looked last for those that are due.
struct SeenObstacles: Hashable, Sendable {
  private var obstacles = Obstacles()
  /// The sessions whose login had failed: what waits for another one of them is to fail.
  private var failedLogins: Set<Session.Key> = []

  /// Takes in how it is now. Returns whether it was otherwise, so that the store is to look again.
  mutating func change(to obstacles: Obstacles, _ sessions: SessionsView) -> Bool {
    let failed = sessions.failed
    guard obstacles != self.obstacles || failed != failedLogins else { return false }
    (self.obstacles, failedLogins) = (obstacles, failed)
    return true
  }
}
