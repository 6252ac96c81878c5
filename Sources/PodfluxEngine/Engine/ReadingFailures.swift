import PodfluxCore

/// What observers could not be read, why, and when it is read again: after longer and longer.
///
/// A query that fails holds up no other one of the same interval.
struct ReadingFailures {
  /// The longest time between two readings that fail.
  static let longestPauseMilliseconds: Int64 = 60_000

  private struct Failure {
    var reason: String
    var pauseMilliseconds: Int64
    var retryAtMilliseconds: Int64
  }

  private var failures: [SnapshotQuery: Failure] = [:]

  /// When the first one is to be read again, on the monotonic clock.
  var nextMilliseconds: Int64? { failures.values.lazy.map(\.retryAtMilliseconds).min() }

  /// Whether a query is read at a moment, if its state has changed.
  func allows(_ query: SnapshotQuery, at now: Int64) -> Bool { (failures[query]?.retryAtMilliseconds ?? .min) <= now }

  func contains(_ query: SnapshotQuery) -> Bool { failures[query] != nil }

  /// Notes that a query could not be read.
  ///
  /// - Parameter interval: The first pause is twice as long.
  /// - Returns: Whether it is news: it could be read before, or not for another reason.
  mutating func note(_ query: SnapshotQuery, because reason: String, at now: Int64, interval: Int64) -> Bool {
    let former = failures[query]
    let pause = min(
      2 * (former?.pauseMilliseconds ?? interval), max(Self.longestPauseMilliseconds, interval))
    failures[query] = Failure(reason: reason, pauseMilliseconds: pause, retryAtMilliseconds: now + pause)
    return former?.reason != reason
  }

  /// A new observer of a query has it read at once.
  mutating func retryNow(_ query: SnapshotQuery) { failures[query]?.retryAtMilliseconds = .min }

  /// A query could be read, or has no observer any more.
  mutating func forget(_ query: SnapshotQuery) { failures[query] = nil }
}
