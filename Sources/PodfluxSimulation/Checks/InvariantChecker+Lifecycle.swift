import PodfluxCore

/// Checks of an engine's report at its end.
extension InvariantChecker {
  /// Obstacles turn a queued download into a waiting one for clients; all other states are shown as stored.
  func check(remaining: [DownloadState.Kind: Int], at revision: Int64) throws {
    guard revision == position.revision else {
      throw Violation(.remaining, "the last word is of revision \(revision) instead of \(position.revision)")
    }
    func merged(_ counts: [DownloadState.Kind: Int]) -> [DownloadState.Kind: Int] {
      var counts = counts
      counts[.queued, default: 0] += counts.removeValue(forKey: .waiting) ?? 0
      return counts.filter { $0.value != 0 }
    }
    guard merged(remaining) == merged(counted) else {
      throw Violation(.remaining, "\(remaining) are said to be left, and there are \(counted)")
    }
  }
}
