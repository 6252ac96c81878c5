import Flux
import Foundation
import TestSupport
import Testing

@testable import PodfluxCore
@testable import WireProtocol

/// The schema in `Fixtures`, by an independent validator.
@Suite("A line before the protocol's schema")
struct LineJudgeTests {
  private static let shared = Result { try LineJudge() }
  private let judge: LineJudge

  init() throws {
    judge = try Self.shared.get()
  }

  @Test("is judged in every test: there is a judge, and the tests have it")
  func isThere() throws {
    #expect(try LineJudge.forTests() != nil)
  }

  @Test("is missed clearly where there is no validator")
  func missing() {
    #expect(throws: PodfluxProcess.Failure.self) { try LineJudge(python: "/bin/false") }
    #expect(throws: PodfluxProcess.Failure.self) { try LineJudge(python: "/nowhere/python3") }
    #expect(throws: PodfluxProcess.Failure.self) { try LineJudge(schema: "/nowhere/protocol.schema.json") }
  }

  // MARK: What engines say

  @Test("fits each answer of the engine")
  func output() throws {
    var encoder = LineEncoder()
    encoder.ready(version: "1", library: "/l", revision: 0, pid: 7)
    encoder.reply(.enqueued(id: Samples.id("a"), created: true), id: .string("é\"\\\n\u{7F}"), revision: 1)
    encoder.reply(.affected(0), id: .integer(-1), revision: 1)
    encoder.reply(.cleanup(1), id: nil, revision: 1)
    encoder.reply(.done, id: nil, revision: .max)
    encoder.answer(.resumeData(nil), id: nil, revision: 1)
    encoder.answer(.resumeData(Samples.record), id: nil, revision: 1)
    encoder.answer(.observing(revision: 9), id: nil, revision: 9)
    encoder.answer(.unobserving, id: nil, revision: 9)
    encoder.answer(.snapshot(try Self.snapshot()), id: nil, revision: 9)
    encoder.answer(.snapshot(Snapshot(revision: 9)), id: nil, revision: 9)
    for code in Refusal.Code.allCases {
      encoder.refusal(Refusal(code, "no", path: "payload.a"), line: 1, id: .integer(1))
    }
    for end in ConnectionEnd.all { encoder.stopped(end, revision: 3) }
    #expect(judge.fault(in: encoder.bytes, as: .output) == nil)
  }

