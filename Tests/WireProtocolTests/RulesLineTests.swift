import Flux
import PodfluxCore
import Testing

@testable import WireProtocol

@Suite("Lines about rules")
struct RulesLineTests {
  private func request(_ line: String) throws -> Request {
    try LineDecoder().decode(Array(line.utf8), number: 1).content.get()
  }

  private func update(_ rules: String) throws -> FeedRules? {
    guard
      case .intent(.podcasts(.update(_, let update))) = try request(
        #"{"type":"feeds/update","payload":{"id":"f","rules":\#(rules)}}"#)
    else { return nil }
    return update.rules
  }

  @Test("Rules are read with their defaults")
  func reading() throws {
    #expect(try update("{}") == FeedRules.none)
    #expect(try update(#"{"autoDownload":{}}"#) == FeedRules(autoDownload: .init()))
    #expect(
      try update(
        #"{"autoDownload":{"since":"all","newest":3,"order":"oldest","where":{"titleContains":"x"}},"keep":{"newest":1,"days":2,"bytes":3}}"#
      )
        == FeedRules(
          autoDownload: .init(since: .all, newest: 3, order: .oldest, condition: .titleContains(["x"])),
          keep: .init(newest: 1, days: 2, bytes: 3)))
  }

  @Test(
    "Each hostile rule gets one clear error",
    arguments: [
      (#"null"#, "invalid_value", "payload.rules"), (#"[]"#, "invalid_value", "payload.rules"),
      (#"{"autodownload":{}}"#, "unknown_field", "payload.rules.autodownload"),
      (#"{"keep":{"played":"delete"}}"#, "unknown_field", "payload.rules.keep.played"),
      (#"{"autoDownload":3}"#, "invalid_value", "payload.rules.autoDownload"),
      (#"{"autoDownload":{"newest":-1}}"#, "invalid_value", "payload.rules.autoDownload.newest"),
      (#"{"autoDownload":{"newest":1.5}}"#, "invalid_value", "payload.rules.autoDownload.newest"),
      (#"{"autoDownload":{"newest":99999999999999999999}}"#, "invalid_value", "payload.rules.autoDownload.newest"),
      (#"{"autoDownload":{"since":"yesterday"}}"#, "invalid_value", "payload.rules.autoDownload.since"),
      (#"{"autoDownload":{"order":"random"}}"#, "invalid_value", "payload.rules.autoDownload.order"),
      (#"{"autoDownload":{"where":{"titel":"x"}}}"#, "unknown_field", "payload.rules.autoDownload.where.titel"),
      (#"{"keep":{"newest":0}}"#, "invalid_value", "payload.rules.keep.newest"),
      (#"{"keep":{"days":36501}}"#, "invalid_value", "payload.rules.keep.days"),
      (#"{"keep":{"bytes":0}}"#, "invalid_value", "payload.rules.keep.bytes"),
    ])
  func hostile(rules: String, code: String, path: String) throws {
    let refusal = #expect(throws: Refusal.self) { try update(rules) }
    #expect(refusal?.code.rawValue == code && refusal?.path == path, "\(String(describing: refusal))")
  }

  @Test("A condition that is longer than each refresh can read is refused")
  func longCondition() throws {
    let texts = (0..<20).map { "\"\($0)" + String(repeating: "x", count: 1000) + "\"" }.joined(separator: ",")
    let refusal = #expect(throws: Refusal.self) {
      try update(#"{"autoDownload":{"where":{"titleContains":[\#(texts)]}}}"#)
    }
    #expect(refusal?.code == .limitExceeded && refusal?.path == "payload.rules.autoDownload.where")
  }

  @Test("A plan is asked for page by page, and a forged cursor is refused")
  func plans() throws {
    let place = RuledEpisode.Place(
      moment: Timestamp(milliseconds: -5), added: Timestamp(milliseconds: 1 << 50), id: EpisodeID(number: 7))
    let cursor = RulesCursor(place: place)
    #expect(RulesCursor(text: cursor.text) == cursor)
    let line = #"{"type":"rules/plan","payload":{"id":"f","rules":{},"limit":5,"after":"\#(cursor.text)"}}"#
    let id = try #require(FeedID("f"))
    #expect(try request(line) == .query(.planRules(.init(feed: id, rules: .none, limit: 5, after: cursor))))
    for forged in ["", "a", "1.2", "1.2.3.4", "A.1.1", "1.1.zzzzzzzzzzzzzzzzzz", "01.1.1"] {
      #expect(throws: Refusal.self, "\(forged)") {
        try request(#"{"type":"rules/plan","payload":{"id":"f","rules":{},"after":"\#(forged)"}}"#)
      }
    }
    for payload in [#"{"id":"f"}"#, #"{"rules":{}}"#, #"{"id":"f","rules":{},"limit":0}"#, #"{"id":".","rules":{}}"#] {
      #expect(throws: Refusal.self, "\(payload)") { try request(#"{"type":"rules/plan","payload":\#(payload)}"#) }
    }
  }

  @Test("A plan and a reason are written with each of their members")
  func writing() {
    var encoder = LineEncoder()
    let plan = RulesPlan(
      downloads: [.init(episode: EpisodeID(number: 5), reason: .isAmong(rank: 2, limit: 3, order: .newest))],
      deletions: [.init(episode: EpisodeID(number: 1), reason: .exceeds(.days(7)))])
    encoder.answer(.rulesPlan(plan), id: nil, revision: 1)
    #expect(
      String(decoding: encoder.bytes, as: UTF8.self)
        == #"{"meta":{"revision":1},"payload":{"delete":[{"because":{"clause":"days","limit":7,"rank":null,"rule":"keep","text":"rule \"keep for 7 days\" keeps it no longer"},"episode":"e1"}],"download":[{"because":{"clause":"newest","limit":3,"rank":2,"rule":"autoDownload","text":"rule \"newest 3\" takes it (it was the 2nd newest)"},"episode":"e5"}],"next":null},"type":"ok"}"#
        + "\n")
  }
}
