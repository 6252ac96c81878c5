import Flux

/// The searches for room that have found too little. While thousands of downloads wait for the quota, each turn would
/// look through all that rules have asked for, and find the same.
///
/// What lets more go is told to it, and all of it is forgotten after a minute.
struct FruitlessSearches: Hashable, Sendable {
  /// A search by which files of so many bytes could go, of those older than a place; of all if there is none.
  private struct Search: Hashable {
    let place: RuledEpisode.Place?
    let bytes: Int64

    /// Whether the same search for so many bytes among files older than that place would find too little too.
    func covers(_ bytes: Int64, olderThan place: RuledEpisode.Place?) -> Bool {
      guard bytes > self.bytes else { return false }
      guard let known = self.place else { return true }
      return place.map { $0 <= known } ?? false
    }
  }

  /// For how long the result of a search holds.
  static let milliseconds: Int64 = 60_000

  private var searches: [Search] = []
  /// The needs for which a search has found nothing to delete.
  private var needs: [QuotaNeed] = []
  private var since: Timestamp?

  /// Whether it is known that nothing at all could go.
  var coverAll: Bool { cover(1, olderThan: nil) }

  /// Whether so many bytes, of files older than a place, are known to be more than could go.
  func cover(_ bytes: Int64, olderThan place: RuledEpisode.Place?) -> Bool {
    searches.contains { $0.covers(bytes, olderThan: place) }
  }

  /// Whether nothing was found for exactly these needs, and nothing has changed since.
  func cover(_ needs: [QuotaNeed]) -> Bool { !needs.isEmpty && needs == self.needs }

  /// Forgets what is too old. A clock that was set back makes everything so.
  mutating func forgetOld(at now: Timestamp) {
    guard let since, !(0..<Self.milliseconds).contains(now.milliseconds - since.milliseconds) else { return }
    forget()
  }

  /// Notes that no more than so many bytes could go.
  mutating func note(_ bytes: Int64, olderThan place: RuledEpisode.Place?, at now: Timestamp) {
    since = since ?? now
    searches.removeAll { $0.place == place }
    searches.append(Search(place: place, bytes: bytes))
    if searches.count > QuotaNeed.limit { searches.removeFirst() }
  }

  /// Notes that nothing was found for any of the needs.
  mutating func note(_ needs: [QuotaNeed], at now: Timestamp) {
    since = since ?? now
    self.needs = needs
  }

  /// A file with this place can go from now on.
  mutating func forget(coming place: RuledEpisode.Place) {
    needs = []
    searches.removeAll { $0.place.map { place < $0 } ?? true }
  }

  /// Forgets everything: it is not known what can go from now on.
  mutating func forget() { self = FruitlessSearches() }
}
