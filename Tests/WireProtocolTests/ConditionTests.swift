import Flux
import PodfluxCore
import Testing
import WireProtocol

@Suite("A condition")
struct ConditionTests {
  private static let moment = Timestamp(milliseconds: 1_795_230_000_000)

  @Test(
    "of one key is what that key says",
    arguments: [
      (#"{"state":"failed"}"#, Condition.states([.failed])),
      (#"{"state":["failed"]}"#, .states([.failed])),
      (#"{"state":["waiting","queued","waiting"]}"#, .states([.waiting, .queued])),
      (#"{"id":"a"}"#, .ids([DownloadID("a")!])), (#"{"id":["a","b"]}"#, .ids([DownloadID("a")!, DownloadID("b")!])),
      (#"{"url":"https://a.example/1?token=x"}"#, .urls(["https://a.example/1"])),
      (#"{"feed":["a"]}"#, .feeds([FeedID("a")!])),
      (#"{"reason":["host","storage"]}"#, .reasons([.host, .storage])),
      (#"{"podcast":"Show \"A\""}"#, .podcasts(["Show \"A\""])),
      (#"{"podcast":["é","e\u0301",""]}"#, .podcasts(["é", "e\u{301}", ""])),
      (#"{"origin":"auto"}"#, .origins([.auto])),
      (#"{"media":["video","other"]}"#, .media([.video, .other])),
      (#"{"titleContains":"%_'"}"#, .titleContains(["%_'"])),
      (#"{"titleExcludes":["a","b"]}"#, .not(.titleContains(["a", "b"]))),
      (#"{"publishedAfter":"2026-11-21T04:00:00+01:00"}"#, .published(after: moment, before: nil)),
      (#"{"publishedBefore":"2026-11-21T03:00:00Z"}"#, .published(after: nil, before: moment)),
      (#"{"newerThanDays":0}"#, .newerThanDays(0)), (#"{"olderThanDays":36500}"#, .olderThanDays(36_500)),
      (#"{"minBytes":0}"#, .bytes(atLeast: 0, atMost: nil)),
      (#"{"maxBytes":9007199254740992}"#, .bytes(atLeast: nil, atMost: 1 << 53)),
      (#"{"errorCode":["not_found","gone"]}"#, .errorCodes([.notFound, .gone])),
      (#"{"not":{"state":"paused"}}"#, .not(.states([.paused]))),
      (#"{"any":[{"state":"failed"},{"media":"video"}]}"#, .any([.states([.failed]), .media([.video])])),
    ])
  func keys(json: String, condition: Condition) throws {
    #expect(try decode(json) == condition)
    guard case .podcasts(let names) = condition, case .podcasts(let read) = try decode(json) else { return }
    // Equal texts may be written in other bytes, and names are compared byte by byte.
    #expect(read.map { Array($0.utf8) } == names.map { Array($0.utf8) })
  }

  @Test("of several keys is met by what meets each, in any order")
  func several() throws {
    let expected = Condition.all([
      .ids([DownloadID("a")!]), .feeds([FeedID("a")!]), .states([.failed]), .podcasts(["A"]),
      .published(after: Self.moment, before: Self.moment),
      .bytes(atLeast: 1, atMost: 2), .not(.origins([.auto])), .any([.media([.audio]), .errorCodes([.gone])]),
    ])
    let keys = [
      #""id":"a""#, #""feed":"a""#,
      #""state":"failed""#, #""podcast":"A""#, #""publishedAfter":"2026-11-21T03:00:00Z""#,
      #""publishedBefore":"2026-11-21T03:00:00Z""#, #""minBytes":1"#, #""maxBytes":2"#, #""not":{"origin":"auto"}"#,
      #""any":[{"media":"audio"},{"errorCode":"gone"}]"#,
    ]
    var random = SeededGenerator(seed: 6)
    for _ in 0..<20 {
      #expect(try decode("{\(keys.shuffled(using: &random).joined(separator: ","))}") == expected)
    }
  }

  @Test("with a text of which nothing can be seen is refused", arguments: ["\u{AD}", "\u{200B}", "\u{301}"])
  func invisible(text: String) {
    for key in ["titleContains", "titleExcludes"] {
      #expect {
        try decode(#"{"\#(key)":"\#(text)"}"#)
      } throws: { error in
        (error as? Refusal)?.code == .invalidValue
      }
    }
  }

  @Test(
    "has one part for each key, so that it can be written down again",
    arguments: [
      ("{}", Condition.everything), (#"{"any":[{}]}"#, .any([.everything])),
      (#"{"not":{}}"#, .not(.everything)),
      (
        #"{"media":"audio","any":[{"media":"audio","origin":"user"}]}"#,
        .all([.media([.audio]), .any([.all([.origins([.user]), .media([.audio])])])])
      ),
      (
        #"{"not":{"titleContains":"b"},"titleExcludes":"a"}"#,
        .all([.not(.titleContains(["a"])), .not(.titleContains(["b"]))])
      ),
    ])
  func parts(json: String, condition: Condition) throws {
    #expect(try decode(json) == condition)
  }

  /// A program may join what a line joins in another way: the last part that wanted a key was all that was said.
  @Test(
    "of which parts want the same key is said with all of them",
    arguments: [
      (
        Condition.all([.titleContains(["a"]), .titleContains(["b"])]),
        Condition.all([.titleContains(["a"]), .not(.not(.titleContains(["b"])))])
      ),
      (
        .all([.not(.states([.paused])), .not(.media([.video])), .not(.origins([.auto]))]),
        .not(.any([.states([.paused]), .media([.video]), .origins([.auto])]))
      ),
      (
        .all([.any([.states([.paused])]), .any([.media([.video])]), .not(.origins([.auto]))]),
        .all([.not(.any([.not(.any([.media([.video])])), .origins([.auto])])), .any([.states([.paused])])])
      ),
      (
        .all([.bytes(atLeast: 1, atMost: nil), .bytes(atLeast: 2, atMost: 3)]),
        .all([.bytes(atLeast: 1, atMost: nil), .not(.not(.bytes(atLeast: 2, atMost: 3)))])
      ),
      (.all([.bytes(atLeast: 1, atMost: nil), .bytes(atLeast: nil, atMost: 3)]), .bytes(atLeast: 1, atMost: 3)),
      (.any([]), .not(.everything)),
    ])
  func sameKeys(condition: Condition, said: Condition) throws {
    var encoder = RequestEncoder()
    encoder.append(.intent(.downloads(.pause(.matching(condition)))), id: 1)
    let request = try LineDecoder().decode(Array(encoder.bytes.dropLast()), number: 1).content.get()
    #expect(request == .intent(.downloads(.pause(.matching(said)))))
  }

  @Test("on episodes of which parts want the same key is said with all of them")
  func sameKeysOfEpisodes() throws {
    var update = PodcastIntent.Update()
    let condition = EpisodeCondition.all([
      .not(.played(true)), .not(.kinds([.trailer])), .titleContains(["a"]), .titleContains(["b"]),
    ])
    update.rules = FeedRules(autoDownload: .init(condition: condition))
    let feed = try #require(FeedID("a"))
    guard case .podcasts(.update(_, let said)) = try Intent.podcasts(.update(feed, update)).asSaid() else {
      Issue.record("another action was said")
      return
    }
    let excluded: [EpisodeCondition] = [.played(true), .kinds([.trailer]), .not(.titleContains(["b"]))]
    #expect(said.rules?.autoDownload?.condition == .all([.titleContains(["a"]), .not(.any(excluded))]))
  }

  @Test("may be as deep, and of as many conditions and values, as its limits say")
  func largest() throws {
    let depth = Condition.Limits.depth
    let deep = String(repeating: #"{"not":"#, count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
    #expect(try decode(deep) == (1..<depth).reduce(Condition.everything) { condition, _ in .not(condition) })
    let many = Array(repeating: #"{"origin":"user"}"#, count: Condition.Limits.parts - 1).joined(separator: ",")
    #expect(try decode(#"{"any":[\#(many)]}"#) == .any(Array(repeating: .origins([.user]), count: 255)))
    let values = (0..<Condition.Limits.values).map { "\"\($0)\"" }.joined(separator: ",")
    #expect(try decode(#"{"podcast":[\#(values)]}"#) == .podcasts((0..<1000).map { "\($0)" }))
    let text = String(repeating: "a", count: Condition.Limits.textBytes)
    #expect(try decode(#"{"titleContains":"\#(text)"}"#) == .titleContains([text]))
  }

  @Test("that is too deep, of too many, or has a key that there is not, is refused where that is")
  func faults() throws {
    let tooDeep = String(repeating: #"{"not":"#, count: 8) + "{}" + String(repeating: "}", count: 8)
    let parts = [128, 126].map { #"{"any":[\#(Array(repeating: "{}", count: $0).joined(separator: ","))]}"# }
    let tooMany = #"{"any":[\#(parts.joined(separator: ","))]}"#
    let known =
      "id, url, feed, state, reason, podcast, origin, media, titleContains, titleExcludes, publishedAfter, "
      + "publishedBefore, newerThanDays, olderThanDays, minBytes, maxBytes, errorCode, not, any"
    let inner = "payload.where" + String(repeating: ".not", count: 8)
    let faults: [(String, Refusal)] = [
      (
        tooDeep,
        Refusal(.limitExceeded, "conditions stand in each other more than 8 deep; write them flatter", path: inner)
      ),
      (
        tooMany,
        Refusal(
          .limitExceeded, "payload.where is made of more than 256 conditions; ask in several steps",
          path: "payload.where")
      ),
      (
        #"{"any":[{},{"not":{"x":1}}]}"#,
        Refusal(
          .unknownField, "there is no field \"x\" here; known are \(known)", path: "payload.where.any[1].not.x")
      ),
      (
        #"{"any":[]}"#,
        Refusal(
          .invalidValue,
          "payload.where.any must be at least one alternative; leave the key out to allow everything",
          path: "payload.where.any")
      ),
      (
        #"{"not":3}"#,
        Refusal(.invalidValue, "payload.where.not must be an object, not an integer", path: "payload.where.not")
      ),
    ]
    for (json, refusal) in faults { #expect(throws: refusal, "\(json)") { try decode(json) } }
  }

  @Test("by the classes of filters is said by no line")
  func classes() {
    for (condition, key) in [
      (Condition.sizes([.large]), "size"), (.ages([.week]), "age"), (.networks([.any]), "network"),
    ] {
      var encoder = RequestEncoder()
      encoder.append(.query(.snapshot(.init(downloads: .init(condition: condition)))), id: 1)
      let line = LineDecoder().decode(Array(encoder.bytes.dropLast()), number: 1)
      guard case .failure(let refusal) = line.content else {
        Issue.record("\(condition) was read")
        continue
      }
      #expect(refusal.code == .unknownField && refusal.path == "payload.downloads.where.\(key)")
    }
  }

  @Test("chooses the downloads of each action that takes many")
  func selections() throws {
    for name in ["pause", "resume", "cancel", "retry", "verify", "remove"] {
      let line = #"{"type":"downloads/\#(name)","payload":{"where":{"state":"failed"}}}"#
      let selection = DownloadIntent.Selection.matching(.states([.failed]))
      let intents: [String: DownloadIntent] = [
        "pause": .pause(selection), "resume": .resume(selection), "cancel": .cancel(selection),
        "retry": .retry(selection), "verify": .verify(selection), "remove": .remove(selection, deletingFile: true),
      ]
      #expect(
        try LineDecoder().decode(Array(line.utf8), number: 1).content.get()
          == intents[name].map { .intent(.downloads($0)) })
    }
  }

  /// What a selection by this condition selects.
  private func decode(_ json: String) throws -> Condition {
    let line = #"{"type":"downloads/pause","payload":{"where":\#(json)}}"#
    let request = try LineDecoder().decode(Array(line.utf8), number: 1).content.get()
    guard case .intent(.downloads(.pause(.matching(let condition)))) = request else {
      throw Refusal(.invalidLine, "\(request) is no selection by a condition")
    }
    return condition
  }
}
