import Flux
import Testing

@testable import PodfluxCore

/// Episodes and a rule as given, and what is to be decided about each.
struct RuleCase: CustomTestStringConvertible {
  let name: String
  var rules: FeedRules
  /// The last episode that was there when the rule was set; nil if the feed was not read to its end.
  var watermark: Int64?
  /// How many of those that were there may still be downloaded; nil for as many as the rule says.
  var allowance: Int64?
  var assumption: RulePlanner.Assumption
  var episodes: [RuledEpisode]
  /// Episodes that are not named are left, without a reason.
  var decisions: [Int64: RuleDecision]

  init(
    _ name: String, _ rules: FeedRules, watermark: Int64? = 100, allowance: Int64? = nil,
    assuming assumption: RulePlanner.Assumption = .arrival, _ episodes: [RuledEpisode],
    gives decisions: [Int64: RuleDecision]
  ) {
    (self.name, self.rules, self.watermark, self.allowance) = (name, rules, watermark, allowance)
    (self.assumption, self.episodes, self.decisions) = (assumption, episodes, decisions)
  }

  var testDescription: String { name }

  static let now = Timestamp(day: 20_000)

  /// What the planner decides.
  func decided() -> [Int64: RuleDecision] {
    let standing = Feed.Standing(watermark: watermark, allowance: allowance ?? rules.autoDownload?.allowance ?? 0)
    let there = episodes.count { $0.id.number <= watermark ?? 0 && $0.isCountable }
    var planner = RulePlanner(rules, standing, there: Int64(there), at: Self.now, assuming: assumption)
    var decisions: [Int64: RuleDecision] = [:]
    for episode in episodes.sorted(by: { $0.place > $1.place }) {
      let decision = planner.decide(episode)
      if decision != .leave(nil) { decisions[episode.id.number] = decision }
    }
    return decisions
  }
}

extension RuledEpisode {
  /// An episode that was published on a day, by default that of its number; a higher number is newer.
  static func e(
    _ number: Int64, day: Int64? = nil, added: Int64 = 19_999, length: Int64? = 10, _ download: Presence = .never,
    hasFile: Bool = true, matches: Bool = true, missing: Bool = false, archived: Bool = false, favorite: Bool = false,
    backdated: Bool = false, passed: RuleReason? = nil
  ) -> RuledEpisode {
    RuledEpisode(
      id: EpisodeID(number: number),
      place: Place(
        moment: Timestamp(day: min(day ?? number, added)), added: Timestamp(day: added), id: EpisodeID(number: number)),
      length: length, hasFile: hasFile, isMatching: matches, isMissingFromFeed: missing, isArchived: archived,
      isFavorite: favorite, isBackdated: backdated, passedOver: passed, download: download)
  }

  /// An episode that a rule has downloaded so many days ago.
  static func here(
    _ number: Int64, bytes: Int64 = 10, daysAgo: Int = 1, favorite: Bool = false
  ) -> RuledEpisode {
    e(
      number, length: bytes, .ruled(.completed(bytes: bytes, at: RuleCase.now.advanced(byDays: -daysAgo))),
      favorite: favorite)
  }
}

extension FeedRules {
  static func auto(
    _ since: Since = .subscribe, newest: Int? = nil, order: Order = .newest, keep: Keep? = nil
  ) -> FeedRules {
    FeedRules(autoDownload: .init(since: since, newest: newest, order: order), keep: keep)
  }
}

extension RuleDecision {
  /// Among the newest that were there.
  static func newest(_ rank: Int64, of limit: Int64) -> Self {
    .download(.isAmong(rank: rank, limit: limit, order: .newest))
  }

  static func oldest(_ rank: Int64, of limit: Int64) -> Self {
    .download(.isAmong(rank: rank, limit: limit, order: .oldest))
  }

  static func beyond(_ rank: Int64, of limit: Int64, _ order: FeedRules.Order = .newest) -> Self {
    .leave(.isBeyond(rank: rank, limit: limit, order: order))
  }

  static func tooMany(_ limit: Int64) -> Self { .delete(.exceeds(.newest(limit))) }
  static func tooLarge(_ limit: Int64) -> Self { .delete(.exceeds(.bytes(limit))) }
  static func tooOld(_ limit: Int64) -> Self { .delete(.exceeds(.days(limit))) }
  static func wouldBeTooMany(_ limit: Int64) -> Self { .leave(.wouldExceed(.newest(limit))) }
  static func wouldBeTooLarge(_ limit: Int64) -> Self { .leave(.wouldExceed(.bytes(limit))) }
}
