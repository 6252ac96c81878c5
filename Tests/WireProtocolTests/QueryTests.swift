import Flux
import PodfluxCore
import Testing

@testable import WireProtocol

@Suite("A query")
struct QueryTests {
  @Test("for a snapshot says which downloads, in which order, and what of them")
  func downloads() throws {
    let cursor = OrderCursor(order: .init(.title, isReversed: true), value: .text("Ä"), key: 7)
    let query = DownloadsQuery(
      condition: .states([.failed]), isUnfiltered: true, order: .init(.title, isReversed: true), limit: 2,
      after: cursor, fields: [.id, .title])
    let json = #"""
      {"stores":["filters","downloads"],"downloads":{"where":{"state":"failed"},"unfiltered":true,"sort":"-title",
      "limit":2,"after":"\#(cursor.text)","fields":["title","id","title"]}}
      """#
    #expect(
      try snapshot(json.replacing("\n", with: ""))
        == SnapshotQuery(stores: [.filters, .downloads], downloads: query))
  }

  @Test("may ask for each order, and for every field")
  func choices() throws {
    for key in DownloadOrderKey.allCases {
      #expect(try snapshot(#"{"downloads":{"sort":"\#(key)"}}"#).downloads.order == .init(key))
      #expect(try snapshot(#"{"downloads":{"sort":"-\#(key)"}}"#).downloads.order == .init(key, isReversed: true))
    }
    let fields = ItemField.allCases.map { "\"\($0)\"" }.joined(separator: ",")
    #expect(try snapshot(#"{"downloads":{"fields":[\#(fields)]}}"#).downloads.fields == Set(ItemField.allCases))
  }

  @Test("by a cursor of another order is refused in a sentence that says so")
  func otherOrder() throws {
    #expect(
      throws: Refusal(
        .invalidValue,
        "payload.downloads.after is a place in the order -title, but the query sorts by size; keep to one order",
        path: "payload.downloads.after")
    ) { try snapshot(#"{"downloads":{"after":"T7","sort":"size"}}"#) }
  }

  @Test("that a person types is spoken of as a query, in characters, and never as a line")
  func argument() throws {
    let deep = #"{"stores":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"
    let faults = [
      (#"{"störes":[x"#, #"character 12 of the query stands where JSON needs a value"#),
      (deep, "the query is nested too deep; nest at most 32 objects and arrays"),
      (#"{"stores""#, "the query ends where JSON needs a colon behind the key"),
      ("7", "the query is an integer; it is to be one JSON object"),
      (#"{"downloads":{"limit":0}}"#, "downloads.limit must be an integer from 1 to 1000"),
    ]
    for (text, message) in faults {
      let refusal = #expect(throws: Refusal.self) { try SnapshotQuery(argument: text) }
      #expect(refusal?.message == message, "\(text)")
    }
  }

  @Test("to observe has the defaults of the protocol, and takes all that a snapshot takes but a cursor")
  func observation() throws {
    #expect(try request(#"{"type":"observe"}"#) == .query(.observe(Observation())))
    let query = SnapshotQuery(
      stores: [.downloads], downloads: .init(order: .init(.size), limit: 5, fields: [.id]),
      stepsPage: .init(limit: 3, after: PageCursor(key: 35)))
    let json = #"""
      {"type":"observe","payload":{"stores":["downloads"],"actions":true,"interval":0.05,
      "downloads":{"sort":"size","limit":5,"fields":["id"]},"cleanup":{"limit":3,"after":"z"}}}
      """#
    #expect(
      try request(json.replacing("\n", with: ""))
        == .query(.observe(Observation(state: query, includesActions: true, interval: 0.05))))
    #expect(
      try request(#"{"type":"observe","payload":{"stores":[],"actions":true,"interval":3600}}"#)
        == .query(.observe(Observation(state: .init(stores: []), includesActions: true, interval: 3600))))
  }

  @Test(
    "to observe is refused where a list would begin behind its beginning, or would not tell its items apart",
    arguments: ["downloads", "feeds", "episodes"])
  func unobservable(list: String) {
    for after in [#""T7""#, "7", "null"] {
      #expect(
        throws: Refusal(
          .invalidValue,
          "payload.\(list).after must be left out: what is observed begins at the list's beginning",
          path: "payload.\(list).after")
      ) { try request(#"{"type":"observe","payload":{"\#(list)":{"after":\#(after)}}}"#) }
    }
    #expect(
      throws: Refusal(
        .invalidValue, "payload.\(list).fields must name id: what changes is told by it",
        path: "payload.\(list).fields")
    ) { try request(#"{"type":"observe","payload":{"\#(list)":{"fields":["title"]}}}"#) }
  }

  @Test(
    "with a key that there is not is refused, with those that there are",
    arguments: [
      ("snapshot", #"{"x":1}"#, "payload.x", "stores, downloads, feeds, episodes, cleanup"),
      ("observe", #"{"x":1}"#, "payload.x", "stores, downloads, feeds, episodes, cleanup, actions, interval"),
      ("snapshot", #"{"cleanup":{"x":1}}"#, "payload.cleanup.x", "limit, after"),
      (
        "observe", #"{"downloads":{"x":1}}"#, "payload.downloads.x",
        "where, unfiltered, sort, limit, after, fields"
      ),
      ("snapshot", #"{"feeds":{"x":1}}"#, "payload.feeds.x", "where, sort, limit, after, fields"),
      ("snapshot", #"{"feeds":{"where":{"x":1}}}"#, "payload.feeds.where.x", "id, group"),
      ("feeds/preview", #"{"x":1}"#, "payload.x", "url, headers, userAgent, rules"),
      ("feeds/export", #"{"x":1}"#, "payload.x", "secrets"),
      ("rules/plan", #"{"x":1}"#, "payload.x", "id, rules, limit, after"),
      ("downloads/resumeData", #"{"x":1}"#, "payload.x", "id"),
    ])
  func unknownKeys(type: String, payload: String, path: String, known: String) {
    #expect(throws: Refusal(.unknownField, "there is no field \"x\" here; known are \(known)", path: path)) {
      try request(#"{"type":"\#(type)","payload":\#(payload)}"#)
    }
  }

  @Test("to observe no more needs nothing")
  func unobserve() throws {
    #expect(try request(#"{"type":"unobserve"}"#) == .query(.unobserve))
    #expect(try request(#"{"type":"unobserve","payload":{}}"#) == .query(.unobserve))
  }

  @Test("is answered: observing from a revision on, or no more")
  func answers() {
    var encoder = LineEncoder()
    encoder.answer(.observing(revision: 9), id: .integer(1), revision: 9)
    encoder.answer(.unobserving, id: nil, revision: 10)
    #expect(
      String(decoding: encoder.bytes, as: UTF8.self) == #"""
        {"meta":{"id":1,"revision":9},"payload":{"revision":9},"type":"ok"}
        {"meta":{"revision":10},"payload":{},"type":"ok"}

        """#)
  }

  private func snapshot(_ payload: String) throws -> SnapshotQuery {
    let request = try request(#"{"type":"snapshot","payload":\#(payload)}"#)
    guard case .query(.snapshot(let query)) = request else {
      throw Refusal(.invalidLine, "\(request) is no snapshot")
    }
    return query
  }

  private func request(_ line: String) throws -> Request {
    try LineDecoder().decode(Array(line.utf8), number: 1).content.get()
  }
}
