import Flux

/// Decides what a feed's rules do about each of its episodes.
///
/// It is given the episodes one at a time, the newest first, and holds some numbers only: its memory does not grow with
/// the feed. `keep` is a matter of the newer ones alone, so that each decision is final when it is made; and what
/// `keep` would delete at once is not downloaded, and withdrawn as long as no byte of it has come, so that the two
/// never fight.
package struct RulePlanner: Sendable {
  /// What the planner takes as given.
  package enum Assumption: Hashable, Sendable {
    /// Only completed episodes count: no episode is deleted before the one that takes its place is completed.
    case present
    /// Pending and decided downloads count as completed: the plan shows the state after all of them.
    case arrival
  }

  private let rules: FeedRules
  private let watermark: Int64?
  private let now: Timestamp
  private let assumption: Assumption
  /// How many episodes that were there meet the condition; only the order `oldest` needs it.
  private let there: Int64
  private var allowance: Int64
  /// How many of the episodes up to the watermark were looked at so far.
  private var seen: Int64 = 0
  /// The completed ones among the newer episodes.
  private var here = Tally()
  /// The completed, pending and wanted ones among the newer episodes.
  private var held = Tally()
  /// When the first of those that stay has been here long enough; nil if none ever has.
  package private(set) var nextExpiry: Timestamp?

  /// Whether an episode was too large for what is kept: then no older one is downloaded.
  private var isClosed = false

  /// Some of the newest episodes.
  private struct Tally {
    private var number: Int64 = 0
    private var bytes: Int64 = 0
    /// Whether one that was here did not fit in: then no older one does.
    private var isFull = false

    /// Which limit an older episode would exceed; nil if it fits in.
    func excess(of length: Int64, over keep: FeedRules.Keep?) -> RuleReason.Limit? {
      if let limit = keep?.newest.map(Int64.init), number >= limit { return .newest(limit) }
      guard let limit = keep?.bytes else { return nil }
      return isFull || (number > 0 && bytes.addingClamped(length) > limit) ? .bytes(limit) : nil
    }

    mutating func add(_ length: Int64) { (number, bytes) = (number + 1, bytes.addingClamped(length)) }

    /// Adds one that is here, if it fits in. Returns the limit that it exceeds.
    mutating func take(_ length: Int64, within keep: FeedRules.Keep?) -> RuleReason.Limit? {
      let excess = excess(of: length, over: keep)
      switch excess {
      case nil: add(length)
      case .bytes?: isFull = true
      case .newest?, .days?: break
      }
      return excess
    }
  }

  /// - Parameters:
  ///   - rules: The feed's rules.
  ///   - standing: How far they have come.
  ///   - there: How many of the episodes up to the watermark meet the condition (`RuleReading.countThere`); only the
  ///     order `oldest` needs it.
  ///   - now: The time.
  ///   - assumption: Whether what is on its way counts.
  package init(
    _ rules: FeedRules, _ standing: Feed.Standing, there: Int64, at now: Timestamp, assuming assumption: Assumption
  ) {
    self.rules = rules
    watermark = standing.watermark
    allowance = standing.allowance
    self.there = there
    self.now = now
    self.assumption = assumption
  }

  /// Decides about the next episode, which must not be newer than the one before.
  package mutating func decide(_ episode: RuledEpisode) -> RuleDecision {
    let rank = takeRank(episode)
    switch episode.download {
    case .never, .gone, .requested, .ruled(.failed): return decideAlone(episode) ?? candidate(episode, rank: rank)
    case .ruled(.untouched):
      guard !episode.isFavorite else { return .leave(nil) }
      // A rule would delete the episode at once.
      if let limit = excess(of: episode.length ?? 0) { return .delete(.exceeds(limit)) }
      held.add(episode.length ?? 0)
      return .leave(nil)
    case .ruled(.pending):
      if !episode.isFavorite { held.add(episode.length ?? 0) }
      return .leave(nil)
    case .ruled(.completed(let bytes, let moment)):
      guard !episode.isFavorite else { return .leave(nil) }
      return kept(bytes, since: moment)
    }
  }

  /// The decision about an episode that needs no look at other episodes; nil if they matter.
  package func decideAlone(_ episode: RuledEpisode) -> RuleDecision? {
    switch episode.download {
    case .never: break
    case .gone: return .leave(rules.autoDownload == nil ? nil : .wasRemoved)
    case .requested, .ruled(.failed): return .leave(nil)
    case .ruled(.untouched), .ruled(.pending), .ruled(.completed): return nil
    }
    guard let rule = rules.autoDownload else { return .leave(nil) }
    guard let watermark else { return .leave(.isUnread) }
    if !episode.hasFile { return .leave(.hasNoFile) }
    if !episode.isMatching { return .leave(.isExcluded) }
    if episode.isMissingFromFeed { return .leave(.hasLeftFeed) }
    if episode.isArchived { return .leave(.isArchived) }
    guard episode.id.number > watermark else { return rule.allowance > 0 ? nil : .leave(.wasThere) }
    if episode.isBackdated { return .leave(.isBackdated) }
    return episode.passedOver.map { .leave($0) }
  }

  /// Which part of the episodes that were there come before an episode in the rule's order; nil if it was not there
  /// itself.
  package func part(before episode: RuledEpisode) -> RulePart? {
    guard let watermark, episode.id.number <= watermark else { return nil }
    return rules.autoDownload?.order == .oldest ? .older(than: episode.place) : .newer(than: episode.place)
  }

  /// What is decided about an episode that was there and has this rank among those; nil if other things matter, too.
  package func decide(byRank rank: Int64) -> RuleDecision? {
    guard let rule = rules.autoDownload, rank > rule.allowance else { return nil }
    return .leave(.isBeyond(rank: rank, limit: rule.allowance, order: rule.order))
  }

  /// The place among the episodes that were there, in the rule's order.
  private mutating func takeRank(_ episode: RuledEpisode) -> Int64? {
    guard let watermark, episode.id.number <= watermark, episode.isCountable else { return nil }
    seen += 1
    return rules.autoDownload?.order == .oldest ? there - seen + 1 : seen
  }

  /// - Parameter rank: Its rank among those that were there; nil if it is new.
  private mutating func candidate(_ episode: RuledEpisode, rank: Int64?) -> RuleDecision {
    guard let rule = rules.autoDownload else { return .leave(nil) }
    var reason = RuleReason.isNew
    if let rank {
      if let decision = decide(byRank: rank) { return decision }
      guard allowance > 0 else {
        let excess = episode.isFavorite ? nil : excess(of: episode.length ?? 0)
        return .leave(excess.map(RuleReason.wouldExceed) ?? .cameTooLate)
      }
      let limit = rule.allowance
      reason = limit == FeedRules.Limits.everything ? .takesAll : .isAmong(rank: rank, limit: limit, order: rule.order)
    }
    // A favorite stays in any case, and takes no place.
    if !episode.isFavorite {
      if let limit = excess(of: episode.length ?? 0) { return .leave(.wouldExceed(limit)) }
      held.add(episode.length ?? 0)
    }
    if rank != nil { allowance -= 1 }
    return .download(reason)
  }

  /// Which limit a download would exceed at once; nil if it would stay.
  private mutating func excess(of length: Int64) -> RuleReason.Limit? {
    let excess = held.excess(of: length, over: rules.keep)
    if case .bytes? = excess { isClosed = true }
    return excess ?? (isClosed ? rules.keep?.bytes.map(RuleReason.Limit.bytes) : nil)
  }

  private mutating func kept(_ bytes: Int64, since moment: Timestamp) -> RuleDecision {
    let expiry = rules.keep?.days.map { moment.advanced(byDays: $0) }
    if let days = rules.keep?.days, let expiry, expiry <= now { return .delete(.exceeds(.days(Int64(days)))) }
    let excess: RuleReason.Limit?
    switch assumption {
    case .present:
      excess = here.take(bytes, within: rules.keep)
      if excess == nil { held.add(bytes) }
    case .arrival: excess = held.take(bytes, within: rules.keep)
    }
    if case .bytes? = excess { isClosed = true }
    if let excess { return .delete(.exceeds(excess)) }
    if let expiry { nextExpiry = Timestamp.earlier(nextExpiry, expiry) }
    return .leave(nil)
  }
}

extension RuledEpisode {
  /// Whether it has a place among those that were there.
  var isCountable: Bool { hasFile && isMatching && !isMissingFromFeed }
}
