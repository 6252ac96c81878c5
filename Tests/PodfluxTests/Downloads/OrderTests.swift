import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Order and limits", .systemTest)
struct OrderTests {
  @Test("One at a time, downloads start by priority and position; moves take effect and survive a restart")
  func order() throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.order("settings/update", ["maxConcurrent": 1])
    for (name, priority) in [
      ("a", "normal"), ("b", "low"), ("c", "normal"), ("d", "high"), ("e", "normal"), ("f", "normal"),
    ] {
      scene.serve("/\(name)", length: 1000)
      try engine.order(
        "downloads/enqueue", ["url": scene.origin.url("/\(name)"), "id": name, "priority": priority, "paused": true])
    }
    try engine.order("downloads/move", ["id": "f", "to": "top"])
    try engine.order("downloads/move", ["id": "a", "to": "bottom"])
    try engine.order("downloads/move", ["id": "e", "to": "before", "anchor": "c"])
    #expect(try engine.refusal("downloads/move", ["id": "e", "to": "after", "anchor": "b"]).code == "conflict")
    #expect(try engine.refusal("downloads/move", ["id": "e", "to": "after", "anchor": "e"]).code == "conflict")
    #expect(try engine.refusal("downloads/move", ["id": "e", "to": "after", "anchor": "x"]).code == "not_found")
    try engine.kill()
    let next = try scene.start()
    let normal = try next.items().filter { $0.json["priority"] as? String == "normal" }
    #expect(normal.sorted { $0.position < $1.position }.map(\.id) == ["f", "e", "c", "a"])
    try next.order("downloads/resume", ["all": true])
    try next.waitForAllCompleted()
    #expect(scene.origin.requests.map(\.path) == ["/d", "/f", "/e", "/c", "/a", "/b"])
    #expect(scene.origin.snapshot.peakConcurrentRequests == 1)
  }

  @Test("Hundreds of random moves give the order of a list")
  func manyMoves() throws {
    let seed = try SeededRandom.seed()
    var random = SeededRandom(seed: seed)
    let scene = try Scene()
    let engine = try scene.start()
    var order = (0..<12).map { "m\($0)" }
    for id in order {
      try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/\(id)", "id": id, "paused": true])
    }
    for _ in 0..<300 {
      let id = order.remove(at: .random(in: order.indices, using: &random))
      // Mostly into the same few gaps, which become small.
      let place = Int.random(in: 0..<4, using: &random)
      let anchor = order[place]
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        order.insert(id, at: 0)
        try engine.order("downloads/move", ["id": id, "to": "top"])
      case 1:
        order.append(id)
        try engine.order("downloads/move", ["id": id, "to": "bottom"])
      case 2...4:
        order.insert(id, at: place)
        try engine.order("downloads/move", ["id": id, "to": "before", "anchor": anchor])
      default:
        order.insert(id, at: place + 1)
        try engine.order("downloads/move", ["id": id, "to": "after", "anchor": anchor])
      }
    }
    let items = try engine.items().sorted { $0.position < $1.position }
    #expect(items.map(\.id) == order, "PODFLUX_SEED=\(seed) repeats it")
    #expect(Set(items.map(\.position)).count == items.count)
  }

  @Test("A busy host holds up its own downloads only")
  func perHost() throws {
    let scene = try Scene()
    let other = try Scene()
    let engine = try scene.startEager(settings: ["maxPerHost": 2])
    for number in 0..<5 {
      scene.serve("/\(number)", length: 300_000, bytesPerSecond: 600_000)
      other.serve("/\(number)", length: 300_000, bytesPerSecond: 600_000)
      try engine.order("downloads/enqueue", ["url": scene.origin.url("/\(number)")])
    }
    for number in 0..<5 { try engine.order("downloads/enqueue", ["url": other.origin.url("/\(number)")]) }
    try engine.waitForAllCompleted()
    print("peaks: \(scene.origin.snapshot.peakConcurrentRequests), \(other.origin.snapshot.peakConcurrentRequests)")
    #expect(scene.origin.snapshot.peakConcurrentRequests + other.origin.snapshot.peakConcurrentRequests <= 4)
    #expect(other.origin.snapshot.peakConcurrentRequests >= 1)
  }

  @Test("No more run at once than the settings allow, also after a change")
  func concurrency() throws {
    let scene = try Scene()
    let engine = try scene.startEager(settings: ["maxConcurrent": 3])
    for number in 0..<12 {
      // So slow that the first is not done before the third is asked for, on a busy machine too.
      scene.serve("/\(number)", length: 60_000, bytesPerSecond: 30_000)
      try engine.order("downloads/enqueue", ["url": scene.origin.url("/\(number)")])
    }
    try scene.origin.wait(upTo: .seconds(5)) { $0.activeRequests == 3 }
    #expect(scene.origin.snapshot.peakConcurrentRequests == 3)
    try engine.order("settings/update", ["maxConcurrent": 6])
    try scene.origin.wait(upTo: .seconds(5)) { $0.activeRequests == 6 }
    try engine.waitForAllCompleted()
    #expect(scene.origin.snapshot.peakConcurrentRequests == 6)
  }

  @Test("A new URL keeps the partial file if the validators still match")
  func freshURL() throws {
    let scene = try Scene()
    let resource = scene.serve("/old.mp3", length: 3 << 20, bytesPerSecond: 2 << 20)
    scene.origin.serve("/new.mp3", resource)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/old.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try engine.order("downloads/update", ["id": "a", "url": scene.origin.url("/new.mp3"), "title": "New"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(item.discarded == 0)
    #expect(item.path == "New.mp3")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    let last = try #require(scene.origin.requests.last)
    #expect(last.path == "/new.mp3")
    #expect(last.rangeHeader != nil)
    #expect(scene.origin.snapshot.totalBodyBytesSent < resource.body.length + (1 << 20))
  }

  @Test("Settings survive a SIGKILL, and those of a refused line have no effect")
  func settings() throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.order("settings/update", ["maxConcurrent": 7, "userAgent": "Test/1", "progressInterval": 0.5])
    #expect(try engine.refusal("settings/update", ["maxPerHost": 3, "maxAttempts": 0]).code == "invalid_value")
    try engine.kill()
    let next = try scene.start()
    let payload = try next.order("snapshot", ["stores": ["settings"]])
    let settings = try #require(payload["settings"] as? [String: Any])
    #expect(settings["maxConcurrent"] as? Int == 7)
    #expect(settings["maxPerHost"] as? Int == 2)
    #expect(settings["progressInterval"] as? Double == 0.5)
    scene.serve("/a", length: 1000)
    try next.order("downloads/enqueue", ["url": scene.origin.url("/a")])
    try next.waitForAllCompleted()
    #expect(scene.origin.requests.first?.headers["User-Agent"] == "Test/1")
  }
}
