import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("podflux snapshot", .systemTest)
struct SnapshotCommandTests {
  @Test("Without an engine it prints one line, and changes no byte of the library")
  func without() throws {
    let scene = try Scene()
    try fill(scene).kill()
    let database = scene.library + "/.podflux/podflux.sqlite"
    let before = try Data(contentsOf: URL(fileURLWithPath: database))
    let first = try PodfluxCommand.run(["snapshot", "--library", scene.library])
    let second = try PodfluxCommand.run(["snapshot", "--library", scene.library])
    #expect(first.status == 0)
    #expect(first.errors.isEmpty)
    #expect(first.output == second.output)
    #expect(first.output.filter { $0 == "\n" }.count == 1)
    #expect(try snapshotItems(first.output).map(\.id) == (0..<20).map { "e\($0)" })
    #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == before)
  }

  @Test("The query chooses stores and pages")
  func query() throws {
    let scene = try Scene()
    try fill(scene).kill()
    let page = try PodfluxCommand.run(
      ["snapshot", "--library", scene.library, #"{"stores":["downloads"],"downloads":{"limit":15}}"#])
    let payload = try #require(try PodfluxProcess.parse(page.output)["payload"] as? [String: Any])
    #expect(Array(payload.keys) == ["downloads"])
    #expect(try snapshotItems(page.output).map(\.id) == (0..<15).map { "e\($0)" })
    let next = try #require((payload["downloads"] as? [String: Any])?["next"] as? String)
    let rest = try PodfluxCommand.run(
      ["snapshot", "--library", scene.library, #"{"stores":["downloads"],"downloads":{"after":"\#(next)"}}"#])
    #expect(try snapshotItems(rest.output).map(\.id) == (15..<20).map { "e\($0)" })
  }

  @Test("Beside a running engine it sees committed changes, and the engine continues")
  func beside() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 2 << 20, bytesPerSecond: 4 << 20).body
    let engine = try fill(scene)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 0 }
    for number in 0..<5 {
      try engine.order(
        "downloads/enqueue", ["url": "http://127.0.0.1:1/n\(number)", "id": "n\(number)", "paused": true])
      let result = try PodfluxCommand.run(["snapshot", "--library", scene.library])
      #expect(try snapshotItems(result.output).contains { $0.id == "n\(number)" })
      let answer = try engine.order("snapshot", ["stores": ["engine"]])
      #expect(answer["engine"] != nil)
    }
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(item.attempt == 1)
    #expect(scene.hash(of: item.path) == body.hash)
    #expect(try PodfluxCommand.run(["run", "--library", scene.library]).status == 75)
  }

  @Test("After a kill it shows the kept bytes, which may exceed the durable ones, and so does the next engine")
  func afterKill() throws {
    let scene = try Scene()
    let resource = scene.serve("/a.mp3", length: 64 << 20, bytesPerSecond: 1 << 20)
    let engine = try scene.start()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    // Bytes in memory are lost with the process.
    try engine.wait(for: "a") { $0.durable > 0 && $0.received > $0.durable + 1 << 20 }
    try engine.kill()
    let length = try #require(FileManager.default.attributesOfItem(atPath: scene.partialPath("a"))[.size] as? Int)
    let after = try PodfluxCommand.run(["snapshot", "--library", scene.library])
    let item = try #require(try snapshotItems(after.output).first)
    #expect(item.received == length)
    #expect(item.durable < length)
    #expect(item.json["resumable"] as? Bool == true)
    // Later attempts connect and get no answer: a server on loopback is asked without any path to the network, too.
    scene.origin.serve("/a.mp3", .resource(resource).failingBeforeHead(.stall))
    for _ in 0..<2 {
      let next = try scene.start()
      let started = try #require(try next.item("a"))
      #expect(started.received == item.received, "\(started.json)")
      try next.order("downloads/pause", ["id": "a"])
      let paused = try #require(try next.item("a"))
      #expect(paused.received == item.received, "\(paused.json)")
      next.closeInput()
      #expect(try next.waitForEnd().status == 0)
    }
  }

  @Test("After a kill an episode is queued whose download ran, and none is running")
  func episodeAfterKill() throws {
    let scene = try Scene()
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...1)
    scene.origin.serve(show.path + ".1.mp3", .resource(Resource(.empty)).failingBeforeHead(.stall))
    let engine = try scene.start()
    try engine.order("feeds/subscribe", ["url": show.url, "id": "show"])
    _ = try engine.waitForFeed("show") { $0["episodes"] as? Int == 1 }
    try engine.order("episodes/download", ["id": try #require(try engine.episodes([:]).first?["id"] as? String)])
    try waitUntil("the download runs") { try engine.episodes(["state": "running"]).count == 1 }
    try engine.kill()
    let result = try PodfluxCommand.run(["snapshot", "--library", scene.library])
    let payload = try #require(try PodfluxProcess.parse(result.output)["payload"] as? [String: Any])
    let episodes = try #require((payload["episodes"] as? [String: Any])?["items"] as? [[String: Any]])
    #expect(episodes.map { $0["state"] as? String } == ["queued"])
  }

  @Test("A folder that is no library, or is missing, ends with 65 and stays unchanged")
  func none() throws {
    let scene = try Scene()
    let empty = scene.outside + "/empty"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    for path in [empty, scene.library] {
      let result = try PodfluxCommand.run(["snapshot", "--library", path])
      #expect(result.status == 65)
      #expect(result.output.isEmpty)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: empty).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scene.library))
  }

  private func fill(_ scene: Scene) throws -> PodfluxProcess {
    let engine = try scene.start()
    for number in 0..<20 {
      try engine.order(
        "downloads/enqueue", ["url": "http://127.0.0.1:1/\(number)", "id": "e\(number)", "paused": true])
    }
    return engine
  }
}
