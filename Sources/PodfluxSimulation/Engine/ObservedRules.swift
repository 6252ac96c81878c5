import Flux
import PodfluxCore

/// The rules' table, watched. The sabotages that concern rules are built in here.
struct ObservedRules: RuleTable {
  let inner: any RuleTable
  let episodes: any EpisodeTable
  let notes: TransactionNotes
  let sabotage: Sabotage?

  func walk(_ scope: RuleScope, at moment: ConditionMoment, _ body: (RuledEpisode) throws -> Bool) throws {
    try inner.walk(scope, at: moment) { try body(distorted($0)) }
  }

  private func distorted(_ episode: RuledEpisode) -> RuledEpisode {
    var episode = episode
    if sabotage == .favoriteForgotten { episode.isFavorite = false }
    switch (sabotage, episode.download) {
    case (.removedForgotten, .gone): episode.download = .never
    case (.keepCountsAll, .ruled(.completed(_, let moment))):
      episode.download = .ruled(.completed(bytes: .max, at: moment))
    default: break
    }
    return episode
  }

  func lastEpisode() throws -> Int64 { sabotage == .lineForgotten ? 0 : try inner.lastEpisode() }

  func nextMoment(besides held: Set<Feed.Key>) throws -> Timestamp? { try inner.nextMoment(besides: held) }

  func update(_ standing: Feed.Standing, of feed: Feed.Key) throws {
    try inner.update(standing, of: feed)
    notes.feedWrites.append(.standing(standing, of: feed))
  }

  func makeDue(having download: DownloadID, at now: Timestamp) throws -> [Feed.Key] {
    try noted(inner.makeDue(having: download, at: now))
  }

  func makeDue(of episode: EpisodeID, at now: Timestamp) throws -> [Feed.Key] {
    try noted(inner.makeDue(of: episode, at: now))
  }

  func makeAllDue(at now: Timestamp) throws -> [Feed.Key] { try noted(inner.makeAllDue(at: now)) }

  private func noted(_ feeds: [Feed.Key]) -> [Feed.Key] {
    if !feeds.isEmpty { notes.feedWrites.append(.rulesDue) }
    return feeds
  }

  func write(_ ruling: Episode.Ruling?, of episode: EpisodeID) throws {
    let download = try episodes.find(episode)?.download
    try inner.write(ruling, of: episode)
    notes.feedWrites.append(.ruling(ruling, of: episode, download: download))
  }

  func some(_ episodes: [EpisodeID], of scope: RuleScope, at moment: ConditionMoment) throws -> [RuledEpisode] {
    try inner.some(episodes, of: scope, at: moment)
  }

  func countThere(_ scope: RuleScope, in part: RulePart, at moment: ConditionMoment) throws -> Int64 {
    try inner.countThere(scope, in: part, at: moment)
  }
  func due(at now: Timestamp, limit: Int, besides held: Set<Feed.Key>) throws -> [Feed.Key] {
    try inner.due(at: now, limit: limit, besides: held)
  }
  func newest(of feed: Feed.Key, addedBy moment: Timestamp) throws -> Timestamp? {
    try inner.newest(of: feed, addedBy: moment)
  }
  func place(having download: DownloadID) throws -> RuledEpisode.Place? { try inner.place(having: download) }
  func releasableBytes(olderThan place: RuledEpisode.Place?) throws -> Int64 {
    try inner.releasableBytes(olderThan: place)
  }
  func ruledEpisodes(having download: DownloadID) throws -> [EpisodeID] {
    sabotage == .editForgotten ? [] : try inner.ruledEpisodes(having: download)
  }
  func episode(ruledInto download: DownloadID) throws -> EpisodeID? { try inner.episode(ruledInto: download) }
  func releasable(olderThan place: RuledEpisode.Place?, limit: Int) throws -> [ReleasableDownload] {
    let found = try inner.releasable(olderThan: place, limit: limit)
    if found.isEmpty { notes.hasSearchedInVain = true }
    return switch sabotage {
    case .quotaForgotten: []
    case .quotaSearchedOnce where notes.hasSearchedInVain: []
    case .quotaTakesNewest: found.reversed()
    case .quotaTakesMore:
      found.map { release in
        var release = release
        release.bytes = 1
        return release
      }
    default: found
    }
  }
}
