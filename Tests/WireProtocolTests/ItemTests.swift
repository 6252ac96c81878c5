import Flux
import Foundation
import Testing
import WireProtocol

@testable import PodfluxCore

@Suite("A download in a snapshot")
struct ItemTests {
  @Test("is shown byte for byte the same, with every key but no password, while it runs")
  func running() throws {
    var live = liveAttempt(of: try download(.running(.connecting)))
    live.phase = .receiving
    live.received = 1_572_864
    live.rate = 524_288
    let item = DownloadsSnapshot.Item(download: try download(.running(.connecting)), live: live)
    #expect(
      line(item)
        == #"{"addedAt":"2026-11-21T03:00:00.000Z","attempt":3,"#
        + #""bytes":{"discarded":5,"discardedBecause":{"content_changed":5},"durable":1048576,"#
        + #""received":1572864,"total":4194304},"detail":null,"error":null,"eta":5,"#
        + #""finishedAt":null,"id":"ep-1","modifiedAt":null,"network":"inherit","origin":"user","path":null,"phase":"receiving","#
        + #""podcast":"Show","position":17,"priority":"normal","rate":524288,"reason":null,"resumable":true,"#
        + #""retryAt":null,"sha256":null,"startedAt":"2026-11-21T03:00:01.001Z","state":"running","tagged":null,"title":null,"#
        + #""untagged":null,"url":"https://example.org/a.mp3?t=1"}"#, "user name and password are not shown")
  }

