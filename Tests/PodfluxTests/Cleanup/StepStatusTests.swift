import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// A step's status matches the result, on the real binary with a disk that refuses operations.
@Suite("The status of cleanup steps", .systemTest)
struct StepStatusTests {
  /// The words that run a program as a user whom permissions restrict: they do not restrict root.
  private static let launcher =
    getuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []

  private let scene: Scene
  private let engine: PodfluxProcess
  private let item: Item

  init() throws {
    scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    engine = try scene.start(launcher: Self.launcher)
    try engine.waitForStartCleanup()
    try engine.order("settings/update", ["checksum": true])
    try engine.order(
      "downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "title": "a", "podcast": "Show"])
    item = try engine.wait(for: "a", toBe: "completed")
  }

  private func allow(_ mode: mode_t, _ path: String) {
    #expect(chmod(scene.library + "/" + path, mode) == 0)
  }

  /// The step reported `done`, and the download stayed queued forever with all slots free.
  @Test("A damaged file that cannot be moved is left, and its download completes or fails")
  func corruptInReadOnlyFolder() throws {
    try scene.write("no media", to: try #require(item.path))
    allow(0o555, "Show")
    let report = try engine.cleanUp(["missing": "redownload", "deep": true])
    #expect(report.steps.map(\.finding) == ["corrupt"])
    #expect(report.steps.map(\.status) == ["left"], "\(report.steps)")
    #expect(report.steps.first?.because.contains("may not write in the folder") == true, "\(report.steps)")
    #expect(report.tally("corrupt")["done"] == 0)
    #expect(scene.quarantine().isEmpty)
    #expect(try engine.wait(for: "a", toBe: "failed").errorCode == "io")

    allow(0o755, "Show")
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let next = try scene.start(launcher: Self.launcher)
    try waitUntil("the damaged file is put aside") { scene.quarantine() == [Data("no media".utf8)] }
    try next.order("downloads/retry", ["id": "a"])
    #expect(try next.wait(for: "a", toBe: "completed").path == item.path)
  }

  /// The file was deleted, and the step reported `left`.
  @Test("A file is taken away even if its folder cannot be removed", arguments: ["delete", "quarantine"])
  func orphanInReadOnlyFolder(decision: String) throws {
    try scene.write("mine", to: "outer/inner/mine.mp3")
    allow(0o555, "outer")
    defer { allow(0o755, "outer") }
    let report = try engine.cleanUp(["orphans": decision])
    #expect(report.steps.filter { $0.finding == "orphan" }.map(\.status) == ["done"], "\(report.steps)")
    #expect(scene.publishedFiles() == [item.path])
    #expect(scene.quarantine().count == (decision == "delete" ? 0 : 1))
  }

  /// The step reported `done`, and the file was still there.
  @Test("A damaged file at a path that no row can store stays, and is reported so")
  func corruptAndUnnameable() throws {
    let path = try #require(item.path)
    try scene.flipByte(of: path)
    let place = (Array((scene.library + "/Show/").utf8) + [0xFF, UInt8(ascii: "a"), 0]).map { CChar(bitPattern: $0) }
    #expect(rename(scene.library + "/" + path, place) == 0)
    let report = try engine.cleanUp(["deep": true, "orphans": "delete"])
    #expect(report.acts.isEmpty, "\(report.steps)")
    #expect(report.steps.contains { $0.because.contains("rename it") }, "\(report.steps)")
    #expect(report.steps.map(\.download) == ["a"])
    #expect(access(place, F_OK) == 0)
    #expect(try engine.item("a")?.state == "completed")
  }
}
