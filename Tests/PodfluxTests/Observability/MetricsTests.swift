import Foundation
import PodfluxEngine
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@testable import podflux

@Suite("Metrics", .systemTest)
struct MetricsTests {
  /// The port at which an engine serves its metrics, as its log says.
  private static func port(in log: String) -> Int? {
    guard let line = log.split(separator: "\n").last(where: { $0.contains("metrics are served") }) else { return nil }
    return line.firstMatch(of: /address=127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) }
  }

  private func startServing(_ scene: Scene) throws -> (engine: PodfluxProcess, port: Int) {
    let engine = try scene.startEager(["--metrics", ":0", "--log-level", "notice"])
    var port: Int?
    try waitUntil("the metrics' address in the log") {
      port = Self.port(in: scene.log)
      return port != nil
    }
    return (engine, try #require(port))
  }

  @Test("A download, a failure and a refresh are in the figures, as they are in the snapshot")
  func figures() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 300_000)
    scene.origin.serve("/gone.mp3", .status(410))
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...3)
    let (engine, port) = try startServing(scene)
    let before = try Exposition.fetched(from: port)
    #expect(before["podflux_bytes_received_total"] == 0 && before[#"podflux_attempts_total{result="failed"}"#] == 0)
    #expect(before[#"podflux_build_info{version="\#(Engine.version)"}"#] == 1)
    #expect((before["podflux_library_free_bytes"] ?? 0) > 0)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/gone.mp3"), "id": "gone"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/later.mp3"), "id": "later", "paused": true])
    try engine.order("feeds/subscribe", ["url": show.url, "id": "show"])
    try engine.wait(for: "a", toBe: "completed")
    try engine.wait(for: "gone", toBe: "failed")
    _ = try engine.waitForFeed("show") { $0["lastRefreshed"] is String }
    try engine.order("feeds/refresh", ["id": "show"])
    try waitUntil("the second refresh") {
      try Exposition.fetched(from: port)[#"podflux_refreshes_total{result="unchanged"}"#] == 1
    }
    let figures = try Exposition.fetched(from: port)
    let states = ["completed": 1.0, "failed": 1, "paused": 1, "queued": 0, "running": 0]
    for (state, count) in states {
      #expect(figures[#"podflux_downloads{reason="",state="\#(state)"}"#] == count, "\(state)")
    }
    #expect(figures[#"podflux_downloads{reason="network",state="waiting"}"#] == 0)
    #expect(figures[#"podflux_attempts_total{result="completed"}"#] == 1)
    #expect(figures[#"podflux_attempts_total{result="failed"}"#] == 1)
    #expect(figures[#"podflux_refreshes_total{result="refreshed"}"#] == 1)
    #expect(figures["podflux_feeds"] == 1 && figures["podflux_episodes"] == 3)
    // Loopback is no network.
    #expect(figures["podflux_bytes_received_total"] == 0)
    let turns = try #require(figures["podflux_turns_total"])
    #expect(turns > 5 && figures["podflux_turn_seconds_count"] == turns)
    #expect(figures["podflux_commit_seconds_count"] == turns)
    #expect(figures[#"podflux_turn_seconds_bucket{le="+Inf"}"#] == turns)
    let (turnSum, commitSum) = (figures["podflux_turn_seconds_sum"], figures["podflux_commit_seconds_sum"])
    #expect(try #require(turnSum) > (try #require(commitSum)) && commitSum ?? 0 > 0)
    #expect(figures["podflux_mailbox_requests"] == 0 && figures["podflux_clients"] == 1)
  }

  @Test("Bytes that were thrown away are counted by their cause")
  func discarded() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 3 << 20, bytesPerSecond: 2 << 20, seed: 1)
    let (engine, port) = try startServing(scene)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try engine.order("downloads/pause", ["id": "a"])
    try engine.wait(for: "a", toBe: "paused")
    let resource = Resource(.audio(length: 3 << 20, seed: 2), entityTag: .strong("v2"))
    scene.origin.serve("/a.mp3", .resource(resource))
    try engine.order("downloads/resume", ["id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(item.discarded > 0)
    let figures = try Exposition.fetched(from: port)
    for (cause, bytes) in item.discardedBecause {
      #expect(figures[#"podflux_bytes_discarded_total{cause="\#(cause)"}"#] == Double(bytes), "\(cause)")
    }
    #expect(figures[#"podflux_attempts_total{result="stopped"}"#] == 1)
  }

  @Test("Each figure has a help and a type, and each documented one is there")
  func names() throws {
    let scene = try Scene()
    let (_, port) = try startServing(scene)
    let figures = try Exposition.fetched(from: port)
    let names = Set(EngineMetric.allCases.map(\.rawValue))
    #expect(Set(figures.types.keys) == names && figures.helped == names)
    #expect(figures.values.count < 150)
  }

  @Test("Each user can read the file, whatever the umask: the collector is another one")
  func fileMode() throws {
    // With the umask of the packaged unit, 0027, node_exporter could not.
    let scene = try Scene()
    let path = scene.outside + "/podflux.prom"
    _ = try scene.start(["--metrics", path], launcher: ["/bin/sh", "-c", "umask 027; exec \"$0\" \"$@\""])
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o644)
  }

  @Test("A file is written at the start and at the end, as a whole and with the last figures")
  func file() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 100_000)
    let path = scene.outside + "/podflux.prom"
    let engine = try scene.startEager(["--metrics", path])
    let first = try Exposition(try String(contentsOfFile: path, encoding: .utf8))
    #expect(first.values.isEmpty || first[#"podflux_attempts_total{result="completed"}"#] == 0)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a", toBe: "completed")
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let last = try Exposition(try String(contentsOfFile: path, encoding: .utf8))
    #expect(last[#"podflux_downloads{reason="",state="completed"}"#] == 1)
    #expect(last[#"podflux_attempts_total{result="completed"}"#] == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.outside).filter { $0.hasSuffix(".tmp") } == [])
  }

  @Test(
    "Bytes that come over a network are counted, those of downloads and those of feeds",
    .enabled(if: NetworkNamespace.unavailability == nil, "network namespaces cannot be made here"))
  func bytes() throws {
    let scene = try Scene(network: try NetworkNamespace())
    let body = scene.serve("/a.mp3", length: 500_000).body
    let show = FeedOnOrigin(scene, path: "/feed.xml")
    show.publish(1...2)
    let path = scene.outside + "/podflux.prom"
    let engine = try scene.startEager(["--metrics", path])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.order("feeds/subscribe", ["url": show.url, "id": "show"])
    #expect(scene.hash(of: try engine.wait(for: "a", toBe: "completed").path) == body.hash)
    _ = try engine.waitForFeed("show") { $0["lastRefreshed"] is String }
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let figures = try Exposition(try String(contentsOfFile: path, encoding: .utf8))
    let bytes = try #require(figures["podflux_bytes_received_total"])
    #expect(bytes > 500_200 && bytes < 510_000)
  }

  @Test("While the engine is suspended its metrics are served with their last figures")
  func suspended() throws {
    let scene = try Scene()
    let (engine, port) = try startServing(scene)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "paused": true])
    try engine.order("engine/suspend")
    #expect(try Exposition.fetched(from: port)[#"podflux_downloads{reason="",state="paused"}"#] == 1)
    let turns = try Exposition.fetched(from: port)["podflux_turns_total"]
    try engine.order("engine/resume")
    let later = try #require(try Exposition.fetched(from: port)["podflux_turns_total"])
    #expect(later > turns ?? .infinity)
  }

  @Test(
    "What can be no place for metrics is refused with status 64 and a right example",
    arguments: ["9464", "example.org:9464", "127.0.0.1", "127.0.0.1:99999", "./folder/", ""])
  func badValue(value: String) throws {
    let scene = try Scene()
    let result = try PodfluxCommand.run(["run", "--library", scene.library, "--metrics", value])
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains("--metrics"), "\(result.errors)")
    #expect(result.errors.contains("127.0.0.1:9464") || result.errors.contains("./podflux.prom"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: scene.library))
  }

  @Test("A port in use, and a folder that is not there, end the command with 1 and a sentence; no library is made")
  func refused() throws {
    let scene = try Scene()
    let (_, port) = try startServing(scene)
    let library = scene.outside + "/other"
    for (value, reason) in [
      (":\(port)", "the metrics cannot be served at 127.0.0.1:\(port): Address already in use"),
      ("/nonexistent/a.prom", "the metrics cannot be written to \"/nonexistent/a.prom\": No such file or directory"),
    ] {
      let result = try PodfluxCommand.run(["run", "--library", library, "--metrics", value])
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(result.errors == "podflux: \(reason)\n")
      #expect(!FileManager.default.fileExists(atPath: library))
    }
  }
}
