import Foundation
import ScriptedOrigin
import Testing
import TestScheduling

@testable import TestSupport

/// The real binary in a network namespace with two links, Wi-Fi and cellular, that go down and up.
@Suite(
  "Paths", .systemTest, .serialized,
  .enabled(if: NetworkNamespace.unavailability == nil, "network namespaces cannot be made here"))
struct PathTests {
  private static let slow = 1 << 20

  @Test("While Wi-Fi flaps not one byte goes over cellular, no attempt is counted, and everything completes")
  func flips() throws {
    let count = ProcessInfo.processInfo.environment["PODFLUX_FLIPS"].flatMap { Int($0) } ?? 12
    let network = try NetworkNamespace()
    let scene = try Scene(network: network)
    let seed = ProcessInfo.processInfo.environment["PODFLUX_SEED"].flatMap { UInt64($0) } ?? 7
    var random = SeededRandom(seed: seed)
    let bodies = (0..<8).map { index in
      scene.serve("/\(index).mp3", length: (2 << 20) + index * 300_000 * max(1, count / 10), bytesPerSecond: Self.slow)
        .body
    }
    let engine = try scene.startEager()
    for index in bodies.indices {
      try engine.order("downloads/enqueue", ["url": scene.origin.url("/\(index).mp3"), "id": "\(index)"])
    }
    for _ in 0..<count {
      let bytes = scene.origin.totalBodyBytesSent + Int.random(in: 0...400_000, using: &random)
      _ = try? scene.origin.wait(upTo: .milliseconds(400)) { $0.totalBodyBytesSent >= bytes }
      switch Int.random(in: 0...2, using: &random) {
      case 0:
        try network.setLink(.wifi, isUp: false)
        try network.setLink(.wifi, isUp: true)
      case 1:
        try network.setRoute(.wifi, metric: 800)
        _ = try? scene.origin.wait(upTo: .milliseconds(Int64.random(in: 1...300, using: &random))) { _ in false }
        try network.setRoute(.wifi, metric: 600)
      default:
        try network.setLink(.wifi, isUp: false)
        _ = try? scene.origin.wait(upTo: .milliseconds(Int64.random(in: 1...300, using: &random))) { _ in false }
        try network.setLink(.wifi, isUp: true)
      }
    }
    let items = try engine.waitForDownloads(upTo: 120) { counts, _ in counts["completed"] == bodies.count }.map(
      Item.init)
    for (index, body) in bodies.enumerated() {
      let item = try #require(items.first { $0.id == "\(index)" })
      #expect(scene.hash(of: item.path) == body.hash)
      #expect(item.attempt == 1)
    }
    let cellular = try network.counters(of: .cellular)
    print("\(count) flips of seed \(seed): \(cellular) over cellular, \(try network.counters(of: .wifi)) over Wi-Fi")
    #expect(cellular == NetworkNamespace.Counters())
  }

