import PodfluxCore
import PodfluxPeople
import Testing

@Suite("Rules in words")
struct RulesWordsTests {
  @Test("Each rule is said in some words")
  func rules() {
    func words(_ rule: FeedRules.AutoDownload) -> [String] { FeedRules(autoDownload: rule).words }
    #expect(FeedRules.none.words == [])
    #expect(words(.init()) == ["each new one"])
    #expect(words(.init(newest: 0)) == ["each new one"])
    #expect(words(.init(newest: 3)) == ["the newest 3, then each new one"])
    #expect(words(.init(since: .all, newest: 3, order: .oldest)) == ["the oldest 3, then each new one"])
    #expect(words(.init(since: .all)) == ["all, then each new one"])
    #expect(words(.init(since: .all, order: .oldest)) == ["all, the oldest first, then each new one"])
    #expect(
      words(.init(condition: .played(false)))
        == ["each new one, of those that meet a condition, which --json shows"])
    #expect(
      FeedRules(keep: .init(newest: 5, days: 1, bytes: 2_000_000)).words
        == ["keep the newest 5", "keep each for 1 day", "keep the newest 2.0 MB"])
  }

  @Test("A part of a condition that is named is replaced; the rest stays")
  func conditions() {
    let first = EpisodeCondition.everything.changed(match: ["a"], exclude: ["b"], longest: 600)
    #expect(first == .all([.titleContains(["a"]), .not(.titleContains(["b"])), .seconds(atLeast: nil, atMost: 600)]))
    #expect(
      first.changed(shortest: 60)
        == .all([.titleContains(["a"]), .not(.titleContains(["b"])), .seconds(atLeast: 60, atMost: 600)]))
    #expect(
      EpisodeCondition.all([.titleContains(["a"]), .played(false)]).changed(match: ["c"])
        == .all([.played(false), .titleContains(["c"])]))
    #expect(first.changed().words == "with \"a\" in the title, without \"b\" in the title and of at most 10m")
    #expect(EpisodeCondition.everything.words == nil)
  }

  @Test(
    "How long an episode takes is read as people write it",
    arguments: [
      ("90", 90), ("10m", 600), ("1h30m", 5400), ("2h", 7200), ("45s", 45), ("1h0m1s", 3601), ("0", 0), ("", nil),
      ("m", nil),
      ("-5", nil), ("1m1h", nil), ("10 m", nil), ("99999999999m", nil), ("32d", nil), ("800h", nil),
    ] as [(String, Int64?)])
  func times(text: String, seconds: Int64?) {
    #expect(PlayingTimeText.seconds(of: text) == seconds)
    if let seconds { #expect(PlayingTimeText.seconds(of: PlayingTimeText.text(of: seconds)) == seconds) }
  }
}
