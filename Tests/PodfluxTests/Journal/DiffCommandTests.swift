import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("podflux diff", .systemTest)
struct DiffCommandTests {
  @Test("Two snapshots of one state do not differ; for two states it prints the difference")
  func snapshots() throws {
    let scene = try Scene()
    let engine = try scene.start()
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/a", "id": "a", "paused": true])
    try engine.waitForStartCleanup()
    let before = try file(scene, "before", try scene.snapshot().line)
    #expect(try PodfluxCommand.run(["diff", before, before]).status == 0)
    #expect(try PodfluxCommand.run(["diff", before, before]).output.isEmpty)
    try engine.order("downloads/update", ["id": "a", "title": "New"])
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/b", "id": "b", "paused": true])
    let after = try file(scene, "after", try scene.snapshot().line)
    let result = try PodfluxCommand.run(["diff", before, after])
    #expect(result.status == 1)
    #expect(result.output.contains("\ndownloads\n"))
    #expect(result.output.contains("\n  items a.title: null → \"New\"\n"), "\(result.output)")
    #expect(result.output.contains("\n  + items b: {"), "\(result.output)")
    #expect(result.output.contains("\n  counts.paused: 1 → 2\n"), "\(result.output)")
  }

  @Test("An invalid snapshot ends with 65, wrong usage with 64")
  func unreadable() throws {
    let scene = try Scene()
    let snapshot = try file(scene, "a", #"{"meta":{"revision":1},"payload":{},"type":"ok"}"# + "\n")
    for text in ["", "x", "{}", #"{"payload":[],"type":"ok"}"#, #"{"payload":{},"type":"error"}"#] {
      let result = try PodfluxCommand.run(["diff", snapshot, try file(scene, "b", text)])
      #expect(result.status == 65)
      #expect(result.output.isEmpty)
      #expect(result.errors.contains("/b\" is no snapshot"), "\(result.errors)")
    }
    #expect(try PodfluxCommand.run(["diff", snapshot, scene.outside + "/nothing"]).status == 65)
    #expect(try PodfluxCommand.run(["diff", snapshot]).status == 64)
    #expect(try PodfluxCommand.run(["diff", "-", "-"]).status == 64)
    // Stdin is empty.
    #expect(try PodfluxCommand.run(["diff", snapshot, "-"]).status == 65)
  }

  private func file(_ scene: Scene, _ name: String, _ text: String) throws -> String {
    let path = scene.outside + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }
}
