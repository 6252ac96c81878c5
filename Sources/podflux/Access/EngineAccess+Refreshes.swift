import PodfluxClient
import PodfluxCore
import PodfluxPeople

extension EngineAccess {
  private static let lookMillisecondsAtFeeds = 200

  /// Follows refreshes of feeds until each has ended, or none of the rest has begun for a while: the network is not there,
  /// or feeds may not use it.
  ///
  /// - Parameter ids: The feeds; nil for all.
  func follow(_ follower: inout RefreshFollower, ids: [FeedID]?) throws {
    var idle = 0
    while !follower.isOver {
      follower.look(at: try connection.feeds(ids))
      guard !follower.isOver else { return }
      idle = follower.isMoving ? 0 : idle + Self.lookMillisecondsAtFeeds
      if try isIdle(idle) { return follower.giveUp() }
      if signals.comes(withinMilliseconds: Self.lookMillisecondsAtFeeds) { throw ConnectionFailure.interrupted }
    }
  }
}