  @Test("When Wi-Fi goes, downloads for Wi-Fi only wait for policy at once, and resume when Wi-Fi is back")
  func policy() throws {
    let network = try NetworkNamespace()
    let scene = try Scene(network: network)
    let body = scene.serve("/a.mp3", length: 4 << 20, bytesPerSecond: 2 << 20).body
    let engine = try scene.startEager()
    #expect(try engine.network()["interface"] as? String == "wifi")
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try network.setLink(.wifi, isUp: false)
    let begin = ContinuousClock.now
    let waiting = try engine.wait(for: "a") { $0.state == "waiting" }
    print("waiting for policy \(ContinuousClock.now - begin) after the link went")
    #expect(waiting.reason == "policy")
    #expect(try engine.network()["interface"] as? String == "cellular")
    try waitUntil("the last sync") { try engine.item("a")?.durable ?? 0 > 1 << 20 }
    try network.setLink(.wifi, isUp: true)
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == body.hash)
    #expect(item.attempt == 1)
    #expect(item.discarded == 0)
    #expect(try network.counters(of: .cellular) == NetworkNamespace.Counters())
  }

  @Test(
    "A VPN of another routing table carries what is for unmetered links only, unless it is cellular",
    arguments: [true, false])
  func routingTables(isCellular: Bool) throws {
    let network = try NetworkNamespace()
    let scene = try Scene(network: network)
    let body = scene.serve("/a.mp3", length: 1 << 20).body
    try network.setRoute(.cellular, metric: nil)
    try network.change([
      "route add default via \(network.originAddress(on: .cellular)) dev wwan9 table 77",
      "rule add priority 100 lookup 77",
    ])
    let engine = try scene.startEager(["--interface", "wwan9=\(isCellular ? "cellular" : "ethernet")"])
    #expect(try engine.network()["interface"] as? String == "wifi")
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == body.hash)
    let unused = try network.counters(of: isCellular ? .cellular : .wifi)
    #expect(unused == NetworkNamespace.Counters())
  }

  @Test("Without any path downloads wait for the network, no attempt is counted, and they resume with a path")
  func offline() throws {
    let network = try NetworkNamespace()
    let scene = try Scene(network: network)
    let body = scene.serve("/a.mp3", length: 3 << 20, bytesPerSecond: 2 << 20).body
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try network.setLink(.cellular, isUp: false)
    try network.setLink(.wifi, isUp: false)
    #expect(try engine.wait(for: "a") { $0.state == "waiting" }.reason == "network")
    #expect(try engine.network()["status"] as? String == "offline")
    try network.setLink(.wifi, isUp: true)
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(item.attempt == 1)
    #expect(scene.hash(of: item.path) == body.hash)
  }

  @Test("Downloads for all paths continue over cellular, are counted, and wait when the month's budget is spent")
  func budget() throws {
    let network = try NetworkNamespace()
    let scene = try Scene(network: network)
    let body = scene.serve("/a.mp3", length: 6 << 20, bytesPerSecond: 2 << 20).body
    let engine = try scene.startEager(settings: ["cellularBudgetBytesPerMonth": 1 << 20])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "network": "any"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try network.setLink(.wifi, isUp: false)
    let waiting = try engine.wait(for: "a") { $0.reason == "budget" }
    #expect(waiting.detail["budgetBytes"] as? Int == 1 << 20)
    #expect(waiting.detail["usedBytes"] as? Int ?? 0 >= 1 << 20)
    #expect(waiting.detail["until"] is String)
    try engine.order("settings/update", ["cellularBudgetBytesPerMonth": 0])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == body.hash)
    #expect(item.attempt == 1)
    let counted = try #require(try engine.network()["cellularBytesThisMonth"] as? Int)
    let frames = try network.counters(of: .cellular).received
    print("\(counted) bytes counted, \(frames) bytes of frames")
    #expect(counted > 3 << 20 && Int64(counted) < frames && Double(frames) < Double(counted) * 1.2)
    // The next engine has the same count.
    try engine.kill()
    let next = try scene.start()
    #expect(try next.network()["cellularBytesThisMonth"] as? Int == counted)
  }

  @Test("A download's own policy precedes its podcast's, and that precedes the class's")
  func policies() throws {
    let network = try NetworkNamespace()
    let scene = try Scene(network: network)
    try network.setLink(.wifi, isUp: false)
    for name in ["own", "podcast", "class", "strict"] { scene.serve("/\(name).mp3", length: 50_000) }
    let engine = try scene.startEager()
    try engine.order("settings/update", ["network": ["podcasts": ["Show": "any"]]])
    func enqueue(_ id: String, _ more: [String: Any]) throws {
      let payload: [String: Any] = ["url": scene.origin.url("/\(id).mp3"), "id": id]
      try engine.order("downloads/enqueue", payload.merging(more) { $1 })
    }
    try enqueue("own", ["network": "any"])
    try enqueue("podcast", ["podcast": "Show"])
    try enqueue("class", [:])
    try enqueue("strict", ["podcast": "Show", "network": "unmetered"])
    try engine.wait(for: "own", toBe: "completed")
    try engine.wait(for: "podcast", toBe: "completed")
    #expect(try engine.item("class")?.reason == "policy")
    #expect(try engine.item("strict")?.reason == "policy")
    try engine.order("settings/update", ["network": ["user": "any"]])
    try engine.wait(for: "class", toBe: "completed")
    try engine.order("downloads/update", ["id": "strict", "network": "inherit"])
    try engine.wait(for: "strict", toBe: "completed")
  }

  @Test("A host on this machine that redirects elsewhere needs a path like all others")
  func ledElsewhere() throws {
    let network = try NetworkNamespace()
    let scene = try Scene(network: network)
    let body = scene.serve("/a.mp3", length: 300_000).body
    // The server in the namespace only redirects, so it needs no second origin.
    let local = try LocalRedirect(to: scene.origin.url("/a.mp3"), in: network)
    defer { local.stop() }
    let engine = try scene.startEager()
    try network.setLink(.wifi, isUp: false)
    try engine.order("downloads/enqueue", ["url": local.url, "id": "a"])
    #expect(try engine.wait(for: "a") { $0.state == "waiting" }.reason == "policy")
    let cellular = try network.counters(of: .cellular)
    #expect(cellular == NetworkNamespace.Counters())
    try network.setLink(.wifi, isUp: true)
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(item.attempt == 1)
    #expect(scene.hash(of: item.path) == body.hash)
  }
}

extension PodfluxProcess {
  /// The network's part of a snapshot.
  func network() throws -> [String: Any] {
    try order("snapshot", ["stores": ["network"]])["network"] as? [String: Any] ?? [:]
  }
}

/// A server on a namespace's loopback that answers each request with a redirect: Python's, which the tests need anyway.
private final class LocalRedirect {
  private static let port = 8099
  private let child: Child
  let url = "http://127.0.0.1:\(LocalRedirect.port)/a.mp3"

  init(to target: String, in network: NetworkNamespace) throws {
    let program = """
      import http.server, sys
      class Redirect(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
          self.send_response(302); self.send_header("Location", "\(target)"); self.send_header("Content-Length", "0")
          self.end_headers()
        def log_message(self, *_): pass
      server = http.server.HTTPServer(("127.0.0.1", \(Self.port)), Redirect)
      print("ready", flush=True)
      server.serve_forever()
      """
    child = try Child(network.launcher + ["python3", "-c", program], logPath: "/dev/null")
    var byte: UInt8 = 0
    guard read(child.output, &byte, 1) == 1 else {
      throw PodfluxProcess.Failure("the redirecting server did not begin")
    }
  }

  func stop() {
    kill(child.pid, SIGKILL)
    var status: Int32 = 0
    waitpid(child.pid, &status, 0)
    close(child.input)
    close(child.output)
  }
}
