import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Downloads start, publish and complete during cleanups that take all orphans.
///
/// `PODFLUX_CLEANUP_RACES` sets the number of rounds, `PODFLUX_CLEANUP_RACE_SEED` the seed.
@Suite("Cleanup races", .systemTest)
struct CleanupRaceTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["PODFLUX_CLEANUP_RACES"].flatMap(Int.init) ?? 25
  private static let seed = environment["PODFLUX_CLEANUP_RACE_SEED"].flatMap(UInt64.init) ?? 30_000
  private static let downloadsInRound = 4
  private static let ruthless = ["orphans": "delete", "missing": "forget"]

  @Test("No file of a download is ever lost, and no download removed")
  func races() throws {
    var random = SeededRandom(seed: Self.seed)
    let scene = try Scene()
    var engine = try scene.startEager(settings: ["checksum": true])
    var wanted: [String: String] = [:]
    for round in 0..<Self.count {
      let served = scene.origin.totalBodyBytesSent
      var bytes = 0
      for index in 0..<Self.downloadsInRound {
        let id = "\(round)-\(index)"
        let length = Int.random(in: 6000...90_000, using: &random)
        bytes += length
        wanted[id] = scene.serve("/\(id)", length: length, seed: UInt64(wanted.count) + 1).body.hash
        try engine.order(
          "downloads/enqueue",
          ["url": scene.origin.url("/\(id)"), "id": id, "title": id, "podcast": "Show \(index % 2)"])
        if Bool.random(using: &random) { _ = try engine.ask("cleanup/run", Self.ruthless) }
      }
      let moment = served + Int.random(in: 0...bytes, using: &random)
      _ = try scene.origin.wait(upTo: .seconds(5)) { $0.totalBodyBytesSent >= moment }
      _ = try engine.ask("cleanup/run", Self.ruthless)
      if Int.random(in: 0..<4, using: &random) == 0 {
        try engine.kill()
        engine = try scene.start()
      }
    }
    let items = try engine.waitForDownloads(upTo: 60) { counts, _ in counts["completed"] == wanted.count }
    try engine.cleanUp(Self.ruthless)
    #expect(try engine.downloads().counts["completed"] == wanted.count)
    for item in items.map(Item.init) {
      #expect(scene.hash(of: item.path) == wanted[item.id], "\(item.id): PODFLUX_CLEANUP_RACE_SEED=\(Self.seed)")
    }
    #expect(scene.publishedFiles().count == wanted.count)
  }
}
