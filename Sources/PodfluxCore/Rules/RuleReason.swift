/// Why a rule downloads or deletes an episode, or leaves it.
///
/// Use: `episodes.items.first?.verdict?.reason`; its `sentence` is for people.
public enum RuleReason: Hashable, Sendable, Codable {
  // Why it is downloaded.

  /// The episode has appeared since the rule was set.
  case isNew
  /// The episode is among the first of those that existed when the rule was set.
  case isAmong(rank: Int64, limit: Int64, order: FeedRules.Order)
  /// The episode existed when the rule was set, and the rule takes all.
  case takesAll
  /// A rule had downloaded the episode, and its file was missing for a time.
  case hasReturned

  // Why it is not.

  /// The episode existed when the rule was set, and others come before it.
  case isBeyond(rank: Int64, limit: Int64, order: FeedRules.Order)
  /// The episode existed when the rule was set, and the rule takes new ones only.
  case wasThere
  /// The episode existed when the rule was set, and was found only after the rule had chosen among the existing ones.
  case cameTooLate
  /// The rule's condition excludes the episode.
  case isExcluded
  /// The episode has appeared since the rule was set, but its date says that it is an old one.
  case isBackdated
  /// The episode was downloaded before, and a person has removed the download, or the file was lost.
  case wasRemoved
  /// A person has archived it.
  case isArchived
  /// The feed does not have it any more.
  case hasLeftFeed
  /// The feed names no file for it.
  case hasNoFile
  /// The feed was not read to its end yet.
  case isUnread
  /// The rule's `keep` would delete the episode at once.
  case wouldExceed(Limit)

  // Why it is deleted.

  /// The episode is beyond what the rule keeps.
  case exceeds(Limit)
  /// The storage quota needs the episode's room, and no older episode was left to delete.
  case exceedsQuota
  /// The episode is larger than the whole storage quota.
  case exceedsQuotaAlone

  /// The limit of `keep` that an episode exceeds.
  ///
  /// ```swift
  /// for case .exceeds(let limit) in plan.deletions.map(\.reason) { print("beyond", limit) }
  /// ```
  public enum Limit: Hashable, Sendable, Codable {
    /// So many of the newest.
    case newest(Int64)
    /// Each for so many days.
    case days(Int64)
    /// So many bytes of the newest.
    case bytes(Int64)
  }

  /// Which rule decides.
  package enum Rule: String, Hashable, Sendable, CaseIterable {
    case autoDownload, keep, storageQuota
  }

  /// Which of its clauses does.
  package enum Clause: String, Hashable, Sendable, CaseIterable {
    case since, newest, order, `where`, days, bytes
    /// No clause of its own: the reason holds for all rules.
    case always
  }

  package var rule: Rule {
    switch self {
    case .wouldExceed, .exceeds: .keep
    case .exceedsQuota, .exceedsQuotaAlone: .storageQuota
    default: .autoDownload
    }
  }

  package var clause: Clause {
    switch self {
    case .isNew, .takesAll, .wasThere: .since
    case .isAmong(_, _, let order), .isBeyond(_, _, let order): order == .newest ? .newest : .order
    case .cameTooLate: .newest
    case .isExcluded: .where
    case .hasReturned, .isBackdated, .wasRemoved, .isArchived, .hasLeftFeed, .hasNoFile, .isUnread: .always
    case .wouldExceed(let limit), .exceeds(let limit): limit.clause
    case .exceedsQuota, .exceedsQuotaAlone: .bytes
    }
  }

  /// Its place among those that the clause counts, from 1.
  public var rank: Int64? {
    switch self {
    case .isAmong(let rank, _, _), .isBeyond(let rank, _, _): rank
    default: nil
    }
  }

  /// What the clause allows: episodes, days or bytes.
  public var limit: Int64? {
    switch self {
    case .isAmong(_, let limit, _), .isBeyond(_, let limit, _): limit
    case .wouldExceed(let limit), .exceeds(let limit): limit.number
    default: nil
    }
  }
}

extension RuleReason.Limit {
  var clause: RuleReason.Clause {
    switch self {
    case .newest: .newest
    case .days: .days
    case .bytes: .bytes
    }
  }

  var number: Int64 {
    switch self {
    case .newest(let number), .days(let number), .bytes(let number): number
    }
  }
}

/// What rules decide about an episode.
package enum RuleDecision: Hashable, Sendable {
  case download(RuleReason)
  case delete(RuleReason)
  /// Nothing is done; nil if no rule has a say.
  case leave(RuleReason?)
}

/// What rules have done about an episode or are about to do, and why.
///
/// ```swift
/// for item in episodes.items { if let verdict = item.verdict { print(item.episode.id, verdict.reason.sentence) } }
/// ```
public struct RuleVerdict: Hashable, Sendable {
  public var outcome: Outcome
  public var reason: RuleReason

  package init(_ outcome: Outcome, _ reason: RuleReason) {
    self.outcome = outcome
    self.reason = reason
  }

  /// What rules have done about an episode, or are about to do.
  ///
  /// Use: `episodes.items.first?.verdict?.outcome`.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// A rule has added the episode's download.
    case downloaded
    /// A rule is about to add the download.
    case wanted
    /// No rule downloads the episode.
    case notDownloaded
    /// A rule has deleted the download.
    case deleted
  }
}
