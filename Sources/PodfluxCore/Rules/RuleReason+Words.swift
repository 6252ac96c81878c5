extension RuleReason {
  /// One sentence for people, without its full stop; it says "it" of the episode.
  public var sentence: String {
    switch self {
    case .isNew: "it has appeared since the rule was set"
    case .isAmong(let rank, let limit, let order):
      "rule \"\(order.rawValue) \(limit)\" takes it (it was \(Self.place(rank, order)))"
    case .takesAll: "rule \"all\" takes it"
    case .hasReturned: "a rule had downloaded it, and its file is back"
    case .isBeyond(let rank, let limit, let order):
      "rule \"\(order.rawValue) \(limit)\" ends before it (it is \(Self.place(rank, order)))"
    case .wasThere: "it was there when the rule was set, which takes new episodes only"
    case .cameTooLate: "it was not among those that the rule took when it was set"
    case .isExcluded: "the rule's condition leaves it out"
    case .isBackdated: "by its date it is an old one, although it has appeared since the rule was set"
    case .wasRemoved: "its download was removed, and no rule fetches an episode again"
    case .isArchived: "it is archived"
    case .hasLeftFeed: "its feed does not have it any more"
    case .hasNoFile: "its feed names no file for it that can be fetched"
    case .isUnread: "its feed was not read to its end yet"
    case .wouldExceed(let limit): "rule \"\(limit.words)\" would delete it at once"
    case .exceeds(.days(let days)): "rule \"\(RuleReason.Limit.days(days).words)\" keeps it no longer"
    case .exceeds(let limit): "rule \"\(limit.words)\" has no room for it any more"
    case .exceedsQuota: "the storage quota needed its room, and it was the oldest that a rule had fetched"
    case .exceedsQuotaAlone: "its file turned out to be larger than the whole storage quota"
    }
  }

  /// Such as "the 5th newest".
  private static func place(_ rank: Int64, _ order: FeedRules.Order) -> String {
    rank == 1 ? "the \(order.rawValue)" : "the \(ordinal(rank)) \(order.rawValue)"
  }

  private static func ordinal(_ number: Int64) -> String {
    let ending =
      switch (number % 100, number % 10) {
      case (11...13, _): "th"
      case (_, 1): "st"
      case (_, 2): "nd"
      case (_, 3): "rd"
      default: "th"
      }
    return "\(number)\(ending)"
  }
}

extension RuleReason.Limit {
  /// Such as "keep 3".
  var words: String {
    switch self {
    case .newest(let number): "keep \(number)"
    case .days(let number): "keep for \(number) day\(number == 1 ? "" : "s")"
    case .bytes(let number): "keep \(number) bytes"
    }
  }
}
