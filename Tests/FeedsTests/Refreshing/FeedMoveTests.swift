import Feeds
import PodfluxCore
import Testing

@Suite("Moves of feeds")
struct FeedMoveTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var story: String
    /// The feed's guid, and how many of its episodes are known.
    var guid: String?
    var known = 10
    var proposed = "https://new.example/feed"
    /// What is found there.
    var foundGuid: String?
    var episodes = 10
    var matched = 10
    var leadsTo: String?
    var judgement = FeedMove.Judgement.accept

    var testDescription: String { story }
  }

  /// The feed is at https://now.example/feed and was at https://old.example/feed.
  private static let cases = [
    Case(story: "the same episodes"),
    Case(story: "one known episode", episodes: 100, matched: 1),
    Case(story: "no known episode", matched: 0, judgement: .refuse(.otherContent)),
    Case(story: "no episode at all", episodes: 0, matched: 0, judgement: .refuse(.otherContent)),
    Case(story: "the same guid and other episodes", guid: "p", foundGuid: "p", matched: 0),
    Case(
      story: "another guid and other episodes", guid: "p", foundGuid: "q", matched: 0, judgement: .refuse(.otherContent)
    ),
    Case(story: "another guid and the same episodes", guid: "p", foundGuid: "q"),
    Case(
      story: "the feed of a whole network", guid: "p", known: 200, foundGuid: "q", episodes: 100, matched: 5,
      judgement: .refuse(.otherContent)),
    Case(
      story: "another guid and half of a long feed", guid: "p", known: 200, foundGuid: "q", episodes: 20, matched: 10),
    Case(
      story: "another guid and no episode known yet", guid: "p", known: 0, foundGuid: "q", matched: 0,
      judgement: .refuse(.otherContent)),
    Case(story: "no episode known yet", known: 0, matched: 0),
    Case(story: "a guid on one side only", guid: "p", matched: 0, judgement: .refuse(.otherContent)),
    Case(story: "the same address", proposed: "https://now.example/feed", judgement: .refuse(.sameAddress)),
    Case(story: "the new address names itself", leadsTo: "https://new.example/feed"),
    Case(story: "the new address names a further one", leadsTo: "https://third.example/feed"),
    Case(story: "the new address sends back", leadsTo: "https://now.example/feed", judgement: .refuse(.loop)),
    Case(
      story: "the new address sends to a former one", leadsTo: "https://old.example/feed", judgement: .refuse(.loop)),
    Case(story: "the feed comes back to a former address", proposed: "https://old.example/feed"),
    Case(
      story: "a former address still sends away", proposed: "https://old.example/feed",
      leadsTo: "https://third.example/feed", judgement: .refuse(.loop)),
  ]

  @Test("A move is judged by what is at the new address", arguments: cases)
  func judgement(_ example: Case) throws {
    let move = FeedMove(
      address: try WebAddress("https://now.example/feed"),
      formerAddresses: [try WebAddress("https://old.example/feed")],
      podcastGuid: example.guid, knownEpisodes: example.known)
    let finding = FeedMove.Finding(
      podcastGuid: example.foundGuid, episodes: example.episodes, matchedEpisodes: example.matched,
      leadsTo: try example.leadsTo.map { try WebAddress($0) })
    #expect(move.judge(try WebAddress(example.proposed), found: finding) == example.judgement)
  }
}
