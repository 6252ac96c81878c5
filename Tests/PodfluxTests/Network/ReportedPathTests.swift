import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Reported paths, schedules and limits: tests that need only loopback.
@Suite("Reported paths, schedules and room", .systemTest)
struct ReportedPathTests {
  @Test("A download from this machine needs no path: it completes offline")
  func loopback() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 300_000).body
    let engine = try scene.startEager(["--network", "offline"])
    #expect(try engine.network()["source"] as? String == "reported")
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.order("downloads/enqueue", ["url": "http://host.invalid/b.mp3", "id": "b"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == body.hash)
    let other = try #require(try engine.item("b"))
    #expect(other.state == "waiting")
    #expect(other.reason == "network")
  }

  @Test(
    "A reported path counts until detection is on again; conditions, filters and counts show waiting downloads")
  func reported() throws {
    let scene = try Scene()
    let engine = try scene.startEager()
    try engine.order(
      "network/report", ["status": "online", "interface": "wifi", "metered": true, "device": "wlan0"])
    let network = try engine.network()
    #expect(network["metered"] as? Bool == true)
    #expect(network["device"] as? String == "wlan0")
    #expect(network["source"] as? String == "reported")
    try engine.order("downloads/enqueue", ["url": "http://host.invalid/a.mp3", "id": "a"])
    try engine.order("downloads/enqueue", ["url": "http://host.invalid/b.mp3", "id": "b", "paused": true])
    #expect(try engine.item("a")?.reason == "policy")
    let payload = try engine.order("snapshot", ["downloads": ["where": ["state": ["waiting"], "reason": ["policy"]]]])
    let downloads = try #require(payload["downloads"] as? [String: Any])
    #expect((downloads["items"] as? [[String: Any]])?.map { $0["id"] as? String } == ["a"])
    #expect((downloads["counts"] as? [String: Int])?["waiting"] == 1)
    #expect((downloads["counts"] as? [String: Int])?["queued"] == 0)
    try engine.order("network/auto")
    #expect(try engine.network()["source"] as? String == "auto")
    try engine.kill()
    let next = try scene.start()
    #expect(try next.network()["source"] as? String == "auto")
  }

  @Test("Outside the schedule nothing runs, with the end reported; interrupted downloads resume at the next window")
  func schedule() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 3 << 20, bytesPerSecond: 1 << 20).body
    let engine = try scene.startEager(environment: ["TZ": "UTC"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 500_000 }
    // A window of an hour that begins in three: closed now, at any time of day.
    let minutes = Int(Date().timeIntervalSince1970) / 60 % 1440
    let window = ["from": Self.time(minutes + 180), "to": Self.time(minutes + 240)]
    try engine.order("settings/update", ["schedule": [window]])
    let waiting = try engine.wait(for: "a") { $0.state == "waiting" }
    #expect(waiting.reason == "schedule")
    let until = try #require(waiting.detail["until"] as? String)
    #expect(until.contains("T" + Self.time(minutes + 180) + ":00.000Z"))
    try engine.order(
      "settings/update", ["schedule": [["from": Self.time(minutes - 60), "to": Self.time(minutes + 60)]]])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == body.hash)
    #expect(item.attempt == 1)
  }

  @Test(
    "The schedule follows the local clock in each way that TZ can be written, and so do the times that people read",
    arguments: [("UTC+5", 5), (":Etc/GMT+5", 5), ("XYZ-3", -3), ("Etc/GMT-3", -3), ("UTC0", 0)])
  func zones(zone: String, hoursWest: Int) throws {
    let scene = try Scene()
    let engine = try scene.startEager(environment: ["TZ": zone])
    let minutes = Int(Date().timeIntervalSince1970) / 60 % 1440
    let window = ["from": Self.time(minutes + 180 - 60 * hoursWest), "to": Self.time(minutes + 240 - 60 * hoursWest)]
    try engine.order("settings/update", ["schedule": [window]])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    let waiting = try engine.wait(for: "a") { $0.state == "waiting" }
    let until = try #require(waiting.detail["until"] as? String)
    #expect(until.contains("T" + Self.time(minutes + 180) + ":00.000Z"), "\(until)")
    let why = try scene.podflux("why", "a", environment: ["TZ": zone])
    #expect(why.output.contains(try #require(window["from"])), "\(why)")
  }

  private static func time(_ minutes: Int) -> String {
    let minute = (minutes + 1440) % 1440
    return String(format: "%02d:%02d", minute / 60, minute % 60)
  }

  @Test("A download beyond the quota waits with the number of missing bytes, and continues after a removal")
  func quota() throws {
    let scene = try Scene()
    for name in ["a", "b", "c"] { scene.serve("/\(name).mp3", length: 300_000) }
    let engine = try scene.startEager(settings: ["storageQuotaBytes": 700_000])
    for name in ["a", "b", "c"] {
      try engine.order(
        "downloads/enqueue", ["url": scene.origin.url("/\(name).mp3"), "id": name, "length": 300_000])
    }
    try engine.wait(for: "a", toBe: "completed")
    try engine.wait(for: "b", toBe: "completed")
    let waiting = try engine.wait(for: "c") { $0.state == "waiting" }
    #expect(waiting.reason == "storage")
    #expect(waiting.detail["shortBytes"] as? Int == 200_000)
    #expect(waiting.attempt == 1)
    try engine.order("downloads/remove", ["id": "a"])
    try engine.wait(for: "c", toBe: "completed", upTo: 5)
  }

  @Test("A rate limit holds for all transfers together, and can be lifted while they run")
  func bandwidth() throws {
    let scene = try Scene()
    let bodies = (0..<4).map { scene.serve("/\($0).mp3", length: 2 << 20, seed: UInt64($0)).body }
    let engine = try scene.startEager(settings: ["bytesPerSecond": 64 << 10])
    for index in bodies.indices {
      try engine.order("downloads/enqueue", ["url": scene.origin.url("/\(index).mp3"), "id": "\(index)"])
    }
    try engine.waitForDownloads { _, items in items.allSatisfy { Item(json: $0).received > 0 } }
    let received = try engine.items().reduce(0) { $0 + $1.received }
    #expect(received < 4 << 20)
    try engine.order("settings/update", ["bytesPerSecond": 0])
    let items = try engine.waitForDownloads { counts, _ in counts["completed"] == 4 }.map(Item.init)
    for item in items { #expect(scene.hash(of: item.path) == bodies[Int(item.id) ?? 0].hash) }
  }
}
