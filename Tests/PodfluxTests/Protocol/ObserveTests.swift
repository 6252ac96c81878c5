import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Observing", .systemTest)
struct ObserveTests {
  private let fast = ["interval": 0.05]

  @Test("First the reply, then the complete state of each requested store, then only changes")
  func first() throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/a.mp3", "id": "a", "paused": true])
    let reply = try engine.order("observe", ["stores": ["downloads", "settings"], "interval": 0.05])
    #expect(reply["revision"] is Int)
    let downloads = try engine.nextState(of: "downloads")
    #expect(downloads["full"] as? Bool == true)
    #expect((downloads["items"] as? [[String: Any]])?.map { $0["id"] as? String } == ["a"])
    let settings = try engine.nextState(of: "settings")
    #expect(settings["full"] as? Bool == true)
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/b.mp3", "id": "b", "paused": true])
    let change = try engine.nextState(of: "downloads")
    #expect(change["full"] == nil)
    #expect((change["upsert"] as? [[String: Any]])?.map { $0["id"] as? String } == ["b"])
    #expect(change["order"] as? [String] == ["a", "b"])
    #expect((change["counts"] as? [String: Int])?["paused"] == 2)
    try engine.order("downloads/remove", ["id": "a"])
    let removal = try engine.nextState(of: "downloads")
    #expect(removal["remove"] as? [String] == ["a"])
    #expect((removal["upsert"] as? [Any])?.isEmpty == true)
    #expect(!engine.lines.contains { $0.contains(#""store":"filters""#) })
  }

  @Test("A stream of real downloads, applied line by line, matches a snapshot at any time")
  func stream() throws {
    let scene = try Scene()
    let engine = try scene.startEager()
    try engine.order("observe", fast)
    for number in 0..<12 {
      scene.serve("/\(number).mp3", length: 400_000 + number, bytesPerSecond: 400_000)
      try engine.order(
        "downloads/enqueue", ["url": scene.origin.url("/\(number).mp3"), "id": "d\(number)", "title": "T \(number)"])
    }
    try engine.order("downloads/pause", ["id": "d3"])
    try engine.order("downloads/update", ["id": "d4", "title": "Other"])
    for _ in 0..<20 { try engine.order("snapshot") }
    try engine.waitForDownloads { counts, _ in counts["completed"] == 11 }
    try engine.order("downloads/remove", ["ids": ["d1", "d2"]])
    try engine.order("snapshot")
    var follower = StateFollower()
    var compared = 0
    for line in engine.lines where try !follower.apply(line) {
      // Only lines for all stores contain the whole state.
      guard line.contains(#""settings":{"#) else { continue }
      let (held, shown) = (try follower.state(), try StateFollower.payload(of: line))
      try #require(held == shown)
      compared += 1
    }
    #expect(compared == 21)
  }

  @Test("A new observe starts from the beginning, and after its end no lines come")
  func anew() throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.order("observe", ["stores": ["settings"], "interval": 0.05])
    _ = try engine.nextState(of: "settings")
    try engine.order("observe", ["stores": ["settings"], "interval": 0.05])
    #expect(try engine.nextState(of: "settings")["full"] as? Bool == true)
    try engine.order("settings/update", ["maxConcurrent": 9])
    #expect(try engine.nextState(of: "settings")["maxConcurrent"] as? Int == 9)
    #expect(try engine.order("unobserve").isEmpty)
    let told = engine.lines.count
    try engine.order("settings/update", ["maxConcurrent": 10])
    try engine.order("observe", ["stores": ["engine"], "interval": 0.05])
    _ = try engine.nextState(of: "engine")
    #expect(engine.lines.count == told + 3)
  }

  @Test("Actions are sent after their commit, clients' and services', numbered without a gap, with their results")
  func actions() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 600_000, bytesPerSecond: 600_000)
    let engine = try scene.start()
    try engine.order("observe", ["stores": [], "actions": true, "interval": 0.05])
    try engine.order(
      "downloads/enqueue",
      ["url": scene.origin.url("/a.mp3"), "id": "a", "headers": ["Authorization": "Bearer very-secret"]])
    try engine.wait(for: "a", toBe: "completed")
    try engine.order("downloads/remove", ["id": "a"])
    engine.closeInput()
    _ = try engine.waitForEnd()
    let lines = try engine.lines.map(PodfluxProcess.parse)
    let types = lines.compactMap { $0["type"] as? String }
    for type in ["enqueue", "started", "progressed", "publishing", "finished", "remove", "removed"] {
      #expect(types.contains("downloads/" + type), "\(type)")
    }
    let numbers = lines.compactMap { ($0["meta"] as? [String: Any])?["sequence"] as? Int }
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 || $1 == $0 + 1 })
    let enqueued = types.firstIndex(of: "downloads/enqueue") ?? .max
    let started = types.firstIndex(of: "downloads/started") ?? .max
    #expect(enqueued < started)
    #expect(!engine.lines.contains { $0.contains("very-secret") })
    #expect(!types.contains("state"))
  }

  @Test("The last state precedes the last line")
  func end() throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.order("observe", ["stores": ["downloads"], "interval": 3600])
    _ = try engine.nextState(of: "downloads")
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/a.mp3", "id": "a", "paused": true])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let states = engine.lines.filter { $0.contains(#""type":"state""#) }
    #expect(states.count == 2)
    #expect(states.last?.contains(#""order":["a"]"#) == true)
    #expect(engine.lines.last?.contains("engine/stopped") == true)
  }

  @Test("A client that does not read costs bounded memory and delays nothing; afterwards it gets the latest state")
  func slow() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 4 << 20, bytesPerSecond: 4 << 20).body
    let engine = try scene.startUnheard()
    try engine.send(line: #"{"type":"observe","payload":{"interval":0.05,"downloads":{"limit":1000}}}"#)
    let title = String(repeating: "x", count: 1000)
    // Each is a turn, with a page of a megabyte to send.
    for number in 0..<1000 {
      try engine.send(
        line:
          #"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/\#(number)","title":"\#(title)","paused":true}}"#
      )
    }
    try engine.send(line: #"{"type":"downloads/enqueue","payload":{"url":"\#(scene.origin.url("/a.mp3"))","id":"a"}}"#)
    try waitUntil("the file", upTo: 20) { scene.publishedFiles() == ["a.mp3"] }
    #expect(scene.hash(of: "a.mp3") == body.hash)
    let peak = try engine.peakResidentBytes()
    #expect(peak < 100 << 20)
    engine.listen()
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    var follower = StateFollower()
    var states = 0
    for line in engine.lines where try follower.apply(line) { states += 1 }
    #expect(try follower.state().contains(#""completed":1"#))
    #expect(states < 100)
  }
}

extension PodfluxProcess {
  /// The payload of the next line with a store's state.
  func nextState(of store: String) throws -> [String: Any] {
    let line = try wait(for: "the state of \(store)") {
      $0.contains(#""type":"state""#) && $0.contains(#""store":"\#(store)""#)
    }
    return try Self.parse(line)["payload"] as? [String: Any] ?? [:]
  }
}
