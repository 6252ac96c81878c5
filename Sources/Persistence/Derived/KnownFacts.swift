import PodfluxCore

/// Caches facts about whole tables: a client that enqueues a hundred thousand downloads does not cause as many
/// look-ups.
///
/// One connection owns it and uses it on its queue; only this process writes to the database.
final class KnownFacts {
  /// The last position of each priority, if known.
  var lastPositions: [Priority: Int64] = [:]
  /// Whether the table of pending deletions is known to be empty.
  var isNothingOwed = false

  /// Drops the positions: they may have changed.
  func forgetPositions() {
    lastPositions = [:]
  }

  /// Drops everything after a rollback.
  func forgetAll() {
    forgetPositions()
    isNothingOwed = false
  }
}
