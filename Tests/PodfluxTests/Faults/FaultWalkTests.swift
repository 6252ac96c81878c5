import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Random walks through faults", .systemTestAlone)
struct FaultWalkTests {
  private static let settings: [String: Int] = [
    "retryFirstSeconds": 1, "retryMaxSeconds": 1, "maxAttempts": 4, "stallTimeoutSeconds": 1,
    "firstByteTimeoutSeconds": 1, "maxConcurrent": 128, "maxPerHost": 64,
  ]
  /// One host's 429 delays all its walks, so they are spread over several hosts.
  private static let originCount = 8
  /// How often a walk is paused and resumed at once, on average: this stops attempts at random times.
  private static let pausesPerWalk = 2

  @Test("After any sequence of faults a file ends complete and correct, or failed with a true reason")
  func walks() throws {
    let seed = try SeededRandom.seed()
    let count = ProcessInfo.processInfo.environment["PODFLUX_WALKS"].flatMap(Int.init) ?? 60
    let walks = (0..<count).map { FaultWalk(number: $0, seed: seed) }
    let scene = try Scene()
    let origins = try (0..<Self.originCount).map { _ in try ScriptedOrigin.start() }
    defer { for origin in origins { try? origin.stop() } }
    let engine = try scene.startEager(settings: Self.settings)
    for walk in walks {
      let origin = origins[walk.number % origins.count]
      origin.serve(walk.path, script: walk.steps.map(\.behaviour))
      var payload: [String: Any] = ["url": origin.url(walk.path), "id": walk.id, "title": walk.id]
      if walk.isProven { payload["integrity"] = walk.versions.last?.integrity }
      try engine.order("downloads/enqueue", payload)
    }
    try disturb(walks, on: engine, seed: seed)
    let items = try engine.waitForDownloads(upTo: 60 + Double(count) / 4) { counts, _ in
      counts["completed", default: 0] + counts["failed", default: 0] == count
    }.map(Item.init)
    let requests = origins.map(\.requests)
    for walk in walks {
      let item = try #require(items.first { $0.id == walk.id })
      let asked = requests[walk.number % origins.count].filter { $0.path == walk.path }
      check(item, walk, asked, in: scene, "PODFLUX_SEED=\(seed)")
    }
    #expect(scene.publishedFiles() == items.compactMap(\.path).sorted(), "PODFLUX_SEED=\(seed)")
    tell(items, requests: requests.reduce(0) { $0 + $1.count }, seed: seed)
  }

  /// Stops attempts at random times, and retries failed downloads.
  private func disturb(_ walks: [FaultWalk], on engine: PodfluxProcess, seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<(walks.count * Self.pausesPerWalk) {
      guard let walk = walks.randomElement(using: &random) else { return }
      _ = try engine.ask("downloads/pause", ["id": walk.id])
      _ = try engine.ask("downloads/resume", ["id": walk.id])
    }
  }

  private func check(
    _ item: Item, _ walk: FaultWalk, _ requests: [RequestRecord], in scene: Scene, _ comment: String
  ) {
    let story = "\(comment) \(walk.id): \(item.json), \(requests.map { $0.rangeHeader ?? "whole" }) of \(walk.story)"
    guard item.state == "completed" else {
      let isTrue = walk.explains(item, afterRequests: requests.count)
      #expect(isTrue, "no true reason; \(story)")
      return
    }
    let right = walk.isProven ? walk.versions.suffix(1) : walk.versions[...]
    let isRight = right.contains { $0.hash == scene.hash(of: item.path) }
    #expect(isRight, "no version, but a splice; \(story)")
    #expect(!scene.partialFiles().contains("\(item.id).part"), "\(story)")
    #expect(item.discardedBecause.values.reduce(0, +) == item.discarded, "\(story)")
  }

  private func tell(_ items: [Item], requests: Int, seed: UInt64) {
    let reasons = Dictionary(grouping: items.filter { $0.state == "failed" }) { $0.errorCause ?? $0.errorCode ?? "" }
    let failed = reasons.map { "\($0.value.count) \($0.key)" }.sorted().joined(separator: ", ")
    let discarded = items.reduce(0) { $0 + $1.discarded }
    print(
      "\(items.count) walks, seed \(seed): \(items.count { $0.state == "completed" }) complete; failed: \(failed); "
        + "\(requests) requests, \(discarded) bytes discarded")
  }
}
