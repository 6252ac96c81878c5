import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("Filters, conditions and lists", .systemTest)
struct FilterTests {
  /// Nine downloads of three podcasts, three of each paused, the last with a rule's origin.
  private func filled(_ scene: Scene) throws -> PodfluxProcess {
    let engine = try scene.start()
    for (show, podcast) in ["Nachtzüge", "Tones", "Kühe"].enumerated() {
      for number in 1...3 {
        try engine.order(
          "downloads/enqueue",
          [
            "url": "http://127.0.0.1:1/\(show)/\(number).\(number == 3 ? "mp4" : "mp3")", "id": "\(show)-\(number)",
            "podcast": podcast, "title": "Folge \(number): Über die Brücke", "paused": true,
            "origin": number == 3 ? "auto" : "user", "published": "2026-0\(number)-0\(show + 1)T00:00:00Z",
            "length": number * 40 << 20,
          ])
      }
    }
    return engine
  }

  private func ids(_ engine: PodfluxProcess, _ query: [String: Any] = [:]) throws -> [String] {
    let payload = try engine.order("snapshot", ["stores": ["downloads"], "downloads": query])
    let items = (payload["downloads"] as? [String: Any])?["items"] as? [[String: Any]]
    return try #require(items).compactMap { $0["id"] as? String }
  }

  private func count(of filter: String, _ engine: PodfluxProcess) throws -> Int? {
    let payload = try engine.order("snapshot", ["stores": ["filters"]])
    let groups = try #require((payload["filters"] as? [String: Any])?["groups"] as? [[String: Any]])
    let filters = groups.flatMap { $0["filters"] as? [[String: Any]] ?? [] }
    return filters.first { $0["id"] as? String == filter }?["count"] as? Int
  }

  @Test("Filters of a group are alternatives, groups narrow each other, and each has the count that it would show")
  func counts() throws {
    let scene = try Scene()
    let engine = try filled(scene)
    #expect(try count(of: "state:paused", engine) == 9)
    #expect(try count(of: "podcast:Kühe", engine) == 3)
    #expect(try count(of: "media:video", engine) == 3)
    try engine.order("filters/toggle", ["filter": "podcast:Kühe"])
    #expect(try ids(engine) == ["2-1", "2-2", "2-3"])
    #expect(try count(of: "media:video", engine) == 1)
    #expect(try count(of: "podcast:Tones", engine) == 3)
    try engine.order("filters/toggle", ["filter": "podcast:Tones"])
    try engine.order("filters/toggle", ["filter": "media:video"])
    #expect(try ids(engine) == ["1-3", "2-3"])
    #expect(try count(of: "origin:user", engine) == 0)
    #expect(try count(of: "media:audio", engine) == 4)
    #expect(try ids(engine, ["unfiltered": true]).count == 9)
    try engine.order("filters/toggle", ["filter": "everything:hidden"])
    #expect(try ids(engine).isEmpty)
    try engine.order("filters/clear")
    #expect(try ids(engine).count == 9)
  }

  @Test("A text is found in titles and podcasts, word by word, ignoring case and diacritics")
  func text() throws {
    let scene = try Scene()
    let engine = try filled(scene)
    for (text, expected) in [
      ("kuhe", 3), ("KÜHE folge", 3), ("brucke", 9), ("brü 2", 3), ("nachtzuge 3", 1), ("rücke", 0), ("\"*:(", 0),
      (" ", 9),
    ] {
      try engine.order("filters/setText", ["text": text])
      #expect(try ids(engine).count == expected, "\(text)")
    }
    try engine.order("filters/setText", ["text": "kuhe"])
    #expect(try count(of: "media:video", engine) == 1)
    try engine.order("downloads/update", ["id": "0-1", "podcast": "Kühe"])
    #expect(try ids(engine) == ["0-1", "2-1", "2-2", "2-3"])
    try engine.order("downloads/remove", ["id": "2-1"])
    #expect(try ids(engine) == ["0-1", "2-2", "2-3"])
  }

  @Test("Filters and saved sets survive a SIGKILL, and a snapshot without an engine has the same bytes")
  func durable() throws {
    let scene = try Scene()
    let engine = try filled(scene)
    try engine.order("filters/toggle", ["filter": "media:video"])
    try engine.order("filters/save", ["name": "videos"])
    try engine.order("filters/clear")
    try engine.order("filters/toggle", ["filter": "podcast:Tones"])
    try engine.order("filters/selectGroup", ["group": "podcast"])
    try engine.order("settings/update", ["cleanupOnStart": false])
    try engine.kill()
    let next = try scene.start()
    #expect(try ids(next) == ["1-1", "1-2", "1-3"])
    try next.order("filters/apply", ["name": "videos"])
    #expect(try ids(next) == ["0-3", "1-3", "2-3"])
    for query in [#"{}"#, #"{"stores":["downloads"],"downloads":{"sort":"-size","limit":2,"fields":["id","title"]}}"#] {
      let snapshots = try scene.snapshots(query, of: next)
      #expect(snapshots.command == snapshots.engine)
    }
  }

  @Test("Lists come in each order and direction, page by page, and a page does not repeat moved downloads")
  func order() throws {
    let scene = try Scene()
    let engine = try filled(scene)
    #expect(try ids(engine, ["sort": "-published", "limit": 3]) == ["2-3", "1-3", "0-3"])
    #expect(try ids(engine, ["sort": "size", "limit": 4]) == ["0-1", "1-1", "2-1", "0-2"])
    try engine.order("downloads/move", ["id": "2-3", "to": "top"])
    #expect(try ids(engine, ["sort": "position", "limit": 2]) == ["2-3", "0-1"])
    for sort in ["added", "-added", "title", "-title", "state", "size", "-size", "position", "published"] {
      var seen: [String] = []
      var after: String?
      repeat {
        var query: [String: Any] = ["sort": sort, "limit": 2]
        query["after"] = after
        let payload = try engine.order("snapshot", ["stores": ["downloads"], "downloads": query])
        let page = try #require(payload["downloads"] as? [String: Any])
        seen += (page["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
        after = page["next"] as? String
      } while after != nil
      #expect(seen.count == 9 && Set(seen).count == 9, "\(sort): \(seen)")
    }
  }

  @Test("Conditions select downloads for changes and for lists")
  func conditions() throws {
    let scene = try Scene()
    let engine = try filled(scene)
    #expect(try ids(engine, ["where": ["titleContains": "OLGE 2: uber"]]) == ["0-2", "1-2", "2-2"])
    #expect(try ids(engine, ["where": ["titleContains": "folge 2:", "not": ["podcast": "Tones"]]]) == ["0-2", "2-2"])
    #expect(
      try ids(engine, ["where": ["any": [["minBytes": 100 << 20], ["podcast": ["Kühe"]]]]]) == [
        "0-3", "1-3", "2-1", "2-2", "2-3",
      ])
    let removal = try engine.order(
      "downloads/cancel", ["where": ["origin": "auto", "publishedAfter": "2026-03-01T12:00:00Z"]])
    #expect(removal["affected"] as? Int == 2)
    #expect(try ids(engine) == ["0-1", "0-2", "0-3", "1-1", "1-2", "2-1", "2-2"])
    let refusal = try engine.ask("downloads/cancel", ["where": ["any": [["origin": "user"], ["state": "sleeping"]]]])
    let payload = try #require(refusal["payload"] as? [String: Any])
    #expect(payload["code"] as? String == "invalid_value")
    #expect(payload["path"] as? String == "payload.where.any[1].state")
    #expect(try ids(engine).count == 7)
  }
}
