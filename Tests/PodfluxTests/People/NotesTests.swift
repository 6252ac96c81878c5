import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// The output of `podflux run` on stderr for people, and whether its commands work.
@Suite("Notes for people", .systemTest)
struct NotesTests {
  private static let list = "what and why"

  private func note(_ what: String, in scene: Scene) throws -> Note {
    var note: Note?
    try waitUntil("a line that says \(what)") {
      note = Note(in: scene.log, saying: what)
      return note != nil
    }
    return try #require(note)
  }

  @Test("A line reports the files that a cleanup quarantined, with commands that list and restore them")
  func cleanup() throws {
    let scene = try Scene()
    // Characters that a shell could interpret.
    let library = scene.outside + "/mum's \"pod  casts\" $HOME `x` \\ é"
    let engine = try PodfluxProcess(library: library, logPath: scene.logPath)
    defer { _ = try? engine.kill() }
    try engine.waitUntilReady()
    let file = library + "/notes.txt"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
    try engine.cleanUp(["orphans": "quarantine"])
    let note = try note("put 1 file into quarantine", in: scene)
    #expect(note.parts[0] == "the cleanup put 1 file into quarantine (4 bytes)")
    #expect(!FileManager.default.fileExists(atPath: file))

    let listed = try Shell.run(try #require(note.command(Self.list)))
    #expect(listed.status == 0 && listed.output.contains(#""path":"notes.txt""#), "\(listed)")
    let taking = try #require(note.command("to restore a file"))
    let commands = taking.components(separatedBy: ", with a NAME that ")
    let names = try Shell.run(try #require(commands.last).replacing(" shows", with: ""))
    let name = try #require(try PodfluxProcess.parse(names.output)["name"] as? String)
    let restored = try Shell.run(try #require(commands.first).replacing("NAME", with: name))
    #expect(restored.status == 0, "\(restored)")
    #expect(FileManager.default.contents(atPath: file) == Data("mine".utf8))
  }

  @Test("Deleted, removed and marked findings are counted by kind")
  func deeds() throws {
    let scene = try Scene()
    let engine = try scene.startEager(settings: ["checksum": true])
    try engine.waitForStartCleanup()
    for id in ["a", "b", "c"] {
      scene.serve("/\(id).mp3", length: 60_000)
      try engine.order(
        "downloads/enqueue", ["url": scene.origin.url("/\(id).mp3"), "id": id, "path": "\(id)/\(id).mp3"])
      try engine.wait(for: id, toBe: "completed")
    }
    try scene.remove("a/a.mp3")
    try scene.write("x", to: "other.txt")
    try engine.cleanUp(["orphans": "delete", "missing": "forget"])
    let first = try note("forgot", in: scene).parts[0]
    #expect(first.contains("forgot 1 download whose files are gone"), "\(first)")
    #expect(first.contains("deleted 1 file (1 byte)"), "\(first)")
    #expect(first.contains("deleted 1 empty folder"), "\(first)")
    try scene.remove("b/b.mp3")
    try engine.cleanUp(["missing": "mark"])
    let second = try note("marked", in: scene)
    #expect(second.parts[0].contains("marked 1 download as failed"), "\(second)")
    #expect(
      second.parts.contains {
        $0.hasSuffix(#"{"type":"downloads/retry","payload":{"where":{"errorCode":"corrupt_file"}}}"#)
      })
    try engine.send(line: #"{"type":"downloads/retry","payload":{"where":{"errorCode":"corrupt_file"}}}"#)
    try engine.wait(for: "b", toBe: "completed")
  }

  @Test("A run that did nothing, a plan, a drain that left nothing: no line")
  func silence() throws {
    let scene = try Scene()
    let engine = try scene.startEager()
    scene.serve("/a.mp3", length: 60_000)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a", toBe: "completed")
    try engine.waitForStartCleanup()
    try engine.cleanUp(["orphans": "report"])
    try scene.write("x", to: "other.txt")
    try engine.cleanUp(["mode": "plan", "orphans": "delete"])
    try engine.cleanUp(["orphans": "report"])
    try engine.order("downloads/verify", ["all": true])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    #expect(scene.log.isEmpty, "\(scene.log)")
  }

  @Test("A refused cleanup says that it changed nothing, and why")
  func refused() throws {
    let scene = try Scene()
    let engine = try scene.startEager()
    try engine.waitForStartCleanup()
    try scene.remove(".podflux/library")
    #expect(try engine.cleanUp().state == "refused")
    let note = try note("was refused and changed nothing: ", in: scene)
    #expect(try Shell.run(try #require(note.command(Self.list))).status == 0, "it is shown without its marker, too")
  }

  @Test("The result of verifications is reported at their end")
  func verifying() throws {
    let scene = try Scene()
    let engine = try scene.startEager(settings: ["checksum": true])
    try engine.waitForStartCleanup()
    for id in ["a", "b"] {
      scene.serve("/\(id).mp3", length: 60_000)
      try engine.order("downloads/enqueue", ["url": scene.origin.url("/\(id).mp3"), "id": id])
    }
    let path = try engine.wait(for: "a", toBe: "completed").path
    try engine.wait(for: "b", toBe: "completed")
    try scene.remove(path)
    try engine.order("downloads/verify", ["all": true])
    let note = try note("verifying", in: scene)
    #expect(note.parts[0] == "verifying found 1 file gone")
    let listed = try Shell.run(try #require(note.command(Self.list)))
    #expect(try snapshotItems(listed.output).map(\.id) == ["a"])
  }

  @Test("The end says how many downloads failed, are paused and wait, and the command that says why")
  func end() throws {
    let scene = try Scene()
    scene.origin.serve("/gone.mp3", .status(404))
    let engine = try scene.startEager(["--network", "offline"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/gone.mp3"), "id": "gone"])
    try engine.wait(for: "gone", toBe: "failed")
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/p.mp3"), "id": "p", "paused": true])
    for id in ["w", "v"] {
      try engine.order("downloads/enqueue", ["url": "http://podflux.invalid/\(id)", "id": id])
    }
    // A drain would wait for a network.
    engine.signal(SIGTERM)
    #expect(try engine.waitForEnd().status == 0)
    let note = try note("ended with", in: scene)
    #expect(note.parts[0] == "ended with 1 failed, 1 paused and 2 waiting")
    #expect(note.parts.count == 2)
    let listed = try Shell.run(try #require(note.command(Self.list)))
    #expect(Set(try snapshotItems(listed.output).map(\.id)) == ["gone", "p", "w", "v"])
    #expect(listed.output.contains(#""not_found""#))
  }

  @Test("After a signal it reports which downloads the next engine will resume")
  func signal() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 4 << 20, bytesPerSecond: 1 << 20)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 0 }
    engine.signal(SIGTERM)
    #expect(try engine.waitForEnd().status == 0)
    #expect(try note("continues", in: scene).parts == ["the next podflux run continues with 1 queued download"])
  }

  @Test("A closed stderr has no effect: the engine ends as usual")
  func unheard() throws {
    let scene = try Scene()
    let line =
      "podflux run --library '\(scene.library)' 2>&- >/dev/null <<'END'\n"
      + #"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/a","paused":true}}"# + "\nEND\n"
    #expect(try Shell.run(line).status == 0)
  }
}
