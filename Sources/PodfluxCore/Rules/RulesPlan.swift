import Flux

/// What rules would do about a feed's episodes if they were set now.
///
/// ```swift
/// let query = RulesQuery(feed: feed.id, rules: .init(keep: .init(newest: 5)))
/// print(try await podflux.rulesPlan(query).deletions.count, "episodes would be deleted")
/// ```
public struct RulesQuery: Hashable, Sendable {
  public var feed: FeedID
  public var rules: FeedRules
  /// How many decisions a page has at most; the nearest number from 1 to `PageRequest.maximumLimit` counts.
  public var limit: Int
  /// Where the page before it ended; nil for the first page.
  public var after: RulesCursor?

  public init(feed: FeedID, rules: FeedRules, limit: Int = 100, after: RulesCursor? = nil) {
    self.feed = feed
    self.rules = rules
    self.limit = limit
    self.after = after
  }
}

/// The place at which a page of a plan ended; each page has the newest episodes first. It stays right while episodes
/// come and go.
///
/// ```swift
/// var query = RulesQuery(feed: feed.id, rules: .init(autoDownload: .init(since: .all)))
/// query.after = try await podflux.rulesPlan(query).next
/// ```
public struct RulesCursor: Hashable, Sendable {
  package var place: RuledEpisode.Place

  package init(place: RuledEpisode.Place) {
    self.place = place
  }
}

/// A page of what rules would do, once all that is to come has come.
///
/// ```swift
/// let plan = try await podflux.rulesPlan(.init(feed: feed.id, rules: .init(autoDownload: .init(newest: 3))))
/// for entry in plan.downloads { print(entry.episode, entry.reason.sentence) }
/// ```
public struct RulesPlan: Hashable, Sendable {
  /// One episode that rules would download or delete, and why.
  ///
  /// Use: `plan.downloads.first`.
  public struct Entry: Hashable, Sendable {
    public var episode: EpisodeID
    public var reason: RuleReason

    package init(episode: EpisodeID, reason: RuleReason) {
      self.episode = episode
      self.reason = reason
    }
  }

  public var downloads: [Entry]
  public var deletions: [Entry]
  /// Where the next page begins; nil if this is the last.
  public var next: RulesCursor?

  /// Nothing, by default.
  package init(downloads: [Entry] = [], deletions: [Entry] = [], next: RulesCursor? = nil) {
    self.downloads = downloads
    self.deletions = deletions
    self.next = next
  }
}

extension Feed {
  /// How far other rules would have come if they were set now.
  func standing(with rules: FeedRules, lastEpisode: Int64) -> Standing {
    guard rules.autoDownload != wishes.rules.autoDownload else { return standing }
    return Standing(rules, watermark: refreshes.last == nil ? nil : lastEpisode, due: nil)
  }
}

extension RuleReading {
  /// What rules would do about a feed's episodes. Cost: the feed's episodes, of which one at a time is in memory.
  package func plan(_ query: RulesQuery, for feed: Feed, at moment: ConditionMoment) throws -> RulesPlan {
    var (plan, last) = (RulesPlan(), RuledEpisode.Place?.none)
    let standing = feed.standing(with: query.rules, lastEpisode: try lastEpisode())
    try decide(query.rules, standing, of: feed.key, at: moment) { decision, episode in
      switch decision {
      case .leave: return true
      case .download, .delete: if let after = query.after, episode.place >= after.place { return true }
      }
      guard plan.downloads.count + plan.deletions.count < query.limit else {
        plan.next = last.map(RulesCursor.init)
        return false
      }
      last = episode.place
      switch decision {
      case .download(let reason): plan.downloads.append(.init(episode: episode.id, reason: reason))
      case .delete(let reason): plan.deletions.append(.init(episode: episode.id, reason: reason))
      case .leave: break
      }
      return true
    }
    return plan
  }

  /// How many episodes rules would download. Cost: as that of a plan.
  package func numberOfDownloads(by rules: FeedRules, for feed: Feed, at moment: ConditionMoment) throws -> Int {
    var number = 0
    let standing = feed.standing(with: rules, lastEpisode: try lastEpisode())
    try decide(rules, standing, of: feed.key, at: moment) { decision, _ in
      if case .download = decision { number += 1 }
      return true
    }
    return number
  }

  /// What a feed's own rules say of some of its episodes that have no download. Cost: for each episode that something
  /// but its place decides about, itself; for each of the others a count of the feed's episodes, or a plan for all of
  /// them.
  package func verdicts(
    of episodes: Set<EpisodeID>, in feed: RuledFeed, at moment: ConditionMoment
  ) throws -> [EpisodeID: RuleVerdict] {
    let (rules, standing) = (feed.rules, feed.standing)
    let scope = RuleScope(feed: feed.key, rules: rules, watermark: standing.watermark, isSettled: false)
    let planner = RulePlanner(rules, standing, there: 0, at: moment.now, assuming: .arrival)
    var verdicts: [EpisodeID: RuleVerdict] = [:]
    var open: [RuledEpisode] = []
    for episode in try some(episodes.sorted(), of: scope, at: moment) {
      guard let decision = planner.decideAlone(episode) else {
        open.append(episode)
        continue
      }
      verdicts[episode.id] = RuleVerdict(decision)
    }
    if open.count <= Self.countedEpisodes {
      try open.removeAll { episode in
        guard let part = planner.part(before: episode) else { return false }
        let rank = try countThere(scope, in: part, at: moment) + 1
        guard let decision = planner.decide(byRank: rank) else { return false }
        verdicts[episode.id] = RuleVerdict(decision)
        return true
      }
    }
    guard !open.isEmpty else { return verdicts }
    var rest = Set(open.map(\.id))
    try decide(rules, standing, of: feed.key, at: moment) { decision, episode in
      if rest.remove(episode.id) != nil { verdicts[episode.id] = RuleVerdict(decision) }
      return !rest.isEmpty
    }
    return verdicts
  }

  /// For how many episodes of a feed counting costs less than a plan.
  private static var countedEpisodes: Int { 4 }

  private func decide(
    _ rules: FeedRules, _ standing: Feed.Standing, of feed: Feed.Key, at moment: ConditionMoment,
    _ body: (RuleDecision, RuledEpisode) throws -> Bool
  ) throws {
    let scope = RuleScope(feed: feed, rules: rules, watermark: standing.watermark, isSettled: false)
    let there = rules.autoDownload?.order == .oldest ? try countThere(scope, in: .all, at: moment) : 0
    var planner = RulePlanner(rules, standing, there: there, at: moment.now, assuming: .arrival)
    try walk(scope, at: moment) { try body(planner.decide($0), $0) }
  }
}

extension RuleVerdict {
  /// What a decision about an episode without a download says; nil if it says nothing.
  fileprivate init?(_ decision: RuleDecision) {
    switch decision {
    case .download(let reason): self.init(.wanted, reason)
    case .leave(let reason?): self.init(.notDownloaded, reason)
    case .leave(nil), .delete: return nil
    }
  }
}

extension Episode {
  /// What a rule has done about it; nil if none has, or if that is asked of the feed's rules as they are now.
  ///
  /// - Parameter isHere: Whether its download exists.
  package func verdict(isHere: Bool) -> RuleVerdict? {
    switch (ruling, isHere) {
    case (.downloaded(let reason)?, true): RuleVerdict(.downloaded, reason)
    case (.downloaded?, false): RuleVerdict(.notDownloaded, .wasRemoved)
    case (.deleted(let reason)?, false): RuleVerdict(.deleted, reason)
    case (.deleted?, true), (.passedOver?, _), (nil, _): nil
    }
  }
}
