import Flux

/// Selects downloads: the one form for selections, listings and filters (see the article Protocol).
///
/// ```swift
/// let recentFailures = Condition.all([.states([.failed]), .newerThanDays(7)])
/// _ = try await podflux.dispatch(.downloads(.retry(.matching(recentFailures))))
/// ```
///
/// In a line of the protocol it is `{"newerThanDays": 7, "state": "failed"}`.
public indirect enum Condition: Hashable, Sendable {
  /// Downloads that meet all of these; every download if there are none.
  case all([Condition])
  /// Downloads that meet any of these; none if there are none.
  case any([Condition])
  /// Downloads that do not meet it.
  case not(Condition)
  /// With one of these ids.
  case ids([DownloadID])
  /// With one of these URLs, as `WebAddress.redacted` shows them.
  case urls([String])
  /// Of episodes of one of these feeds.
  case feeds([FeedID])
  /// In one of these states, as clients see them.
  case states([DownloadState.Kind])
  /// Waiting for one of these reasons, as clients see them.
  case reasons([WaitingReason])
  /// Of one of these podcasts.
  case podcasts([String])
  /// Requested by one of these origins.
  case origins([Origin])
  /// Of one of these media kinds.
  case media([MediaKind])
  /// In one of these size classes.
  case sizes([SizeClass])
  /// In one of these age classes.
  case ages([AgeClass])
  /// With one of these network policies.
  case networks([NetworkPolicy])
  /// Failed with one of these codes, or waiting after an attempt that did.
  case errorCodes([DownloadError.Code])
  /// With a title that contains one of these texts, ignoring case and diacritics.
  case titleContains([String])
  /// Published after, before or between these times.
  case published(after: Timestamp?, before: Timestamp?)
  /// Published, or else added, within this many local days, today included.
  case newerThanDays(Int)
  /// Published, or else added, before this many local days, today included.
  case olderThanDays(Int)
  /// With a length in this range of bytes; an unknown length is in no range.
  case bytes(atLeast: Int64?, atMost: Int64?)

  public static let everything = Condition.all([])

  /// The limits of clients' conditions. The engine refuses what is deeper, has more parts or other days; `values` and
  /// `textBytes` bound the conditions of lines alone.
  ///
  /// ```swift
  /// let ofTheLastHundredYears = Condition.newerThanDays(Condition.Limits.days.upperBound)
  /// _ = try await podflux.dispatch(.downloads(.pause(.matching(ofTheLastHundredYears))))
  /// ```
  public enum Limits {
    /// How many values a key may have.
    public static let values = 1000
    /// How deep conditions may be nested.
    public static let depth = 8
    /// How many parts a condition may have.
    public static let parts = 256
    /// The longest text to search for, in bytes.
    public static let textBytes = 1024
    /// The range of days, up to a hundred years.
    public static let days = 0...36_500
  }
}

extension Condition {
  /// Whether downloads of a podcast with these traits, as clients see them, meet it; nil if it depends on more than
  /// that.
  package func isMet(by traits: Traits, podcast: String?) -> Bool? {
    switch self {
    case .all(let conditions):
      let verdicts = conditions.map { $0.isMet(by: traits, podcast: podcast) }
      return verdicts.contains(false) ? false : verdicts.contains(nil) ? nil : true
    case .any(let conditions):
      let verdicts = conditions.map { $0.isMet(by: traits, podcast: podcast) }
      return verdicts.contains(true) ? true : verdicts.contains(nil) ? nil : false
    case .not(let condition): return condition.isMet(by: traits, podcast: podcast).map { !$0 }
    case .states(let kinds): return kinds.contains(traits.kind)
    case .reasons(let reasons): return traits.reason.map(reasons.contains) ?? false
    case .podcasts(let names): return podcast.map(names.contains) ?? false
    case .origins(let origins): return origins.contains(traits.origin)
    case .media(let kinds): return kinds.contains(traits.media)
    case .sizes(let sizes): return sizes.contains(traits.size)
    case .ages(let ages): return ages.contains(traits.age)
    case .networks(let policies): return policies.contains(traits.network)
    case .errorCodes(let codes): return traits.error.map(codes.contains) ?? false
    case .ids, .urls, .feeds, .titleContains, .published, .newerThanDays, .olderThanDays, .bytes: return nil
    }
  }
}
