import PodfluxClient
import PodfluxCore
import PodfluxPeople

/// Following refreshes.
extension EngineAccess {
  /// How long no refresh need begin before those that are left count as kept from it.
  private static let idleMilliseconds = 5000
  /// The same while a login is under way.
  private static let loginMilliseconds = 60_000

  /// Follows refreshes of feeds until each has ended, or none of the rest has begun for a while: the network is not
  /// there, or feeds may not use it.
  ///
  /// - Parameter ids: The feeds; nil for all.
  func follow(_ refreshes: inout RefreshFollower, ids: [FeedID]?) throws {
    try follow(&refreshes, ids: ids) {
      if signals.comes(withinMilliseconds: Self.frameMilliseconds) { throw ConnectionFailure.interrupted }
    }
  }

  /// The same, and meanwhile follows all downloads, some of which end before the last feed is read: of those the engine
  /// tells since `observeDownloads`, which the caller has called before it ordered the refreshes.
  func follow(
    _ refreshes: inout RefreshFollower, ids: [FeedID]?, beside downloads: inout DownloadFollower,
    on view: inout ProgressView, onSettled: (DownloadFollower.Settled) -> Void
  ) throws {
    defer { view.finish() }
    func passFrame() throws {
      let settled = try frame(of: &downloads)
      settled.forEach(onSettled)
      view.show(downloads, settled: settled)
    }
    try passFrame()
    try follow(&refreshes, ids: ids, passing: passFrame)
    try unobserve()
    // From here on the engine tells anew: the downloads that the last refreshes have added are counted then.
    downloads.beginAnew()
  }

  /// - Parameter passFrame: Lets a frame's time pass between two looks.
  private func follow(
    _ refreshes: inout RefreshFollower, ids: [FeedID]?, passing passFrame: () throws -> Void
  ) throws {
    var idle = 0
    while !refreshes.isOver {
      refreshes.look(at: try connection.feeds(ids, fields: RefreshFollower.fields))
      guard !refreshes.isOver else { return }
      idle = refreshes.isMoving ? 0 : idle + Self.frameMilliseconds
      if try isIdle(idle) { return refreshes.giveUp() }
      try passFrame()
    }
  }

  /// Whether nothing is to be expected any more of refreshes that have not begun for so many milliseconds: a login that
  /// is under way is waited for longer than the network.
  private func isIdle(_ milliseconds: Int) throws -> Bool {
    guard milliseconds >= Self.idleMilliseconds else { return false }
    return try milliseconds >= Self.loginMilliseconds || !isLoginUnderWay()
  }
}
