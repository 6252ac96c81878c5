import Flux
import Foundation
import PodfluxCore
import Testing

@testable import WireProtocol

@Suite("A client's line")
struct RequestTests {
  @Test("enqueues a URL alone, with the defaults for all else")
  func enqueueDefaults() throws {
    let wish = DownloadIntent.Enqueue(address: try WebAddress("https://example.org/a.mp3"))
    #expect(
      try request(#"{"type":"downloads/enqueue","payload":{"url":"https://example.org/a.mp3"}}"#)
        == .intent(.downloads(.enqueue(wish))))
  }

  @Test("enqueues with everything that can be said of a download")
  func enqueueAll() throws {
    let record = Samples.record
    let wish = DownloadIntent.Enqueue(
      id: DownloadID("ep-1"), address: try WebAddress("http://u:p@example.org:8080/a.mp3?t=1"),
      description: .init(
        podcast: "Show \"A\"", title: "😀 / é",
        published: PublicationDate(Timestamp(milliseconds: 1_795_222_800_500), offsetSeconds: 7200),
        path: try LibraryPath(validating: "Show/a.mp3"),
        headers: [Header(name: "X-B", value: "2"), Header(name: "Authorization", value: "Bearer\tx")],
        expectedLength: 1 << 53),
      priority: .high, origin: .auto, isPaused: true, resume: record)
    let line = #"""
      {"type":"downloads/enqueue","payload":{"id":"ep-1","url":"http:\/\/u:p@example.org:8080/a.mp3?t=1",
      "podcast":"Show \"A\"","title":"\ud83d\uDE00 \/ \u00e9","published":"2026-11-21T03:00:00.5+02:00",
      "path":"Show/a.mp3","headers":{"X-B":"2","Authorization":"Bearer\tx"},"length":9007199254740992,
      "priority":"high","origin":"auto","paused":true,"resumeData":"\#(record.resumeData)"},"error":false}
      """#
    #expect(try request(line.replacing("\n", with: "")) == .intent(.downloads(.enqueue(wish))))
  }

  @Test(
    "chooses downloads by id, by ids, or all",
    arguments: [
      (#"{"id":"a"}"#, DownloadIntent.Selection.one(Samples.id("a"))), (#"{"all":true}"#, .all),
      (#"{"ids":[]}"#, .many([])),
      (#"{"ids":["b","a"]}"#, .many([Samples.id("b"), Samples.id("a")])),
    ])
  func selections(json: String, selection: DownloadIntent.Selection) throws {
    func intent(_ name: String) throws -> Request { try request(#"{"type":"downloads/\#(name)","payload":\#(json)}"#) }
    #expect(try intent("pause") == .intent(.downloads(.pause(selection))))
    #expect(try intent("resume") == .intent(.downloads(.resume(selection))))
    #expect(try intent("cancel") == .intent(.downloads(.cancel(selection))))
    #expect(try intent("retry") == .intent(.downloads(.retry(selection))))
    #expect(try intent("verify") == .intent(.downloads(.verify(selection))))
    #expect(try intent("remove") == .intent(.downloads(.remove(selection, deletingFile: true))))
    let keeping = #"{"deleteFile":false,"# + json.dropFirst()
    #expect(
      try request(#"{"type":"downloads/remove","payload":\#(keeping)}"#)
        == .intent(.downloads(.remove(selection, deletingFile: false))))
  }

  @Test(
    "moves a download to each place",
    arguments: [
      (#""to":"top""#, DownloadIntent.Place.top), (#""to":"bottom""#, .bottom),
      (#""to":"before","anchor":"b""#, .before(Samples.id("b"))),
      (#""anchor":"b","to":"after""#, .after(Samples.id("b"))),
    ])
  func moves(json: String, place: DownloadIntent.Place) throws {
    let line = #"{"type":"downloads/move","payload":{"id":"a",\#(json)}}"#
    #expect(try request(line) == .intent(.downloads(.move(Samples.id("a"), place))))
  }

  @Test("updates what it names and nothing else")
  func updates() throws {
    var update = DownloadIntent.Update()
    update.title = "T"
    #expect(
      try request(#"{"type":"downloads/update","payload":{"id":"a","title":"T"}}"#)
        == .intent(.downloads(.update(Samples.id("a"), update))))
    update.address = try WebAddress("https://b.example/")
    update.headers = []
    update.priority = .low
    update.podcast = ""
    let all = #"{"id":"a","title":"T","url":"https://b.example/","headers":{},"priority":"low","podcast":""}"#
    #expect(
      try request(#"{"type":"downloads/update","payload":\#(all)}"#)
        == .intent(.downloads(.update(Samples.id("a"), update))))
  }

  @Test("changes every setting, at both ends of its range")
  func settings() throws {
    var patch = SettingsPatch()
    patch.maxConcurrent = 256
    patch.maxPerHost = 1
    patch.maxAttempts = 1000
    patch.retryFirstSeconds = 1
    patch.retryMaxSeconds = 86_400
    patch.connectTimeoutSeconds = 1
    patch.stallTimeoutSeconds = 86_400
    patch.firstByteTimeoutSeconds = 1
    patch.slowBytesPerSecond = 1 << 30
    patch.slowWindowSeconds = 86_400
    patch.allowInsecureRedirects = true
    patch.maxFileBytes = 1 << 50
    patch.checksum = false
    patch.userAgent = "Me/1 (+https://example.org)"
    patch.progressInterval = 60
    patch.cleanupOnStart = false
    patch.quarantineDays = 36_500
    patch.orphans = .adopt
    patch.nameTimeZone = .place("America/Argentina/Buenos_Aires")
    patch.fileTimes = .downloaded
    patch.portableNames = false
    patch.tags = true
    let line = #"""
      {"type":"settings/update","payload":{"maxConcurrent":256,"maxPerHost":1,"maxAttempts":1000,"retryFirstSeconds":1,
      "retryMaxSeconds":86400,"connectTimeoutSeconds":1,"stallTimeoutSeconds":86400,"firstByteTimeoutSeconds":1,
      "slowBytesPerSecond":1073741824,"slowWindowSeconds":86400,"allowInsecureRedirects":true,
      "maxFileBytes":1125899906842624,"checksum":false,
      "userAgent":"Me/1 (+https://example.org)","progressInterval":60,
      "cleanupOnStart":false,"quarantineDays":36500,"orphans":"adopt",
      "nameTimeZone":"America/Argentina/Buenos_Aires","fileTimes":"downloaded","portableNames":false,"tags":true}}
      """#
    #expect(try request(line.replacing("\n", with: "")) == .intent(.updateSettings(patch)))
    var other = SettingsPatch()
    other.progressInterval = 0.05
    #expect(
      try request(#"{"type":"settings/update","payload":{"progressInterval":5e-2}}"#) == .intent(.updateSettings(other))
    )
  }

  @Test("shuts the engine down, now unless it says drain")
  func shutdown() throws {
    #expect(try request(#"{"type":"engine/shutdown"}"#) == .intent(.stop(.now)))
    #expect(try request(#"{"type":"engine/shutdown","payload":{"mode":"now"}}"#) == .intent(.stop(.now)))
    #expect(try request(#"{"type":"engine/shutdown","payload":{"mode":"drain"}}"#) == .intent(.stop(.drain)))
  }

  @Test("asks for a snapshot: of all, of some stores, of a page")
  func snapshots() throws {
    #expect(try request(#" { "type" : "snapshot" } "#) == .query(.snapshot(SnapshotQuery())))
    #expect(
      try request(#"{"type":"snapshot","payload":{"stores":["settings","engine"]}}"#)
        == .query(.snapshot(SnapshotQuery(stores: [.engine, .settings]))))
    let cursor = OrderCursor(order: .init(), value: .none, key: 123_456_789)
    #expect(
      try request(#"{"type":"snapshot","payload":{"downloads":{"limit":1000,"after":"\#(cursor.text)"}}}"#)
        == .query(.snapshot(SnapshotQuery(downloads: DownloadsQuery(limit: 1000, after: cursor)))))
  }

  @Test("asks for a page of the cleanup's steps")
  func cleanupPage() throws {
    let cursor = PageCursor(key: 36)
    #expect(
      try request(#"{"type":"snapshot","payload":{"stores":["cleanup"],"cleanup":{"limit":1,"after":"10"}}}"#)
        == .query(.snapshot(SnapshotQuery(stores: [.cleanup], stepsPage: PageRequest(limit: 1, after: cursor)))))
    #expect(try request(#"{"type":"snapshot","payload":{"cleanup":{}}}"#) == .query(.snapshot(SnapshotQuery())))
  }

  @Test("has rows and files compared: with what the settings say of orphans, and with every choice")
  func cleanup() throws {
    #expect(try request(#"{"type":"cleanup/run"}"#) == .intent(.cleanup(.run(CleanupRequest()))))
    #expect(try request(#"{"type":"cleanup/run","payload":{}}"#) == .intent(.cleanup(.run(CleanupRequest()))))
    let defaults = CleanupRequest(mode: .apply, missing: .forget, orphans: nil, isDeep: false)
    #expect(CleanupRequest() == defaults)
    for mode in CleanupOptions.Mode.allCases {
      for missing in CleanupOptions.Missing.allCases {
        for orphans in CleanupOptions.Orphans.allCases {
          for isDeep in [false, true] {
            let payload =
              #"{"mode":"\#(mode)","missing":"\#(missing)","orphans":"\#(orphans)","deep":\#(isDeep)}"#
            let options = CleanupRequest(mode: mode, missing: missing, orphans: orphans, isDeep: isDeep)
            #expect(try request(#"{"type":"cleanup/run","payload":\#(payload)}"#) == .intent(.cleanup(.run(options))))
          }
        }
      }
    }
  }

  @Test("ends the cleanup")
  func cleanupCancel() throws {
    #expect(try request(#"{"type":"cleanup/cancel"}"#) == .intent(.cleanup(.cancel)))
    #expect(try request(#"{"type":"cleanup/cancel","payload":{}}"#) == .intent(.cleanup(.cancel)))
  }

  @Test("asks for the resume data of a download")
  func resumeData() throws {
    #expect(
      try request(#"{"type":"downloads/resumeData","payload":{"id":"a"}}"#) == .query(.resumeData(Samples.id("a"))))
  }

  @Test("may be one MiB long, and nested 32 deep")
  func largest() throws {
    let padding = String(repeating: " ", count: LineDecoder.maximumLineBytes - 19)
    #expect(try request(#"{"type":"snapshot"}"# + padding) == .query(.snapshot(SnapshotQuery())))
    var reader = JSONReader(
      Array((#"{"a":"# + String(repeating: "[", count: 31) + String(repeating: "]", count: 31) + "}").utf8))
    #expect(reader.readDocument().fault == nil)
  }

  @Test("is known for each type that a refusal lists", arguments: RequestForm.all.map(\.type))
  func types(type: String) throws {
    let line = LineDecoder().decode(Array(#"{"type":"\#(type)"}"#.utf8), number: 1)
    if case .failure(let refusal) = line.content { #expect(refusal.code == .missingField) }
  }

  @Test("that is no object at all is answered with how one is written", arguments: ["help", "\"help\"", "7 8", "[]"])
  func noObject(text: String) {
    let line = LineDecoder().decode(Array(text.utf8), number: 1)
    guard case .failure(let refusal) = line.content else {
      Issue.record("it was taken")
      return
    }
    #expect(refusal.message.hasSuffix(#"send one JSON object such as {"type":"snapshot"}"#))
  }

  @Test("never has its secrets repeated in a refusal")
  func secrets() {
    let lines = [
      #"{"type":"downloads/enqueue","payload":{"url":"ftp://user:SECRET@example.org/?SECRET"}}"#,
      #"{"type":"downloads/enqueue","payload":{"url":"SECRET"}}"#,
      #"{"type":"downloads/enqueue","payload":{"url":"https://a/","headers":{"Cookie":"SECRET\u0000"}}}"#,
      #"{"type":"downloads/enqueue","payload":{"url":"https://a/","resumeData":"SECRET"}}"#,
      #"{"type":"downloads/enqueue","payload":{"url":"https://a/","headers":{"Cookie":["SECRET"]}}}"#,
    ]
    for line in lines {
      let content = LineDecoder().decode(Array(line.utf8), number: 1).content
      guard case .failure(let refusal) = content else {
        Issue.record("it was not refused")
        continue
      }
      #expect(!"\(refusal)".contains("SECRET"))
    }
  }

  @Test("in a buffer of any kind is the same line")
  func buffers() {
    let bytes = Array(#"{"type":"snapshot","meta":{"id":1}}"#.utf8)
    let fromPointer = bytes.withUnsafeBytes { LineDecoder().decode($0, number: 2) }
    #expect(fromPointer == LineDecoder().decode(bytes, number: 2))
  }

  @Test(
    "names a feed by a link for podcast programs, and by a host beyond ASCII",
    arguments: [
      ("feed:https://a.example/f", "https://a.example/f"), ("Feed://a.example/f", "http://a.example/f"),
      ("itpc://a.example/f", "http://a.example/f"), ("pcast:http://a.example/f", "http://a.example/f"),
      ("podcast://a.example/f", "http://a.example/f"),
      ("http://münchen.example/f", "http://xn--mnchen-3ya.example/f"),
      ("feed://münchen.example/f", "http://xn--mnchen-3ya.example/f"),
    ])
  func feedAddresses(url: String, expected: String) throws {
    let address = try WebAddress(expected)
    #expect(
      try request(#"{"type":"feeds/subscribe","payload":{"url":"\#(url)"}}"#)
        == .intent(.podcasts(.subscribe(.init(address: address)))))
    #expect(
      try request(#"{"type":"feeds/preview","payload":{"url":"\#(url)"}}"#)
        == .query(.preview(FeedPreview.Wish(address: address))))
  }

  private func request(_ line: String) throws -> Request {
    try LineDecoder().decode(Array(line.utf8), number: 1).content.get()
  }
}
