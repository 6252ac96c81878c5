import PodfluxClient
import PodfluxCore

/// Rules that have yet to decide.
extension EngineAccess {
  /// How often it is looked whether an own engine still decides, for 30 seconds; and after how many looks that find as
  /// many downloads as the one before it does not.
  private static let (lookMilliseconds, looks, looksAtRest) = (100, 300, 5)

  /// Waits until the rules of an own engine have decided about all that is there. It decides in parts, one in a turn:
  /// another command that acts on all downloads after this one would miss those that are decided about later. An engine
  /// that goes on after the command decides by itself.
  ///
  /// - Parameter number: About how many episodes rules are to decide; a turn suffices for few of them.
  /// - Throws: `ConnectionFailure.interrupted` after a signal.
  func awaitDecisions(about number: Int) throws {
    guard isOwn, number > RulesStore.Limits.decisions else { return }
    try awaitRest()
  }

  /// How many of these downloads rules remove: waits until they have decided.
  ///
  /// - Throws: `ConnectionFailure.interrupted` after a signal.
  func removedByRules(of ids: [DownloadID]) throws -> Int {
    try awaitRest()
    return ids.count - (try connection.downloads(ids)).count
  }

  /// Waits until as many downloads are there as at several looks before, at most 30 seconds.
  ///
  /// - Throws: `ConnectionFailure.interrupted` after a signal.
  private func awaitRest() throws {
    var (counts, rest): (DownloadCounts?, Int) = (nil, 0)
    for _ in 0..<Self.looks where rest < Self.looksAtRest {
      let present = try connection.snapshot(SnapshotQuery(stores: [.downloads], downloads: .init(limit: 1))).counts()
      rest = present == counts ? rest + 1 : 0
      counts = present
      if signals.comes(withinMilliseconds: Self.lookMilliseconds) { throw ConnectionFailure.interrupted }
    }
  }
}
