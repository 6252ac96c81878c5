import PodfluxCore
import Testing
import WireProtocol

@Suite("A line about filters")
struct FilterLineTests {
  @Test(
    "says what a client wants of them",
    arguments: [
      (#""filters/toggle","payload":{"filter":"error:not_found"}"#, "error:not_found"),
      (#""filters/toggle","payload":{"filter":"everything:hidden"}"#, "everything:hidden"),
      (#""filters/toggle","payload":{"filter":"time:today"}"#, "time:today"),
      (#""filters/toggle","payload":{"filter":"podcast:a: \"b\""}"#, "podcast:a: \"b\""),
    ])
  func toggles(json: String, id: String) throws {
    #expect(try intent(json) == .toggle(#require(FilterID(id))))
  }

  @Test("knows every filter that there is")
  func all() throws {
    for subject in FilterSubject.allCases {
      for filter in FilterCatalogue.groups(over: subject).flatMap(\.filters) {
        let payload = #"{"filter":"\#(filter.id)","over":"\#(subject.rawValue)"}"#
        let intent = try anyIntent(#""filters/toggle","payload":\#(payload)"#)
        #expect(intent == .filters(.toggle(filter.id), over: subject))
      }
    }
  }

  @Test(
    "opens groups, searches, clears, and keeps sets",
    arguments: [
      (#""filters/selectGroup","payload":{"group":"podcast"}"#, FilterIntent.selectGroup(.podcast)),
      (#""filters/selectGroup","payload":{"group":null}"#, .selectGroup(nil)),
      (#""filters/setText","payload":{"text":"Süß 100%"}"#, .setText("Süß 100%")),
      (#""filters/setText","payload":{"text":""}"#, .setText("")),
      (#""filters/clear""#, .clear), (#""filters/clear","payload":{}"#, .clear),
      (#""filters/save","payload":{"name":"My \"set\""}"#, .save("My \"set\"")),
      (#""filters/apply","payload":{"name":"x"}"#, .apply("x")),
      (#""filters/delete","payload":{"name":"x"}"#, .delete("x")),
    ])
  func intents(json: String, expected: FilterIntent) throws {
    #expect(try intent(json) == expected)
  }

  @Test("that names no filter is told which there are")
  func unknown() throws {
    #expect(
      throws: Refusal(
        .invalidValue,
        "payload.filter must be media: and one of audio, video, other", path: "payload.filter")
    ) { try intent(#""filters/toggle","payload":{"filter":"media:text"}"#) }
    #expect(
      throws: Refusal(
        .invalidValue,
        "payload.filter must be a filter such as state:failed, of one of the groups state, podcast, media, time, size, "
          + "played, favorite, origin, network, error, everything", path: "payload.filter")
    ) { try intent(#""filters/toggle","payload":{"filter":"failed"}"#) }
  }

  @Test("says over what, and is about downloads otherwise")
  func subjects() throws {
    for (payload, expected) in [
      (
        #""filters/toggle","payload":{"filter":"played:no","over":"episodes"}"#,
        FilterIntent.toggle(try id("played:no"))
      ),
      (#""filters/selectGroup","payload":{"group":"favorite","over":"episodes"}"#, .selectGroup(.favorite)),
      (#""filters/setText","payload":{"over":"episodes","text":"x"}"#, .setText("x")),
      (#""filters/clear","payload":{"over":"episodes"}"#, .clear),
      (#""filters/save","payload":{"name":"a","over":"episodes"}"#, .save("a")),
      (#""filters/apply","payload":{"name":"a","over":"episodes"}"#, .apply("a")),
      (#""filters/delete","payload":{"name":"a","over":"episodes"}"#, .delete("a")),
    ] {
      #expect(try anyIntent(payload) == .filters(expected, over: .episodes))
    }
    #expect(try intent(#""filters/clear","payload":{"over":"downloads"}"#) == .clear)
    #expect(
      throws: Refusal(
        .invalidValue,
        "there is no such filter over episodes; the groups there are state, podcast, media, time, size, played, favorite",
        path: "payload.filter")
    ) { try anyIntent(#""filters/toggle","payload":{"filter":"origin:auto","over":"episodes"}"#) }
  }

  private func id(_ text: String) throws -> FilterID { try #require(FilterID(text)) }

  // MARK: Snapshots

  private static let none = FiltersSnapshot.Part(groups: [], state: .init())
  private static let noneShown =
    #"{"active":[],"groups":[],"isFiltering":false,"saved":[],"selectedGroup":null,"text":""}"#

  @Test("shows none active before any was chosen")
  func nothing() {
    #expect(
      shown(FiltersSnapshot(downloads: Self.none, episodes: Self.none))
        == #"{"active":[],"episodes":\#(Self.noneShown),"groups":[],"isFiltering":false,"saved":[],"#
        + #""selectedGroup":null,"text":""}"#)
  }

  @Test("shows groups, which filters are active and what each would show, and what is saved, byte for byte")
  func snapshot() throws {
    let audio = try #require(FilterCatalogue.filter(.media, "audio"))
    let show = try #require(FilterCatalogue.filter(.podcast, "A \"show\""))
    let groups = [
      FiltersSnapshot.Group(
        id: .podcast, title: "Podcast", filters: [.init(filter: show, isActive: true, count: 3)]),
      FiltersSnapshot.Group(
        id: .media, title: "Media", filters: [.init(filter: audio, isActive: false, count: 1_000_000)]),
    ]
    let state = FiltersState(
      selection: .init(active: [show.id], text: "a/b"), selectedGroup: .media,
      saved: [
        SavedFilters(name: "1", selection: .init()),
        SavedFilters(name: "2", selection: .init(active: [audio.id, show.id], text: "x")),
      ])
    #expect(
      shown(FiltersSnapshot(downloads: .init(groups: groups, state: state), episodes: Self.none))
        == #"{"active":["podcast:A \"show\""],"episodes":\#(Self.noneShown),"groups":["#
        + #"{"filters":[{"count":3,"id":"podcast:A \"show\"","isActive":true,"title":"A \"show\""}],"id":"podcast","#
        + #""title":"Podcast"},{"filters":[{"count":1000000,"id":"media:audio","isActive":false,"title":"Audio"}],"#
        + #""id":"media","title":"Media"}],"isFiltering":true,"saved":[{"active":[],"name":"1","text":""},"#
        + #"{"active":["media:audio","podcast:A \"show\""],"name":"2","text":"x"}],"selectedGroup":"media","#
        + #""text":"a/b"}"#)
  }

  private func intent(_ rest: String) throws -> FilterIntent {
    let request = try LineDecoder().decode(Array((#"{"type":"# + rest + "}").utf8), number: 1).content.get()
    guard case .intent(.filters(let intent, over: .downloads)) = request else {
      throw Refusal(.invalidLine, "\(request) is not about filters over downloads")
    }
    return intent
  }

  private func anyIntent(_ rest: String) throws -> Intent {
    let request = try LineDecoder().decode(Array((#"{"type":"# + rest + "}").utf8), number: 1).content.get()
    guard case .intent(let intent) = request else { throw Refusal(.invalidLine, "\(request) is no intent") }
    return intent
  }

  private func shown(_ filters: FiltersSnapshot) -> String {
    var encoder = LineEncoder()
    encoder.answer(.snapshot(Snapshot(revision: 1, filters: filters)), id: nil, revision: 1)
    let line = String(decoding: encoder.bytes, as: UTF8.self)
    let (beginning, end) = (#"{"meta":{"revision":1},"payload":{"filters":"#, #"},"type":"ok"}"# + "\n")
    #expect(line.hasPrefix(beginning) && line.hasSuffix(end))
    return String(line.dropFirst(beginning.count).dropLast(end.count))
  }
}
