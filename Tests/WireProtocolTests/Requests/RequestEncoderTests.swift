import Flux
import Foundation
import PodfluxCore
import TestSupport
import Testing

@testable import WireProtocol

@Suite("The lines that a client sends")
struct RequestEncoderTests {
  /// What the engine reads of a request.
  private func read(_ request: Request) -> DecodedLine {
    var encoder = RequestEncoder()
    encoder.append(request, id: 7)
    return LineDecoder().decode(Array(encoder.bytes.dropLast()), number: 1)
  }

  @Test("An intent is read back as it was, secrets included", arguments: 0..<RandomActions.kinds)
  func intents(kind: Int) throws {
    let seed = try SeededRandom.seed()
    var actions = RandomActions(random: SeededRandom(seed: seed &+ UInt64(kind)))
    for _ in 0..<100 {
      guard case .intent(let intent) = actions.action(kind) else { continue }
      // A list is what the engine makes of a document; no client sends it.
      if case .podcasts(.import) = intent { continue }
      let line = read(.intent(intent))
      #expect(line.id == .integer(7))
      #expect(line.content == .success(.intent(intent)), "seed \(seed)")
    }
  }

  /// Regression: what had no text of a download, feed or session was taken as it was. A journal had lines that no
  /// engine read.
  @Test(
    "What no line can say is refused to a program too",
    arguments: [
      Intent.filters(.save("a\u{1}")), .filters(.setText("a\u{1}")), .cleanup(.adopt(.init(folder: "a\u{1}"))),
      .downloads(.pause(.many(Array(repeating: Samples.id("a"), count: DownloadIntent.Selection.maximumIDs + 1)))),
    ])
  func unsayable(intent: Intent) throws {
    #expect(throws: Refusal.self) { try intent.asSaid() }
  }

  @Test("What a line can say is said by a program unchanged", arguments: 0..<RandomActions.kinds)
  func sayable(kind: Int) throws {
    let seed = try SeededRandom.seed()
    var actions = RandomActions(random: SeededRandom(seed: seed &+ UInt64(kind)))
    for _ in 0..<20 {
      guard case .intent(let intent) = actions.action(kind) else { return }
      #expect(try intent.asSaid() == intent, "seed \(seed)")
    }
  }

  @Test("The secrets of addresses and headers reach the engine")
  func secrets() throws {
    let address = try WebAddress("https://ann:word@example.org/1.mp3")
    let wish = DownloadIntent.Enqueue(
      address: address,
      description: .init(headers: [Header(name: "X-Token", value: "hidden")], mirrors: [address]))
    #expect(read(.intent(.downloads(.enqueue(wish)))).content == .success(.intent(.downloads(.enqueue(wish)))))
    let preview = FeedPreview.Wish(
      address: address, headers: [Header(name: "X-Token", value: "hidden")], userAgent: "Other/2")
    #expect(read(.query(.preview(preview))).content == .success(.query(.preview(preview))))
  }

  @Test("A query is read back as it was")
  func queries() throws {
    let downloads = DownloadsQuery(
      condition: .all([.states([.failed]), .podcasts(["Night Trains"])]), isUnfiltered: true,
      order: .init(.title, isReversed: true), limit: 7,
      after: OrderCursor(order: .init(.title, isReversed: true), value: .text("a b"), key: 9), fields: [.id, .url])
    let episodes = EpisodesQuery(
      condition: .titleContains(["é"]), isUnfiltered: true, order: .init(.added), limit: 1,
      after: EpisodeCursor(order: .init(.added), value: .none, key: 11), fields: [.id])
    let feed = try #require(FeedID("f-1"))
    let feeds = FeedsQuery(groups: ["A/B"], ids: [feed], order: .init(.added), limit: 5)
    let all = SnapshotQuery(
      downloads: downloads, feeds: feeds, episodes: episodes,
      stepsPage: PageRequest(limit: 3, after: PageCursor(key: 5)))
    var observed = all
    (observed.downloads.after, observed.episodes.after) = (nil, nil)
    let queries: [Query] = [
      .snapshot(all), .snapshot(SnapshotQuery(stores: [.settings])), .unobserve, .exportFeeds(includingSecrets: true),
      .observe(Observation(state: observed, includesActions: true, interval: 0.5)),
      .resumeData(try #require(DownloadID("d-1"))),
      .preview(.init(address: try WebAddress("https://e.org/f"), rules: .init(keep: .init(newest: 3)))),
      .planRules(
        .init(
          feed: feed, rules: .init(autoDownload: .init(since: .all)), limit: 7,
          after: RulesCursor(
            place: .init(
              moment: Timestamp(milliseconds: 1), added: Timestamp(milliseconds: 2), id: EpisodeID(number: 3))))),
    ]
    for query in queries { #expect(read(.query(query)).content == .success(.query(query))) }
    #expect(read(.resume).content == .success(.resume))
  }

  @Test(
    "JSON that a client has read is given on as it was",
    arguments: [#"{"b":[1,-2.5,null,true],"a":{"é\n":"\u0001\\"}}"#, "{}"])
  func objects(text: String) throws {
    let object = try JSONObject(line: Array(text.utf8))
    #expect(try JSONObject(line: object.line) == object)
    #expect(object.members.map(\.key) == (text == "{}" ? [] : ["b", "a"]))
  }
}
