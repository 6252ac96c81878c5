import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite(
  "A disk that fills up", .systemTest, .enabled(if: geteuid() == 0, "a small file system of a test's own takes root"))
struct RoomTests {
  @Test("On a full disk all downloads wait with the number of missing bytes; with space they complete")
  func fullDisk() throws {
    let scene = try Scene()
    try FileManager.default.createDirectory(atPath: scene.library, withIntermediateDirectories: false)
    let bodies = (0..<6).map {
      scene.serve("/\($0).mp3", length: 3 << 20, bytesPerSecond: 4 << 20, seed: UInt64($0)).body
    }
    try PrivateNetwork.withTemporaryFileSystem(on: scene.library, bytes: 40 << 20) {
      // 16 MiB stay free for the library's own database: with this, three files fit.
      let filler = scene.library + "/filler"
      try Data(count: 12 << 20).write(to: URL(fileURLWithPath: filler))
      let engine = try scene.startEager(settings: ["reserveFreeBytes": 0])
      for index in bodies.indices {
        try engine.order("downloads/enqueue", ["url": scene.origin.url("/\(index).mp3"), "id": "\(index)"])
      }
      let full = try engine.waitForDownloads { counts, items in
        counts["running"] == 0 && counts["queued"] == 0 && counts["waiting"] ?? 0 > 1
      }.map(Item.init).filter { $0.state == "waiting" }
      for item in full {
        #expect(item.reason == "storage")
        #expect(item.detail["shortBytes"] as? Int ?? 0 > 0)
        #expect(item.attempt == 1)
      }
      try FileManager.default.removeItem(atPath: filler)
      let begin = ContinuousClock.now
      let items = try engine.waitForDownloads { counts, _ in counts["completed"] == bodies.count }.map(Item.init)
      print("\(full.count) waited for room; all is complete \(ContinuousClock.now - begin) after it came")
      for item in items {
        #expect(scene.hash(of: item.path) == bodies[Int(item.id) ?? 0].hash)
        #expect(item.attempt == 1)
      }
      #expect(scene.partialFiles().isEmpty)
    }
  }
}
