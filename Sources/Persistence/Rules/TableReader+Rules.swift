import Flux
import GRDB
import PodfluxCore

/// What rules would do, and why they have done something.
extension TableReader {
  /// What rules would do about a feed's episodes; nil if there is no such feed.
  package func rulesPlan(_ query: RulesQuery, at moment: ConditionMoment) throws -> RulesPlan? {
    guard let feed = try feedTable.find(query.feed) else { return nil }
    var query = query
    query.limit = PageRequest.bounded(query.limit)
    return try SQLRuleReader(db: db).plan(query, for: feed, at: moment)
  }

  /// How many of a feed's episodes its rules would download as soon as it was read to its end.
  package func numberOfDownloads(of id: FeedID, at moment: ConditionMoment) throws -> Int {
    guard var feed = try feedTable.find(id) else { return 0 }
    let (rules, reader) = (feed.wishes.rules, SQLRuleReader(db: db))
    feed.standing = Feed.Standing(rules, watermark: try reader.lastEpisode(), due: nil)
    return try reader.numberOfDownloads(by: rules, for: feed, at: moment)
  }

  /// Adds to each episode what rules say of it. Cost: for each feed that has rules, and episodes without a download
  /// among these, `RuleReading.verdicts`. Nothing else of the feeds is read.
  func explain(_ items: inout [EpisodesSnapshot.Item], at moment: ConditionMoment) throws {
    var open: [Feed.Key: Set<EpisodeID>] = [:]
    for index in items.indices {
      let (episode, isHere) = (items[index].episode, items[index].state != nil)
      items[index].verdict = episode.verdict(isHere: isHere)
      if items[index].verdict == nil, !isHere { open[episode.feed, default: []].insert(episode.id) }
    }
    let reader = SQLRuleReader(db: db)
    var explained: [EpisodeID: RuleVerdict] = [:]
    for feed in try reader.feeds(open.keys.sorted()) where feed.rules.autoDownload != nil {
      let verdicts = try reader.verdicts(of: open[feed.key] ?? [], in: feed, at: moment)
      explained.merge(verdicts) { first, _ in first }
    }
    for index in items.indices where items[index].verdict == nil {
      items[index].verdict = explained[items[index].episode.id]
    }
  }
}