  @Test("of cursors and filters fits, whichever they are")
  func names() throws {
    for key in DownloadOrderKey.allCases {
      for isReversed in [false, true] {
        for value in [OrderCursor.Value.none, .number(nil), .number(-1), .text(nil), .text("ä ?"), .rank(2, -5)] {
          let next = OrderCursor(order: .init(key, isReversed: isReversed), value: value, key: 35)
          guard OrderCursor(text: next.text) == next else { continue }
          let downloads = DownloadsSnapshot(counts: [:], bytesPerSecond: 0, items: [], next: next)
          #expect(fault(Snapshot(revision: 1, downloads: downloads)) == nil)
        }
      }
    }
    var groups = FilterCounter<EpisodeTraits>(.init()).groups()
    groups[1].filters = [
      .init(filter: try #require(FilterCatalogue.filter(.podcast, "A: \"b\"")), isActive: true, count: 1)
    ]
    let none = FiltersSnapshot.Part(groups: FilterCounter<Traits>(.init()).groups(), state: .init())
    let filters = FiltersSnapshot(downloads: none, episodes: .init(groups: groups, state: .init()))
    #expect(fault(Snapshot(revision: 1, filters: filters)) == nil)
  }

  @Test("of a change fits, and of a committed action")
  func observed() throws {
    let item = Self.line(of: try Self.snapshot()).firstMatch(of: #/"items":(\[.*\]),"next"/#).map { String($0.1) }
    let counts = #""counts":{"completed":0,"failed":0,"paused":0,"queued":0,"running":0,"waiting":0}"#
    let end = #""store":"downloads","upsert":\#(try #require(item))},"type":"state"}"#
    let discarded = #""discarded":{"bytes":0,"discardedBecause":{}},"#
    let change = #"{"meta":{"revision":5},"payload":{"bytesPerSecond":0,\#(counts),"# + discarded
    #expect(fault(change + #""next":null,"order":["a","b"],"remove":[],"# + end) == nil)
    #expect(fault(change + #""next":"az","remove":["c"],"# + end) == nil)
    #expect(fault(change + #""next":"az","order":["a","a"],"remove":[],"# + end) != nil)
    #expect(fault(change + #""full":true,"next":null,"remove":[],"# + end) != nil)
    #expect(fault(change + #""full":true,"items":[],"next":null,"store":"downloads"},"type":"state"}"#) == nil)
    let engine = #""library":"/l","protocol":1,"store":"engine","version":"1"},"type":"state"}"#
    #expect(fault(#"{"meta":{"revision":5},"payload":{"full":true,"# + engine) == nil)
    #expect(fault(#"{"meta":{"revision":5},"payload":{"# + engine) != nil)
    let meta = #"{"meta":{"revision":5,"sequence":9,"time":"2026-11-21T03:00:00.000Z"},"payload":{"id":"a"},"#
    #expect(fault(meta + #""type":"downloads/pause"}"#) == nil)
    #expect(fault(meta + #""type":"downloads/fly"}"#) != nil)
    #expect(fault(#"{"meta":{"revision":5},"payload":{"id":"a"},"type":"downloads/pause"}"#) != nil)
  }

  @Test(
    "is caught if anything in it is not as it should be",
    arguments: [
      (#""state":"queued""#, #""state":"idle""#), (#""priority":"normal""#, #""priority":"urgent""#),
      (#""eta":null,"#, ""), (#""eta":null,"#, #""eta":null,"etag":null,"#), (#""rate":0"#, #""rate":-1"#),
      (#""rate":0"#, #""rate":1"#), (#""rate":0"#, #""rate":"0""#), (#""phase":null"#, #""phase":"receiving""#),
      (#""addedAt":"2026-11-21T03:00:00.000Z""#, #""addedAt":"2026-11-21T03:00:00Z""#),
      (#""addedAt":"2026-11-21T03:00:00.000Z""#, #""addedAt":null"#),
      (#""durable":10"#, #""durable":18014398509481984"#), (#""id":"ep-1""#, #""id":".1""#),
      (#""attempt":1,"#, #""attempt":0,"#), (#"{"addedAt""#, #"{"Added":1,"addedAt""#),
      (#""next":null"#, #""next":"z""#), (#""waiting":0"#, #""waiting":0,"zombie":0"#), (#"{"meta":"#, #"{ "meta":"#),
      (#""type":"ok"}"#, #""type":"okay"}"#), (#""type":"ok"}"#, #""type":"ok""#), ("https://", #"https:\/\/"#),
      (#"{"meta":{"revision":9},"#, "{"), (#""isFiltering":false"#, #""isFiltering":0"#),
      (#""media:audio""#, #""media:text""#), (#""protocol":1"#, #""protocol":2"#),
    ])
  func faults(part: String, replacement: String) throws {
    let good = Self.line(of: try Self.snapshot())
    try #require(good.contains(part))
    let bad = good.replacing(part, with: replacement)
    let fault = try #require(self.fault(bad), "\(bad)")
    #expect(fault.contains(bad.prefix(100)))
    // Neither has it got used to the fault, nor does it see one in a good line now.
    #expect(self.fault(bad) != nil)
    #expect(self.fault(good) == nil)
    #expect(self.fault(bad) != nil)
  }

  @Test("is caught behind any number of its like")
  func lateFault() throws {
    let item = DownloadsSnapshot.Item(download: try Self.download(), live: nil)
    let downloads = DownloadsSnapshot(
      counts: [:], bytesPerSecond: 0, items: Array(repeating: item, count: 1000), next: nil)
    let good = Self.line(of: Snapshot(revision: 1, downloads: downloads))
    let place = try #require(good.ranges(of: #""resumable":false"#).dropFirst(700).first)
    let bad = good.replacingCharacters(in: place, with: #""resumable":"no""#)
    #expect(fault(good + "\n" + good) == nil)
    let fault = try #require(self.fault(good + "\n" + bad + "\n" + good))
    #expect(fault.contains("resumable") && fault.contains("'no' is not of type 'boolean'"), "\(fault)")
  }

  @Test("may leave out keys of items only where a query names fields")
  func fields() throws {
    let items = [DownloadsSnapshot.Item(download: try Self.download(), live: nil)]
    for fields in [[ItemField.id], [.state, .phase], Set(ItemField.allCases)] as [Set<ItemField>] {
      let downloads = DownloadsSnapshot(counts: [:], bytesPerSecond: 0, items: items, fields: fields, next: nil)
      let line = Self.line(of: Snapshot(revision: 1, downloads: downloads))
      #expect((fault(line) == nil) == (fields.count == ItemField.allCases.count))
      #expect(judge.fault(in: Array((line + "\n").utf8), as: .partialOutput) == nil)
    }
  }

  @Test("of a child makes the test fail that waits for a line of it")
  func child() throws {
    let folder = try TemporaryFolder()
    let program = folder.path + "/program"
    let ready = #"{"payload":{"library":"/l","pid":1,"protocol":1,"revision":0,"version":"1"},"type":"engine/ready"}"#
    let script = "#!/bin/sh\necho '\(ready)'\nread line\necho '{\"payload\":{},\"type\":\"ok\"}'\nread line\n"
    try Data(script.utf8).write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let child = try PodfluxProcess(library: folder.path, executable: program)
    try child.waitUntilReady()
    #expect(child.fault == nil)
    try child.send(line: "go on")
    let failure = #expect(throws: PodfluxProcess.Failure.self) { try child.waitForLines(2) }
    #expect(failure?.description.contains("'meta' is a required property") == true, "\(failure?.description ?? "")")
    #expect(child.fault != nil)
    child.closeInput()
    #expect(throws: PodfluxProcess.Failure.self) { try child.waitForEnd() }
  }

  // MARK: What clients say

  @Test("that is refused does not fit, if a schema can tell at all")
  func refused() {
    for bad in BadLines.all where !bad.isRefusedByEngine {
      let isBeyondSchemas = Self.beyondSchemas.contains { bad.name.hasPrefix($0) }
      let fits = judge.fault(in: bad.bytes + [UInt8(ascii: "\n")], as: .input) == nil
      #expect(!fits || isBeyondSchemas, "\(bad)")
    }
  }

  /// The beginnings of the names of lines with faults that a schema cannot say, or that JSON itself leaves open.
  private static let beyondSchemas = [
    // What libcurl makes of an address, and fields whose names are written in any case.
    "the URL https://", "the header ",
    // How long lines are, how deep, how large in all; equal keys; numbers that are written as fractions.
    "a line of 1 MiB", "a line of 5 MiB", #"downloads/pause with {"where":{"not":{"not":{"not":"#,
    #"downloads/pause with {"where":{"any":[{},{},"#, "a key twice", "the URL twice", "a header twice",
    #"cleanup/run with {"mode":"plan","mode""#, #"downloads/pause with {"where":{"state":"failed","state""#,
    #"settings/update with {"maxConcurrent":4.0}"#, #"snapshot with {"downloads":{"limit":1e2}}"#,
    // What is inside of texts.
    "30 February", "25 o'clock", "the URL https://user@/", "the URL https://example.org:99999", "resume data ",
    "a path that turns", #"snapshot with {"downloads":{"after":"t"#,
    // What keys have to do with each other.
    #"snapshot with {"downloads":{"after":"Az"}"#, #"snapshot with {"downloads":{"after":"az","sort""#,
  ]

  @Test(
    "fits, if it is one that clients send",
    arguments: [
      #""filters/toggle","payload":{"filter":"podcast:Süß: \"a\""}"#,
      #""filters/selectGroup","payload":{"group":null}"#,
      #""filters/setText","payload":{"text":""}"#, #""filters/clear""#, #""filters/save","payload":{"name":"a"}"#,
      #""downloads/pause","payload":{"where":{}}"#,
      #""downloads/remove","payload":{"where":{"state":["failed","paused"],"not":{"any":[{"podcast":""}]}}}"#,
      #""downloads/verify","payload":{"where":{"publishedAfter":"2026-11-21t03:00:00.5+01:00","minBytes":0}}"#,
      #""snapshot","payload":{"downloads":{"sort":"-title","after":"T7.w7w","fields":["id","id"],"unfiltered":true}}"#,
      #""snapshot","payload":{"stores":["filters"],"downloads":{"sort":"position","after":"q7.2.-a"}}"#,
      #""observe""#, #""observe","payload":{"stores":[],"actions":true,"interval":0.05,"downloads":{"limit":1}}"#,
      #""unobserve","payload":{}"#,
    ])
  func accepted(line: String) throws {
    let bytes = Array(#"{"type":\#(line),"meta":{"id":1}}"#.utf8)
    _ = try LineDecoder().decode(bytes, number: 1).content.get()
    #expect(judge.fault(in: bytes + [UInt8(ascii: "\n")], as: .input) == nil)
  }

  // MARK: Helpers

  private func fault(_ line: String) -> String? {
    judge.fault(in: Array((line + "\n").utf8), as: .output)
  }

  private func fault(_ snapshot: Snapshot) -> String? {
    fault(Self.line(of: snapshot))
  }

  private static func line(of snapshot: Snapshot) -> String {
    var encoder = LineEncoder()
    encoder.answer(.snapshot(snapshot), id: nil, revision: 9)
    return String(decoding: encoder.bytes.dropLast(), as: UTF8.self)
  }

  /// A snapshot with something in each store.
  private static func snapshot() throws -> Snapshot {
    let downloads = DownloadsSnapshot(
      counts: [.queued: 1], bytesPerSecond: 0, items: [.init(download: try download(), live: nil)], next: nil)
    let audio = try #require(FilterID("media:audio"))
    let state = FiltersState(
      selection: .init(), selectedGroup: .media,
      saved: [SavedFilters(name: "a", selection: .init(active: [audio], text: "x"))])
    return Snapshot(
      revision: 9, engine: EngineSnapshot(version: "1", library: "/l"), settings: Settings(),
      filters: FiltersSnapshot(
        downloads: .init(groups: FilterCounter<Traits>(.init()).groups(), state: state),
        episodes: .init(groups: FilterCounter<EpisodeTraits>(.init()).groups(), state: state)),
      downloads: downloads,
      cleanup: CleanupSnapshot(run: nil, waiting: nil, steps: [], next: nil))
  }

  private static func download() throws -> Download {
    Download(
      id: Samples.id("ep-1"), address: try WebAddress("https://example.org/a.mp3"),
      description: .init(), rank: .init(priority: .normal, position: 17), origin: .user, state: .queued,
      progress: .init(durable: 10, total: 20), failures: 0,
      dates: .init(added: Timestamp(milliseconds: 1_795_230_000_000)), isHeld: false)
  }
}
