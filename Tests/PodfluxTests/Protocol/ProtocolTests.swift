import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Protocol", .systemTest)
struct ProtocolTests {
  @Test("The first line is ready, the last has the reason of the stop, and both match the replies")
  func firstAndLast() throws {
    let scene = try Scene()
    let engine = try scene.start()
    let ready = try PodfluxProcess.parse(try #require(engine.lines.first))
    let payload = try #require(ready["payload"] as? [String: Any])
    #expect(ready["type"] as? String == "engine/ready")
    #expect(payload["protocol"] as? Int == 1)
    #expect(payload["pid"] as? Int == Int(engine.pid))
    #expect(payload["library"] as? String == scene.library)
    // The cleanup at start makes its own turns.
    let begun = try #require(payload["revision"] as? Int)
    let replied = try engine.revision()
    #expect(begun <= replied)
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let stopped = try PodfluxProcess.parse(try #require(engine.lines.last))
    #expect(stopped["type"] as? String == "engine/stopped")
    let last = try #require(stopped["payload"] as? [String: Any])
    #expect(last["reason"] as? String == "eof")
    #expect(try replied <= #require(last["revision"] as? Int))
  }

  @Test("10,000 mixed lines are answered one by one, in their order, with their ids")
  func order() throws {
    let scene = try Scene()
    let engine = try scene.start()
    let seed = try SeededRandom.seed()
    var random = SeededRandom(seed: seed)
    let count = 10_000
    let lines = (0..<count).map { number -> String in
      let id = Bool.random(using: &random) ? "\(number)" : #""n\#(number)""#
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return #"{"type":"snapshot","payload":{"stores":["engine"]},"meta":{"id":\#(id)}}"#
      case 1: return #"{"type":"downloads/fly","meta":{"id":\#(id)}}"#
      case 2: return #"{"type":"downloads/pause","payload":{"all":true},"meta":{"id":\#(id)}}"#
      case 3: return #"{"type":"downloads/pause","payload":{"id":"absent"},"meta":{"id":\#(id)}}"#
      default:
        return
          #"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/\#(number)","paused":true},"meta":{"id":\#(id)}}"#
      }
    }
    try engine.send(line: lines.joined(separator: "\n"))
    try engine.waitForLines(1 + count)
    for (number, line) in engine.lines.dropFirst().enumerated() {
      let meta = try PodfluxProcess.parse(line)["meta"] as? [String: Any]
      let isEchoed = meta?["id"] as? Int == number || meta?["id"] as? String == "n\(number)"
      try #require(isEchoed, "line \(number): \(line); PODFLUX_SEED=\(seed) repeats it")
    }
  }

  @Test("A query sees every action before it and none after it")
  func reading() throws {
    let scene = try Scene()
    let engine = try scene.start()
    let count = 300
    for number in 0..<count {
      try engine.send(line: enqueueLine("e\(number)"))
      try engine.send(line: #"{"type":"snapshot","payload":{"stores":["downloads"],"downloads":{"limit":1}}}"#)
    }
    try engine.waitForLines(1 + 2 * count)
    let counts = try engine.lines.filter { $0.contains("\"counts\"") }.map { line in
      let payload = try PodfluxProcess.parse(line)["payload"] as? [String: Any]
      let downloads = payload?["downloads"] as? [String: Any]
      return (downloads?["counts"] as? [String: Int])?["paused"]
    }
    #expect(counts == (1...count).map { $0 })
  }

  @Test("Acknowledged changes are there after a SIGKILL right after the ok")
  func durable() throws {
    let scene = try Scene()
    for number in 0..<10 {
      let engine = try scene.start()
      try engine.order(
        "downloads/enqueue", ["url": "http://127.0.0.1:1/\(number)", "id": "d\(number)", "paused": true])
      try engine.kill()
      let result = try PodfluxCommand.run(["snapshot", "--library", scene.library])
      #expect(try snapshotItems(result.output).map(\.id) == (0...number).map { "d\($0)" })
    }
  }

  @Test("The revision grows by one with each committed action only, not with refusals and queries")
  func revision() throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.waitForStartCleanup()
    let first = try engine.revision()
    for number in 1...5 {
      try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/\(number)", "paused": true])
      #expect(try engine.revision() == first + number)
      _ = try engine.refusal("downloads/pause", ["id": "absent"])
      _ = try engine.refusal("downloads/fly")
      #expect(try engine.revision() == first + number)
    }
  }

  @Test("The revision continues after a restart")
  func revisionAfterRestart() throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.waitForStartCleanup()
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/a", "paused": true])
    let before = try engine.revision()
    try engine.kill()
    let next = try scene.start()
    try next.waitForStartCleanup()
    let after = try next.revision()
    #expect(after > before)
    // The start's own turn, and the end of its cleanup.
    #expect(after <= before + 2)
  }

  @Test("The same state gives the same bytes, with sorted keys")
  func sameBytes() throws {
    let scene = try Scene()
    let engine = try scene.start()
    for number in 0..<20 {
      try engine.order(
        "downloads/enqueue",
        ["url": "http://127.0.0.1:1/ä/\(number)", "paused": true, "title": "a/b \"\(number)\" ✓", "podcast": "Ü"])
    }
    // Its run is a part of the state.
    try engine.waitForStartCleanup()
    let before = engine.lines.count
    try engine.send(line: #"{"type":"snapshot"}"#)
    try engine.send(line: #"{"type":"snapshot"}"#)
    try engine.waitForLines(before + 2)
    let lines = engine.lines.suffix(2)
    #expect(lines.first == lines.last)
    let line = try #require(lines.last)
    #expect(!line.contains("\\/"))
    let object = try PodfluxProcess.parse(line)
    let sorted = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    // Foundation sorts without regard to case.
    let text = String(decoding: sorted, as: UTF8.self).replacing(
      #""filenameTemplate":"","fileTimes":"published""#, with: #""fileTimes":"published","filenameTemplate":"""#)
    #expect(line == text)
  }

  @Test("A last line without a line feed is executed too")
  func withoutLineFeed() throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.send(bytes: Array(enqueueLine("last").utf8))
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    #expect(engine.acknowledgedIDs == ["last"])
  }

  @Test("stdout contains only protocol lines, also with all logs on")
  func onlyLines() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 100_000)
    scene.origin.serve("/b.mp3", .status(404))
    let engine = try scene.start(["--log-level", "trace"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3")])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/b.mp3")])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    for line in engine.lines {
      #expect(try PodfluxProcess.parse(line)["type"] is String)
    }
  }

  @Test("stdin is answered at once while 64 transfers run", .systemTestAlone)
  func responsive() throws {
    let scene = try Scene()
    let engine = try scene.startEager(settings: ["maxConcurrent": 64, "maxPerHost": 64])
    for number in 0..<64 {
      scene.serve("/\(number).mp3", length: 50 << 20, bytesPerSecond: 500_000)
      try engine.send(
        line: #"{"type":"downloads/enqueue","payload":{"url":"\#(scene.origin.url("/\(number).mp3"))"}}"#)
    }
    try scene.origin.wait(upTo: .seconds(20)) { $0.activeRequests == 64 }
    var slowest = Duration.zero
    for _ in 0..<100 {
      slowest = try max(slowest, ContinuousClock().measure { _ = try engine.revision() })
    }
    print("the slowest of 100 replies beside 64 transfers took \(slowest)")
    #expect(slowest < .milliseconds(500))
  }

  private func enqueueLine(_ id: String) -> String {
    #"{"type":"downloads/enqueue","payload":{"id":"\#(id)","url":"http://127.0.0.1:1/\#(id)","paused":true}}"#
  }
}