  @Test("that waits says what for, until when, and what went wrong")
  func waiting() throws {
    let error = DownloadError(.retriesExhausted, "it \"failed\"", status: 503, cause: .httpStatus)
    let state = DownloadState.waiting(.retry(at: Timestamp(milliseconds: 1_795_230_000_123), after: error))
    let shown = line(.init(download: try download(state), live: nil))
    #expect(shown.contains(#""reason":"retry""#))
    #expect(shown.contains(#""retryAt":"2026-11-21T03:00:00.123Z""#))
    #expect(
      shown.contains(
        #""error":{"cause":"http_status","code":"retries_exhausted","message":"it \"failed\"","status":503},"eta":null"#
      ))
    #expect(shown.contains(#""attempt":3"#))
    #expect(shown.contains(#""phase":null"#))
  }

  @Test("that is queued for a host which wants to be left alone waits for it")
  func waitingForHost() throws {
    let moment = Timestamp(milliseconds: 1_795_230_000_123)
    let shown = line(.init(download: try download(.queued), live: nil, obstacle: .host(until: moment)))
    #expect(shown.contains(#""detail":{"until":"2026-11-21T03:00:00.123Z"}"#))
    #expect(shown.contains(#""reason":"host""#))
    #expect(shown.contains(#""retryAt":"2026-11-21T03:00:00.123Z""#))
    #expect(shown.contains(#""state":"waiting""#))
  }

  @Test("that an obstacle keeps from running says what it is, in numbers and moments where there are any")
  func obstacles() throws {
    let until = Timestamp(milliseconds: 1_795_230_000_123)
    func shown(_ obstacle: Obstacle) throws -> String {
      line(.init(download: try download(.queued), live: nil, obstacle: obstacle))
    }
    let budget = try shown(.budget(SpentBudget(usedBytes: 11, budgetBytes: 10, until: until)))
    #expect(
      budget.contains(#""detail":{"budgetBytes":10,"until":"2026-11-21T03:00:00.123Z","usedBytes":11},"error":null"#))
    #expect(budget.contains(#""reason":"budget""#))
    #expect(budget.contains(#""retryAt":null"#))
    #expect(try shown(.storage(shortBytes: 7)).contains(#""detail":{"shortBytes":7}"#))
    #expect(try shown(.schedule(until: nil)).contains(#""detail":{"until":null}"#))
    #expect(try shown(.policy).contains(#""detail":null"#))
    #expect(try shown(.network).contains(#""reason":"network""#))
  }

  @Test("that failed shows its error and the attempt that was its last")
  func failed() throws {
    let state = DownloadState.failed(DownloadError(.notFound, "gone"))
    let shown = line(.init(download: try download(state), live: nil))
    #expect(shown.contains(#""error":{"code":"not_found","message":"gone"}"#))
    #expect(shown.contains(#""attempt":2"#))
    var fresh = try download(state)
    fresh.failures = 0
    #expect(line(.init(download: fresh, live: nil)).contains(#""attempt":1"#))
  }

  @Test("that is completed shows its path and cannot be resumed")
  func completed() throws {
    let file = PublishedFile(path: try LibraryPath(validating: "Show/a.mp3"), length: 1, inode: 2)
    let shown = line(.init(download: try download(.completed(file)), live: nil))
    #expect(shown.contains(#""path":"Show/a.mp3""#))
    #expect(shown.contains(#""resumable":false"#))
    let publishing = line(.init(download: try download(.running(.publishing(file))), live: nil))
    #expect(publishing.contains(#""path":null,"phase":"publishing""#))
  }

  @Test("whose attempt is still stopping has neither phase nor speed")
  func stopping() throws {
    var live = liveAttempt(of: try download(.paused))
    live.rate = 10
    live.received = 2_000_000
    let shown = line(.init(download: try download(.paused), live: live))
    #expect(shown.contains(#""phase":null"#))
    #expect(shown.contains(#""rate":0"#))
    #expect(shown.contains(#""eta":null"#))
    #expect(shown.contains(#""received":2000000"#))
  }

  @Test("has the length that its client expects until the server says better")
  func expectedLength() throws {
    var download = try download(.queued)
    (download.progress.total, download.description.expectedLength) = (nil, 77)
    #expect(line(.init(download: download, live: nil)).contains(#""total":77"#))
    download.description.expectedLength = nil
    #expect(line(.init(download: download, live: nil)).contains(#""total":null"#))
  }

  @Test("never shows the values of its headers")
  func secrets() throws {
    var download = try download(.queued)
    download.description.headers = [Header(name: "Authorization", value: "SECRET")]
    #expect(!line(.init(download: download, live: nil)).contains("SECRET"))
  }

  @Test("has its keys in the order in which Foundation sorts them, as has everything around it")
  func sorted() throws {
    let error = DownloadError(.httpStatus, "é / \u{8}\u{C}\r", status: 500, cause: .timeout)
    let items = [
      DownloadsSnapshot.Item(download: try download(.failed(error)), live: nil),
      DownloadsSnapshot.Item(download: try download(.queued), live: nil),
    ]
    let downloads = DownloadsSnapshot(counts: [:], bytesPerSecond: 0, items: items, next: nil)
    let snapshot = Snapshot(
      revision: 1, engine: EngineSnapshot(version: "1", library: "/"), settings: Settings(), downloads: downloads)
    var encoder = LineEncoder()
    encoder.answer(.snapshot(snapshot), id: .integer(1), revision: 1)
    let parsed = try JSONSerialization.jsonObject(with: Data(encoder.bytes))
    let again = try JSONSerialization.data(withJSONObject: parsed, options: [.sortedKeys, .withoutEscapingSlashes])
    // Foundation sorts without regard to case.
    let text = String(decoding: again, as: UTF8.self).replacing(
      #""filenameTemplate":"","fileTimes":"published""#, with: #""fileTimes":"published","filenameTemplate":"""#)
    #expect(text == String(decoding: encoder.bytes.dropLast(), as: UTF8.self))
  }

  @Test("has only the keys that were asked for, each as it is among all", arguments: ItemField.allCases)
  func fields(field: ItemField) throws {
    let item = DownloadsSnapshot.Item(download: try download(.queued), live: nil)
    let whole = try Self.parse(line(item))
    #expect(Set(whole.keys) == Set(ItemField.allCases.map(\.rawValue)))
    let alone = try Self.parse(line(item, showing: [field]))
    #expect(Array(alone.keys) == [field.rawValue])
    #expect(NSDictionary(dictionary: alone) == NSDictionary(dictionary: whole.filter { $0.key == field.rawValue }))
  }

  @Test("has the keys that were asked for in their order")
  func someFields() throws {
    let item = DownloadsSnapshot.Item(download: try download(.queued), live: nil)
    #expect(line(item, showing: [.url, .id]) == #"{"id":"ep-1","url":"https://example.org/a.mp3?t=1"}"#)
  }

  private static func parse(_ text: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private static var discarded: Download.Discarded {
    var discarded = Download.Discarded()
    discarded.add(5, because: .contentChanged)
    return discarded
  }

  private func download(_ state: DownloadState) throws -> Download {
    Download(
      id: Samples.id("ep-1"), address: try WebAddress("https://u:p@example.org/a.mp3?t=1"),
      description: .init(podcast: "Show"), rank: .init(priority: .normal, position: 17), origin: .user, state: state,
      progress: .init(durable: 1_048_576, total: 4_194_304, discarded: Self.discarded, resume: Samples.record),
      failures: 2,
      dates: .init(
        added: Timestamp(milliseconds: 1_795_230_000_000), started: Timestamp(milliseconds: 1_795_230_001_001)),
      isHeld: false)
  }

  private func liveAttempt(of download: Download) -> LiveAttempt {
    let attempt = Attempt(
      id: AttemptID(download: download.id, generation: 1), address: download.address,
      description: download.description, origin: download.origin, resume: download.progress.resume,
      settings: Settings())
    return LiveAttempt(attempt, policy: .inherit, path: NetworkPath(status: .online), needsPath: true, expected: 0)
  }

  /// The one item of a snapshot.
  private func line(_ item: DownloadsSnapshot.Item, showing fields: Set<ItemField>? = nil) -> String {
    let downloads = DownloadsSnapshot(counts: [:], bytesPerSecond: 0, items: [item], fields: fields, next: nil)
    var encoder = LineEncoder()
    encoder.answer(.snapshot(Snapshot(revision: 1, downloads: downloads)), id: nil, revision: 1)
    let text = String(decoding: encoder.bytes, as: UTF8.self)
    guard let items = text.firstMatch(of: #/"items":\[(.*)\],"next"/#) else { return text }
    return String(items.1)
  }
}
