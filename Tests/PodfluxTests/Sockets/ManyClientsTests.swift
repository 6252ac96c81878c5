import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Many clients of one engine", .systemTest)
struct ManyClientsTests {
  private let enqueue =
    #"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/ID","id":"ID","paused":true}}"#

  @Test("Each client has its own first and last line, its own order of replies, its own ids and line numbers")
  func order() throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    let clients = try (0..<3).map { _ in try scene.attach() }
    let count = 300
    for number in 0..<count {
      for (index, client) in clients.enumerated() {
        let id = "c\(index)-\(number)"
        let line = number % 3 == 0 ? enqueue.replacing("ID", with: id) : #"{"type":"downloads/fly"}"#
        try client.send(line: line.dropLast() + #","meta":{"id":\#(number)}}"#)
      }
    }
    for client in clients {
      #expect(try client.leave().status == 0)
      let lines = try client.lines.map(PodfluxProcess.parse)
      #expect(lines.first?["type"] as? String == "engine/ready")
      #expect(client.stopReason == "closed")
      let replies = lines.dropFirst().dropLast()
      #expect(replies.compactMap { ($0["meta"] as? [String: Any])?["id"] as? Int } == Array(0..<count))
      let refused = replies.compactMap { ($0["payload"] as? [String: Any])?["line"] as? Int }
      #expect(refused == (0..<count).filter { $0 % 3 != 0 }.map { $0 + 1 })
    }
    #expect(try engine.downloads(limit: 1).counts["paused"] == count)
    #expect(try engine.ask("snapshot")["type"] as? String == "ok")
  }

  @Test("What one client observes is no other's matter, and ends with its connection")
  func observation() throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    let (first, second) = (try scene.attach(), try scene.attach())
    try first.order("observe", ["stores": ["settings"], "interval": 0.05])
    try second.order("observe", ["stores": ["engine"], "actions": true, "interval": 0.05])
    _ = try first.nextState(of: "settings")
    _ = try second.nextState(of: "engine")
    try engine.order("settings/update", ["maxConcurrent": 9])
    #expect(try first.nextState(of: "settings")["maxConcurrent"] as? Int == 9)
    try second.wait(for: "the action") { $0.contains(#""settings/update""#) }
    #expect(try first.leave().status == 0)
    // The engine has shown its other clients nothing of it.
    try engine.order("settings/update", ["maxConcurrent": 10])
    try second.wait(for: "the next action") { $0.contains(#""maxConcurrent":10"#) }
    #expect(!second.lines.contains { $0.contains(#""store":"settings""#) })
    #expect(!first.lines.contains { $0.contains(#""type":"settings/update""#) })
    #expect(!engine.lines.contains { $0.contains(#""type":"state""#) || $0.contains(#""type":"settings/update""#) })
  }

  @Test("A snapshot of an observing client comes behind all that it has been shown up to that revision")
  func snapshotBehindObservation() throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    let client = try scene.attach()
    try client.order("observe", ["stores": ["downloads"], "interval": 3600])
    _ = try client.nextState(of: "downloads")
    try engine.send(line: enqueue.replacing("ID", with: "a"))
    try engine.waitForAcknowledgements(1)
    try client.order("snapshot", ["stores": ["downloads"]])
    let lines = client.lines
    let state = lines.lastIndex { $0.contains(#""type":"state""#) } ?? .max
    #expect(lines.indices.contains(state) && lines[state].contains(#""id":"a""#))
    #expect(state == lines.count - 2)
  }

  @Test("Clients that read nothing cost bounded memory, and neither replies nor downloads of others wait for them")
  func deaf() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 2 << 20, bytesPerSecond: 4 << 20).body
    let engine = try scene.startListening()
    let title = String(repeating: "x", count: 500)
    for number in 0..<500 {
      try engine.send(
        line:
          #"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/\#(number)","title":"\#(title)","paused":true}}"#
      )
    }
    try engine.waitForAcknowledgements(500)
    let before = try engine.peakResidentBytes()
    let query = #"{"type":"snapshot","payload":{"downloads":{"limit":1000}}}"# + "\n"
    let deaf = try (0..<10).map { _ in try RawConnection(scene.socketPath) }
    for client in deaf {
      client.send(#"{"type":"observe","payload":{"interval":0.05}}"# + "\n")
      while client.send(query) > 0 {}
    }
    let client = try scene.attach()
    try client.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    for number in 0..<200 { try client.order("settings/update", ["maxConcurrent": 1 + number % 9], upTo: 5) }
    try client.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: "a.mp3") == body.hash)
    let growth = try engine.peakResidentBytes() - before
    print("10 clients that read nothing: \(growth >> 10) KiB more")
    #expect(growth < 64 << 20)
    // They may come back to it.
    #expect(try deaf[0].readLine().contains("engine/ready"))
    #expect(try deaf[0].readLine().contains(#""type":"ok""#))
  }

  @Test("A client that has ended its side gets every reply, then the last line")
  func halfClosed() throws {
    let scene = try Scene()
    let daemon = try scene.startDaemon()
    let count = 5000
    let client = try scene.attach()
    try client.send(line: (0..<count).map { enqueue.replacing("ID", with: "d\($0)") }.joined(separator: "\n"))
    #expect(try client.leave().status == 0)
    #expect(client.lines.count == count + 2)
    #expect(client.lines.dropFirst().dropLast().allSatisfy { $0.contains(#""created":true"#) })
    #expect(client.stopReason == "closed")
    daemon.signal(SIGTERM)
    #expect(try daemon.waitForEnd().status == 0)
  }

  @Test("Any client may suspend the engine and any other resume it; meanwhile the actions of all are refused")
  func suspension() throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    let (first, second) = (try scene.attach(), try scene.attach())
    try second.order("observe", ["stores": ["engine"], "interval": 0.05])
    try first.order("engine/suspend")
    for client in [engine, first, second] {
      let refusal = try client.ask("settings/update", ["maxConcurrent": 3])
      #expect((refusal["payload"] as? [String: Any])?["code"] as? String == "suspended")
    }
    // One that comes meanwhile is taken in, and leaves again.
    let third = try scene.attach()
    #expect(try third.leave().status == 0)
    try second.order("engine/resume")
    for client in [engine, first, second] { try client.order("settings/update", ["maxConcurrent": 3]) }
  }

