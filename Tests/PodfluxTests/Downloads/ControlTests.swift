import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Pausing, cancelling and removing", .systemTest)
struct ControlTests {
  private static let slow = 2 << 20

  @Test("A pause stops the transfer within 100 ms, and a resume continues after the kept bytes", .systemTestAlone)
  func pauseAndResume() throws {
    let scene = try Scene()
    let resource = scene.serve("/a.mp3", length: 4 << 20, bytesPerSecond: Self.slow)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try engine.order("downloads/pause", ["id": "a"])
    let begin = ContinuousClock.now
    // Regression: until the last sync it reported that nothing was kept.
    let stopping = try #require(try engine.item("a"))
    #expect(stopping.state == "paused" && stopping.received > 1 << 20)
    #expect(stopping.json["resumable"] as? Bool == true)
    try scene.origin.wait(upTo: .seconds(2)) { $0.activeConnections == 0 }
    let time = ContinuousClock.now - begin
    print("a pause closed the connection \(time) after its ok")
    #expect(time < .milliseconds(500))
    try waitUntil("the last sync") { try engine.item("a")?.durable == scene.size(ofPartial: "a") }
    let paused = try #require(try engine.item("a"))
    #expect(paused.state == "paused")
    #expect(paused.durable > 1 << 20)

    try engine.order("downloads/resume", ["id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    let request = try #require(scene.origin.requests.last)
    #expect(request.rangeHeader == "bytes=\(paused.durable - 65536)-")
    #expect(request.headers["If-Range"] == "\"v1\"")
    #expect(request.bytesSent == (4 << 20) - paused.durable + 65536)
    #expect(scene.partialFiles().isEmpty)
  }

  /// Regression: the row has fewer bytes than the disk, and the reported number was 0 until the server answered.
  @Test("After a kill the kept bytes are reported before the server has answered")
  func keptAfterKill() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 4 << 20, bytesPerSecond: Self.slow)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try engine.kill()
    let size = scene.size(ofPartial: "a")
    scene.origin.serve("/a.mp3", Behaviour.status(200).failingBeforeHead(.stall))
    let next = try scene.start()
    let item = try next.wait(for: "a") { $0.received > 0 }
    #expect(item.received == size)
  }

  @Test("Pausing and resuming again and again, faster than transfers stop, ends with one correct file")
  func flapping() throws {
    let scene = try Scene()
    let resource = scene.serve("/a.mp3", length: 2 << 20, bytesPerSecond: 8 << 20)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    for _ in 0..<50 {
      try engine.send(line: #"{"type":"downloads/pause","payload":{"all":true}}"#)
      try engine.send(line: #"{"type":"downloads/resume","payload":{"all":true}}"#)
    }
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    #expect(item.attempt == 1)
  }

  @Test("A cancel deletes the partial file and the row; the id can be used again at once")
  func cancel() throws {
    let scene = try Scene()
    let resource = scene.serve("/a.mp3", length: 4 << 20, bytesPerSecond: Self.slow)
    let other = scene.serve("/b.mp3", length: 300_000)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try engine.order("downloads/cancel", ["id": "a"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/b.mp3"), "id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == other.body.hash)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "c"])
    try engine.wait(for: "c") { $0.received > 1 << 20 }
    try engine.order("downloads/cancel", ["id": "c"])
    try waitUntil("no partial file") { scene.partialFiles().isEmpty }
    #expect(try engine.item("c") == nil)
    #expect(resource.body.length > 0)
  }

  @Test("An acknowledged cancel holds even if the engine is killed right after it")
  func cancelAndKill() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 4 << 20, bytesPerSecond: Self.slow)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 500_000 }
    try engine.order("downloads/cancel", ["id": "a"])
    try engine.kill()
    let next = try scene.start()
    #expect(try next.item("a") == nil)
    try waitUntil("no partial file") { scene.partialFiles().isEmpty }
  }

  @Test("A partial file without a download is deleted after a start; other files are left")
  func orphans() throws {
    let scene = try Scene()
    try scene.start().kill()
    try Data(count: 1000).write(to: URL(fileURLWithPath: scene.partialPath("absent")))
    try Data(count: 1000).write(to: URL(fileURLWithPath: scene.library + "/.podflux/partial/notes.txt"))
    _ = try scene.start()
    try waitUntil("no orphan") { scene.partialFiles() == ["notes.txt"] }
    #expect(scene.quarantine().isEmpty)
  }

  @Test("A removal deletes or leaves the file, as requested; a replaced file is never deleted")
  func remove() throws {
    let scene = try Scene()
    let engine = try scene.startEager()
    for name in ["a", "b", "c"] {
      scene.serve("/\(name).mp3", length: 10_000)
      try engine.order(
        "downloads/enqueue", ["url": scene.origin.url("/\(name).mp3"), "id": name, "podcast": "P\(name)"])
    }
    try engine.waitForAllCompleted()
    let theirs = scene.library + "/Pc/c.mp3"
    try FileManager.default.removeItem(atPath: theirs)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: theirs))
    try engine.order("downloads/remove", ["id": "a"])
    try engine.order("downloads/remove", ["id": "b", "deleteFile": false])
    try engine.order("downloads/remove", ["id": "c"])
    try waitUntil("a deleted file") { !scene.publishedFiles().contains("Pa/a.mp3") }
    engine.closeInput()
    _ = try engine.waitForEnd()
    #expect(scene.publishedFiles() == ["Pb/b.mp3", "Pc/c.mp3"])
    #expect(!FileManager.default.fileExists(atPath: scene.library + "/Pa"))
    #expect(try String(contentsOfFile: theirs, encoding: .utf8) == "mine")
  }

  @Test("A forbidden transition is refused for one and skipped for many; no change counts as none")
  func transitions() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 1000)
    let engine = try scene.start()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "done"])
    try engine.wait(for: "done", toBe: "completed")
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/b", "id": "b", "paused": true])
    for type in ["downloads/pause", "downloads/resume", "downloads/retry", "downloads/cancel"] {
      #expect(try engine.refusal(type, ["id": "done"]).code == "illegal_transition")
    }
    #expect(try engine.refusal("downloads/retry", ["id": "b"]).code == "illegal_transition")
    #expect(try engine.order("downloads/pause", ["id": "b"])["affected"] as? Int == 0)
    #expect(try engine.order("downloads/pause", ["all": true])["affected"] as? Int == 0)
    #expect(try engine.order("downloads/pause", ["ids": ["b", "done", "absent"]])["affected"] as? Int == 0)
    #expect(try engine.order("downloads/cancel", ["ids": ["b", "b", "done"]])["affected"] as? Int == 1)
  }
}

extension Scene {
  /// The length of a partial file; nil if there is none.
  func size(ofPartial id: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: partialPath(id)))?[.size] as? Int
  }
}
