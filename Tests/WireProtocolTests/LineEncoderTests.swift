import Flux
import Foundation
import Testing
import WireProtocol

@testable import PodfluxCore

@Suite("A line of the engine")
struct LineEncoderTests {
  @Test("says first what engine this is, and last why it ends")
  func firstAndLast() {
    #expect(
      lines { $0.ready(version: "1.0.0", library: "/srv/pod casts", revision: 3, pid: 42) }
        == #"{"payload":{"library":"/srv/pod casts","pid":42,"protocol":1,"revision":3,"version":"1.0.0"},"#
        + #""type":"engine/ready"}"# + "\n")
    for end in ConnectionEnd.all {
      #expect(
        lines { $0.stopped(end, revision: 9) }
          == #"{"payload":{"reason":"\#(end.name)","revision":9},"type":"engine/stopped"}"# + "\n")
    }
  }

  @Test("replies to each action, with the line's id if it had one")
  func replies() {
    let reply = lines {
      $0.reply(.enqueued(id: Samples.id("ep-1"), created: true), id: .integer(-7), revision: 1)
      $0.reply(.affected(12), id: .string("a\"/\\\u{1}\u{1F}\n\t\u{7F}é😀"), revision: 2)
      $0.reply(.done, id: nil, revision: .max)
    }
    #expect(
      reply == #"""
        {"meta":{"id":-7,"revision":1},"payload":{"created":true,"id":"ep-1"},"type":"ok"}
        {"meta":{"id":"a\"/\\\u0001\u001f\n\t\#u{7F}é😀","revision":2},"payload":{"affected":12},"type":"ok"}
        {"meta":{"revision":9223372036854775807},"payload":{},"type":"ok"}

        """#)
  }

  @Test("tells of files in quarantine, and what became of them")
  func quarantine() {
    let moment = Timestamp(milliseconds: 1_795_230_000_007)
    let place = EntryPath(bytes: Array("x/a \"1\".mp3".utf8))
    let written = lines {
      $0.quarantined(
        QuarantinedFile(
          name: "ep-1.mp3", place: place, length: 5, because: "it is damaged", at: moment, download: Samples.id("ep")))
      $0.quarantined(
        QuarantinedFile(name: "b", place: nil, length: 0, because: "?", at: moment, download: nil))
      $0.restored("ep-1.mp3", to: place, bytes: 5)
      $0.emptied(files: 2, bytes: .max)
    }
    #expect(
      written == #"""
        {"at":"2026-11-21T03:00:00.007Z","because":"it is damaged","bytes":5,"download":"ep","name":"ep-1.mp3","path":"x/a \"1\".mp3"}
        {"at":"2026-11-21T03:00:00.007Z","because":"?","bytes":0,"download":null,"name":"b","path":null}
        {"bytes":5,"name":"ep-1.mp3","path":"x/a \"1\".mp3"}
        {"bytes":9223372036854775807,"files":2}

        """#)
  }

  @Test("refuses with code, message, path and the line's number")
  func refusals() {
    let refusals = lines {
      $0.refusal(Refusal(.unsafePath, "no", path: "payload.path"), line: 3, id: .string("x"))
      $0.refusal(Refusal(.invalidJSON, "no"), line: 4, id: nil)
    }
    #expect(
      refusals == #"""
        {"error":true,"meta":{"id":"x"},"payload":{"code":"unsafe_path","line":3,"message":"no","path":"payload.path"},"type":"error"}
        {"error":true,"payload":{"code":"invalid_json","line":4,"message":"no"},"type":"error"}

        """#)
  }

  @Test("gives out resume data that it takes back, and null if there are none")
  func resumeData() throws {
    #expect(
      lines { $0.answer(.resumeData(nil), id: nil, revision: 1) }
        == #"{"meta":{"revision":1},"payload":{"resumeData":null},"type":"ok"}"# + "\n")
    var bare = Samples.record
    (bare.strongETag, bare.lastModified, bare.total) = (nil, nil, nil)
    for record in [Samples.record, bare] {
      let line = lines { $0.answer(.resumeData(record), id: nil, revision: 1) }
      let text = try #require(line.firstMatch(of: #/"resumeData":"([^"]+)"/#)).1
      #expect(try JSONDecoder().decode(ResumeRecord.self, from: #require(Data(base64Encoded: String(text)))) == record)
      let enqueue = #"{"type":"downloads/enqueue","payload":{"url":"https://a.example/","resumeData":"\#(text)"}}"#
      let wish = DownloadIntent.Enqueue(address: try WebAddress("https://a.example/"), resume: record)
      #expect(
        try LineDecoder().decode(Array(enqueue.utf8), number: 1).content.get() == .intent(.downloads(.enqueue(wish))))
    }
  }

  @Test("shows the stores that were asked for, and no other")
  func stores() {
    let engine = EngineSnapshot(version: "1.0.0", library: "/l")
    let snapshot = Snapshot(revision: 5, engine: engine, sessions: [])
    #expect(
      lines { $0.answer(.snapshot(snapshot), id: nil, revision: 5) }
        == #"{"meta":{"revision":5},"payload":{"engine":{"library":"/l","protocol":1,"version":"1.0.0"},"#
        + #""sessions":{"items":[],"next":null}},"type":"ok"}"# + "\n")
    #expect(
      lines { $0.answer(.snapshot(Snapshot(revision: 5)), id: nil, revision: 5) }
        == #"{"meta":{"revision":5},"payload":{},"type":"ok"}"# + "\n")
  }

  @Test("shows every setting, in the order of the alphabet, and a value of each kind as it is")
  func settings() throws {
    let line = lines { $0.answer(.snapshot(Snapshot(revision: 5, settings: Settings())), id: nil, revision: 5) }
    guard case .object(let payload)? = try JSONObject(line: Array(line.utf8.dropLast()))["payload"],
      case .object(let shown)? = payload["settings"]
    else {
      Issue.record("\(line) shows no settings")
      return
    }
    #expect(shown.members.map(\.key) == Settings.all.map(\.name).sorted())
    for member in [
      #""addresses":null"#, #""bytesPerSecond":0"#, #""cleanupOnStart":true"#, #""fileTimes":"published""#,
      #""maxConcurrent":4"#, #""maxFileBytes":17179869184"#, #""nameTimeZone":"publisher""#,
      #""network":{"artwork":"unmetered","auto":"unmetered","feeds":"unmetered","podcasts":{},"user":"unmetered"}"#,
      #""progressInterval":0.25"#, #""schedule":[]"#, #""sidecars":[]"#, #""userAgent":"Podflux/1""#,
    ] {
      #expect(line.contains(member + ",") || line.contains(member + "}"), "\(member)")
    }
  }

  @Test("shows counts of all states, a page, and where the next begins")
  func downloads() {
    let downloads = DownloadsSnapshot(
      counts: [.queued: 2, .failed: 1], bytesPerSecond: 7, items: [],
      next: OrderCursor(order: .init(), value: .none, key: 35))
    #expect(
      lines { $0.answer(.snapshot(Snapshot(revision: 5, downloads: downloads)), id: nil, revision: 5) }
        == #"{"meta":{"revision":5},"payload":{"downloads":{"bytesPerSecond":7,"counts":{"completed":0,"failed":1,"#
        + #""paused":0,"queued":2,"running":0,"waiting":0},"discarded":{"bytes":0,"discardedBecause":{}},"#
        + #""items":[],"next":"az"}},"type":"ok"}"# + "\n")
  }

  @Test("forgets what was taken from its buffer")
  func buffer() {
    var encoder = LineEncoder()
    encoder.reply(.done, id: nil, revision: 1)
    encoder.removeAll()
    encoder.reply(.affected(1), id: nil, revision: 2)
    #expect(
      String(decoding: encoder.bytes, as: UTF8.self) == #"{"meta":{"revision":2},"payload":{"affected":1},"type":"ok"}"#
        + "\n")
  }

  private func lines(_ write: (inout LineEncoder) -> Void) -> String {
    var encoder = LineEncoder()
    write(&encoder)
    return String(decoding: encoder.bytes, as: UTF8.self)
  }
}