  @Test(
    "When the engine ends, each client hears why, behind all its replies",
    arguments: [("shutdown", "shutdown"), ("signal", "signal"), ("eof", "eof")])
  func ending(by cause: String, reason: String) throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    let clients = try (0..<3).map { _ in try scene.attach() }
    let ids = (0..<100).map { "\(cause)-\($0)" }
    try clients[2].send(line: ids.map { enqueue.replacing("ID", with: $0) }.joined(separator: "\n"))
    try clients[2].waitForLines(ids.count + 1)
    switch cause {
    case "shutdown": try clients[0].order("engine/shutdown")
    case "signal": engine.signal(SIGTERM)
    default: engine.closeInput()
    }
    #expect(try engine.waitForEnd().status == 0)
    for client in clients {
      #expect(try client.waitForEnd().status == 0)
      #expect(client.stopReason == reason)
    }
    #expect(access(scene.socketPath, F_OK) != 0)
  }

  @Test("A preview holds up its own client alone")
  func preview() throws {
    let scene = try Scene()
    scene.origin.serve("/feed", .resource(Resource(.text("<rss>"))).limited(toBytesPerSecond: 1))
    let engine = try scene.startListening()
    let (first, second) = (try scene.attach(), try scene.attach())
    try first.send(line: #"{"type":"feeds/preview","payload":{"url":"\#(scene.origin.url("/feed"))"}}"#)
    try first.send(line: #"{"type":"snapshot","payload":{"stores":["engine"]},"meta":{"id":"behind"}}"#)
    try waitUntil("the request") { !scene.origin.requests.isEmpty }
    for _ in 0..<20 { try second.order("snapshot", ["stores": ["engine"]], upTo: 5) }
    #expect(!first.lines.contains { $0.contains("behind") })
    engine.signal(SIGTERM)
    #expect(try first.waitForEnd().status == 0)
    #expect(first.lines.contains { $0.contains("behind") })
  }
}
