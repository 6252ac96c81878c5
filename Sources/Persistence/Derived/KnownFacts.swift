import PodfluxCore

/// What is known of whole tables, so that a client that enqueues a hundred thousand downloads does not have it looked up
/// a hundred thousand times. Each is true until somebody says otherwise.
///
/// Owned by one connection and used on its queue only; nobody else writes to the database.
final class KnownFacts {
  /// The last place of a priority's downloads, where known.
  var lastPositions: [Priority: Int64] = [:]
  /// Whether it is known that nothing is owed its deletion.
  var isNothingOwed = false

  /// Places have changed, or may have.
  func forgetPositions() {
    lastPositions = [:]
  }

  /// The transaction was undone: nothing that was learnt in it is true.
  func forgetAll() {
    forgetPositions()
    isNothingOwed = false
  }
}
