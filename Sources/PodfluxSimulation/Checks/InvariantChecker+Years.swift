import Flux
import PodfluxCore

/// Checks of what a clock leaves behind that was wrong by more than a year.
extension InvariantChecker {
  /// The clock has been right for minutes: nothing waits for a moment that only a wrong one can have set. Twice the
  /// longest wait is possible, since waits are spread over time.
  func checkNothingWaitsForYears(in world: World) throws {
    let now = world.clock.wall
    for feed in feeds.feeds.values.sorted(by: { $0.key < $1.key }) {
      guard let due = feed.due, due > now.advanced(byMilliseconds: 2 * Self.longestWaitMilliseconds) else { continue }
      throw Violation(.rhythm, "\(feed.id) waits until \(due), and the clock shows \(now)")
    }
    guard let network = world.process?.dispatcher.state.network.state else { return }
    guard network.usage.month <= network.localTime.month(at: now) + 1 else {
      throw Violation(.traffic, "bytes are counted for month \(network.usage.month), and the clock shows \(now)")
    }
  }
}
