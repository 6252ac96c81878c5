import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("podflux quarantine", .systemTest)
struct QuarantineCommandTests {
  private func quarantine(_ arguments: [String], _ scene: Scene) throws -> PodfluxCommand.Result {
    try PodfluxCommand.run(["quarantine"] + arguments + ["--library", scene.library])
  }

  /// A library with a quarantined damaged file; returns its original path.
  private func damage(_ scene: Scene, _ engine: PodfluxProcess) throws -> String {
    scene.serve("/a.mp3", length: 300_000)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "title": "a"])
    let path = try #require(try engine.wait(for: "a", toBe: "completed").path)
    try scene.rot(path) { truncate($0, 1000) }
    try engine.order("downloads/verify", ["id": "a"])
    try engine.wait(for: "a", toBe: "failed")
    return path
  }

  @Test("Beside a running engine it lists, restores without replacing, and empties")
  func beside() throws {
    let scene = try Scene()
    let engine = try scene.startEager(settings: ["checksum": true])
    let path = try damage(scene, engine)
    // The row says so before the file is moved.
    var listed = try quarantine(["list"], scene)
    try waitUntil("the file in quarantine", upTo: 20) {
      listed = try quarantine(["list"], scene)
      return !listed.output.isEmpty
    }
    #expect(listed.status == 0 && listed.errors.isEmpty)
    #expect(try quarantine(["list", "--json"], scene).output == listed.output)
    let line = try PodfluxProcess.parse(listed.output)
    #expect(line["name"] as? String == "a-1.mp3" && line["path"] as? String == path)
    #expect(line["bytes"] as? Int == 1000 && line["download"] as? String == "a")
    let restored = try quarantine(["restore", "a-1.mp3"], scene)
    #expect(restored.output == #"{"bytes":1000,"name":"a-1.mp3","path":"\#(path)"}"# + "\n")
    #expect(try quarantine(["restore", "a-1.mp3"], scene).output == restored.output)
    let elsewhere = try quarantine(["restore", "a-1.mp3", "--to", "elsewhere.mp3"], scene)
    #expect(elsewhere.status == 1 && elsewhere.errors.contains("has been restored before, to \"\(path)\""))
    #expect(FileManager.default.contents(atPath: scene.library + "/" + path)?.count == 1000)
    let emptied = try quarantine(["empty", "--older-than-days", "1"], scene)
    #expect(emptied.status == 0 && emptied.output == #"{"bytes":0,"files":0}"# + "\n")
    #expect(try quarantine(["list"], scene).output.isEmpty)
  }

  @Test("Exit statuses: 65 without a library, 64 for invalid arguments, 1 for a failed operation")
  func failures() throws {
    let scene = try Scene()
    let unreadable = try quarantine(["list"], scene)
    #expect(unreadable.status == 65 && unreadable.output.isEmpty && unreadable.errors.hasPrefix("podflux: "))
    try scene.start().kill()
    let folder = scene.library + "/.podflux/quarantine"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: folder + "/foreign", contents: Data("x".utf8)))
    #expect(FileManager.default.createFile(atPath: scene.library + "/taken", contents: nil))
    #expect(try quarantine(["restore", "foreign"], scene).status == 64)
    #expect(try quarantine(["restore", "foreign", "--to", "../outside"], scene).status == 64)
    #expect(try quarantine(["empty", "--older-than-days", "-1"], scene).status == 64)
    for arguments in [["restore", "none"], ["restore", "foreign", "--to", "taken"]] {
      let result = try quarantine(arguments, scene)
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(result.errors.hasPrefix("podflux: ") && result.errors.filter { $0 == "\n" }.count == 1)
    }
    #expect(try quarantine(["empty"], scene).output == #"{"bytes":1,"files":1}"# + "\n")
  }
}
