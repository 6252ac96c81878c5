import Flux

/// What rules do.
extension RulesStore {
  /// Applies the rules that are due, and frees what the storage quota needs.
  mutating func applyRules(reading context: Context, in turn: inout StoreTurn<Self>) throws {
    var budget = Limits.decisions
    if let due = dueAt, due <= turn.now {
      // Each once: what it wants is there only when this turn's events are delivered.
      for key in try turn.tables.rules.due(at: turn.now, limit: Limits.feeds, besides: held) where budget > 0 {
        guard let feed = try turn.tables.feeds.find(key) else { continue }
        budget -= try applyRules(of: feed, upTo: budget, reading: context, in: &turn)
      }
      dueAt = try turn.tables.rules.nextMoment(besides: held)
    }
    try freeRoom(upTo: budget, reading: context, in: &turn)
  }

  /// Carries out some of the decisions about a feed's episodes.
  ///
  /// - Returns: How many; if there are none, the feed's rules are not due any more, or it is held.
  private mutating func applyRules(
    of feed: Feed, upTo limit: Int, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws -> Int {
    let rules = feed.wishes.rules
    var standing = feed.standing
    var slice = RuleSlice(limit: limit, watermark: standing.watermark, order: rules.autoDownload?.order ?? .newest)
    let nextExpiry = try plan(of: feed, into: &slice, at: context.moment(turn.now), in: turn)
    // What takes their place comes first.
    try download(slice.downloads, of: feed, in: &turn)
    try delete(slice.withdrawals, in: &turn)
    guard slice.downloads.isEmpty, slice.passedOver.isEmpty, slice.withdrawals.count < limit else {
      for (episode, reason) in slice.passedOver { try turn.tables.rules.write(.passedOver(reason), of: episode.id) }
      standing.allowance -= Int64(slice.downloads.count { $0.episode.id.number <= standing.watermark ?? 0 })
      if !slice.hasMore, slice.withdrawals.count < limit {
        standing.allowance = 0
        if slice.deletions.isEmpty { standing.due = nextExpiry }
      }
      try turn.tables.rules.update(standing, of: feed.key)
      return slice.downloads.count + slice.passedOver.count + slice.withdrawals.count
    }
    // It is decided about all that is there: nothing of it is fetched later because something else has gone.
    if standing.watermark != nil { standing.allowance = 0 }
    let isLeft = isLeftToOthers(standing)
    guard slice.deletions.isEmpty || !isLeft && !context.isComparing else {
      held.insert(feed.key)
      if !isLeft { awaitingComparison.insert(feed.key) }
      try turn.tables.rules.update(standing, of: feed.key)
      return slice.withdrawals.count
    }
    try delete(slice.deletions, in: &turn)
    standing.due = slice.deletions.count == limit ? turn.now : nextExpiry
    try turn.tables.rules.update(standing, of: feed.key)
    return slice.deletions.count + slice.withdrawals.count
  }

  /// Whether what the rules of a feed owe is left to another engine.
  private func isLeftToOthers(_ standing: Feed.Standing) -> Bool {
    guard let owedUntil, let due = standing.due else { return false }
    return due <= owedUntil
  }

  /// Decides about the feed's episodes. Returns when the first of those that stay has been here long enough.
  private func plan(
    of feed: Feed, into slice: inout RuleSlice, at moment: ConditionMoment, in turn: borrowing StoreTurn<Self>
  ) throws -> Timestamp? {
    let (rules, standing, table) = (feed.wishes.rules, feed.standing, turn.tables.rules)
    guard rules != .none else { return nil }
    let scope = RuleScope(
      feed: feed.key, rules: rules, watermark: standing.watermark, isSettled: standing.allowance == 0)
    let needsThere = standing.allowance > 0 && rules.autoDownload?.order == .oldest
    let there = needsThere ? try table.countThere(scope, in: .all, at: moment) : 0
    var planner = RulePlanner(rules, standing, there: there, at: moment.now, assuming: .present)
    try table.walk(scope, at: moment) { episode in
      slice.take(planner.decide(episode), on: episode)
      return !slice.isFull
    }
    return planner.nextExpiry
  }

  private func download(
    _ chosen: [RuleSlice.Choice], of feed: Feed, in turn: inout StoreTurn<Self>
  ) throws {
    for (ruled, reason) in chosen {
      guard let episode = try turn.tables.episodes.find(ruled.id),
        let wish = DownloadIntent.Enqueue(of: episode, in: feed, origin: .auto)
      else { throw StateFault("the episode \(ruled.id) was there a moment ago") }
      try turn.tables.rules.write(.downloaded(reason), of: ruled.id)
      turn.tell(.rules(.wanted(ruled.id, wish)))
    }
  }

  private func delete(_ chosen: [RuleSlice.Choice], in turn: inout StoreTurn<Self>) throws {
    var downloads: [DownloadID] = []
    for (ruled, reason) in chosen {
      guard let download = try turn.tables.episodes.find(ruled.id)?.download else { continue }
      try turn.tables.rules.write(.deleted(reason), of: ruled.id)
      downloads.append(download)
    }
    if !downloads.isEmpty { turn.tell(.rules(.unwanted(downloads, for: nil))) }
  }
}
