import Flux

/// Which downloads are meant: the one form for selection, listing, filters and rules (the article Protocol).
public indirect enum Condition: Hashable, Sendable {
  /// Those that meet each of these; all downloads, if there are none.
  case all([Condition])
  /// Those that meet any of these; none, if there are none.
  case any([Condition])
  /// Those that do not.
  case not(Condition)
  /// In one of these states, as clients see them.
  case states([DownloadState.Kind])
  /// Waiting for one of these, as clients see it.
  case reasons([WaitingReason])
  /// Of one of these podcasts.
  case podcasts([String])
  /// Asked for by one of these.
  case origins([Origin])
  /// Of one of these kinds.
  case media([MediaKind])
  /// Of one of these lengths, roughly.
  case sizes([SizeClass])
  /// Of one of these ages.
  case ages([AgeClass])
  /// With one of these policies.
  case networks([NetworkPolicy])
  /// Failed with one of these, or waiting after an attempt that has.
  case errorCodes([DownloadError.Code])
  /// With a title that has one of these texts in it, whatever the case and the diacritics.
  case titleContains([String])
  /// Published after this moment, or between two, or before one.
  case published(after: Timestamp?, before: Timestamp?)
  /// Published, or else added, on one of so many local days, today the last of them, or later.
  case newerThanDays(Int)
  /// Published, or else added, before so many local days, today the last of them.
  case olderThanDays(Int)
  /// At least and at most so many bytes long, as far as the length is known; an unknown one is neither.
  case bytes(atLeast: Int64?, atMost: Int64?)

  /// Met by all downloads.
  public static let everything = Condition.all([])

  /// The limits of what a client may ask for.
  public enum Limits {
    /// How many values a key may have.
    public static let values = 1000
    /// How deep conditions may stand in each other.
    public static let depth = 8
    /// How many conditions one may consist of.
    public static let parts = 256
    /// The longest text that is searched for, in bytes.
    public static let textBytes = 1024
    /// Days: up to a hundred years.
    public static let days = 0...36_500
  }
}

extension Condition {
  /// Whether downloads of a podcast and these traits, as clients see them, meet it; nil where that is not all that it
  /// looks at.
  public func isMet(by traits: Traits, podcast: String?) -> Bool? {
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
    case .titleContains, .published, .newerThanDays, .olderThanDays, .bytes: return nil
    }
  }
}
