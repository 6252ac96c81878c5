import Flux
import Testing

@testable import PodfluxCore

@Suite("The planner of rules")
struct RulePlannerTests {
  @Test("Each case is decided as its values say", arguments: RuleCase.autoDownload + RuleCase.keep)
  func table(given: RuleCase) {
    #expect(given.decided() == given.decisions)
  }

  @Test("There are sixty cases and more, each with a name of its own")
  func size() {
    let names = (RuleCase.autoDownload + RuleCase.keep).map(\.name)
    #expect(names.count >= 60)
    #expect(Set(names).count == names.count)
  }

  @Test("A sentence names the rule and the place")
  func sentences() {
    let reason = RuleReason.isBeyond(rank: 5, limit: 3, order: .newest)
    #expect(reason.sentence == "rule \"newest 3\" ends before it (it is the 5th newest)")
    #expect((reason.rule, reason.clause, reason.rank, reason.limit) == (.autoDownload, .newest, 5, 3))
    #expect(RuleReason.isAmong(rank: 1, limit: 2, order: .oldest).sentence.hasSuffix("(it was the oldest)"))
    let places = [1, 2, 3, 11, 12, 13, 22, 112].map {
      RuleReason.isBeyond(rank: $0, limit: 0, order: .newest).sentence.drop { $0 != "(" }
    }
    #expect(
      places.map { $0.dropFirst(11).prefix { $0 != " " } } == [
        "newest)", "2nd", "3rd", "11th", "12th", "13th", "22nd", "112th",
      ])
  }

  @Test("The next expiry is that of the first that stays")
  func expiry() {
    var planner = RulePlanner(
      FeedRules(keep: .init(days: 7)), Feed.Standing(), there: 0, at: RuleCase.now, assuming: .present)
    for episode: RuledEpisode in [.here(3, daysAgo: 1), .here(2, daysAgo: 5), .here(1, daysAgo: 8)] {
      _ = planner.decide(episode)
    }
    #expect(planner.nextExpiry == RuleCase.now.advanced(byDays: 2))
  }
}
