import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// A journal of a real run replays to the run's state, at every observed revision.
@Suite("podflux replay", .systemTest)
struct ReplayTests {
  @Test("Downloads, pauses, filters, a kill and a cleanup replay to the output of podflux snapshot, at each revision")
  func wholeLife() throws {
    let scene = try Scene()
    var seen: [(line: String, revision: Int)] = []
    try firstLife(scene, &seen)
    try secondLife(scene, &seen)
    // Nothing runs now, so the state is the same with and without an engine.
    seen.append(try scene.snapshot())
    let whole = try scene.replay()
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(whole.output == seen.last?.line)
    for (line, revision) in seen {
      let result = try scene.replay(["--until", "\(try scene.sequence(ofRevision: revision))"])
      #expect(result.output == line, "revision \(revision): \(result.errors)")
    }
    #expect(seen.count > 15)
    #expect(Set(seen.map(\.revision)).count > 10)
  }

  private func firstLife(_ scene: Scene, _ seen: inout [(line: String, revision: Int)]) throws {
    let engine = try scene.startEager(["--journal", scene.journal], settings: ["checksum": true])
    try engine.waitForStartCleanup()
    seen.append(try scene.snapshot())
    for id in ["a", "b", "c", "d"] {
      scene.serve("/\(id).mp3", length: 60_000 + Int(id.utf8.first ?? 0), bytesPerSecond: id == "d" ? 4_000 : nil)
      let payload: [String: Any] = [
        "url": scene.origin.url("/\(id).mp3"), "id": id, "title": id, "podcast": "Show", "paused": id == "b",
        "headers": ["X-Token": "s3cret"],
      ]
      try engine.order("downloads/enqueue", payload)
      seen.append(try scene.snapshot())
    }
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/nowhere.mp3"), "title": "without an id"])
    try engine.order("filters/toggle", ["filter": "state:failed"])
    try engine.order("filters/setText", ["text": "show"])
    for id in ["a", "c"] {
      try engine.wait(for: id, toBe: "completed")
      seen.append(try scene.snapshot())
    }
    try engine.wait(for: "d") { $0.state == "running" }
    seen.append(try scene.snapshot())
    try engine.order("downloads/pause", ["id": "d"])
    seen.append(try scene.snapshot())
    try engine.order("downloads/move", ["id": "b", "to": "top"])
    try engine.order("downloads/resume", ["where": ["state": ["paused"]]])
    try engine.wait(for: "b", toBe: "completed")
    seen.append(try scene.snapshot())
    try engine.order("downloads/verify", ["all": true])
    try engine.wait(for: "d") { $0.state == "running" && $0.received > 0 }
    seen.append(try scene.snapshot())
    try engine.kill()
  }

  private func secondLife(_ scene: Scene, _ seen: inout [(line: String, revision: Int)]) throws {
    scene.serve("/d.mp3", length: 60_100)
    let engine = try scene.start(["--journal", scene.journal])
    seen.append(try scene.snapshot())
    try engine.waitForStartCleanup()
    let published = try engine.wait(for: "a", toBe: "completed").path
    seen.append(try scene.snapshot())
    try engine.wait(for: "d", toBe: "completed")
    try engine.order("downloads/update", ["id": "a", "title": "A"])
    seen.append(try scene.snapshot())
    try scene.remove(published)
    try scene.write("orphan", to: "stray.mp3")
    _ = try engine.cleanUp(["mode": "plan"])
    seen.append(try scene.snapshot())
    _ = try engine.cleanUp(["missing": "redownload"])
    seen.append(try scene.snapshot())
    try engine.wait(for: "a", toBe: "completed")
    try engine.order("downloads/remove", ["id": "c"])
    seen.append(try scene.snapshot())
    try engine.order("filters/save", ["name": "mine"])
    try engine.order("filters/clear")
    seen.append(try scene.snapshot())
    try engine.order("engine/shutdown", ["mode": "drain"])
    #expect(try engine.waitForEnd().status == 0)
  }

  @Test("A kill at any moment leaves no committed action out of the journal", arguments: 0..<2)
  func kills(lane: Int) throws {
    let scene = try Scene()
    let seed = try SeededRandom.seed() &+ UInt64(lane)
    var random = SeededRandom(seed: seed)
    for life in 0..<6 {
      let engine = try scene.start(["--journal", scene.journal])
      let line = { (number: Int) in
        #"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/\#(life)/\#(number)","paused":true}}"#
      }
      try engine.send(bytes: Array((0..<2000).map { line($0) + "\n" }.joined().utf8))
      try engine.waitForLines(Int.random(in: 2...1900, using: &random))
      try engine.kill()
      let counts = #"{"stores":["downloads","settings"],"downloads":{"limit":1}}"#
      let state = try scene.snapshot(counts)
      let sequence = try scene.sequence(ofRevision: state.revision)
      let replayed = try scene.replay(["--until", "\(sequence)"], query: counts)
      #expect(replayed.output == state.line, "PODFLUX_SEED=\(seed), life \(life): \(replayed.errors)")
    }
    let last = try scene.start(["--journal", scene.journal])
    try last.order("engine/shutdown")
    #expect(try last.waitForEnd().status == 0)
    let state = try scene.snapshot()
    #expect(try scene.replay().output == state.line, "PODFLUX_SEED=\(seed)")
  }

  @Test("A journal that begins later replays over a copy of the database, which stays unchanged")
  func laterBeginning() throws {
    let scene = try Scene()
    let first = try scene.start()
    for number in 0..<5 {
      try first.order("downloads/enqueue", ["url": "http://127.0.0.1:1/\(number)", "paused": true])
    }
    try first.kill()
    let copy = scene.outside + "/copy.sqlite"
    for suffix in ["", "-wal"] {
      let database = scene.library + "/.podflux/podflux.sqlite" + suffix
      try FileManager.default.copyItem(atPath: database, toPath: copy + suffix)
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: copy))
    let names = try FileManager.default.contentsOfDirectory(atPath: scene.outside)
    let second = try scene.start(["--journal", scene.journal])
    try second.order("downloads/cancel", ["all": true])
    try second.order("downloads/enqueue", ["url": "http://127.0.0.1:1/new", "paused": true])
    try second.order("engine/shutdown")
    _ = try second.waitForEnd()

    let without = try scene.replay()
    #expect(without.status == 65)
    #expect(without.output.isEmpty)
    #expect(without.errors.contains("--library-snapshot"), "\(without.errors)")
    let replayed = try scene.replay(["--library-snapshot", copy])
    #expect(replayed.output == (try scene.snapshot().line), "\(replayed.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == before)
    let after = try FileManager.default.contentsOfDirectory(atPath: scene.outside)
    #expect(Set(after).subtracting(names) == ["journal"])
    #expect(try scene.replay(["--library-snapshot", scene.outside + "/nothing"]).status == 65)
  }

  @Test("An error in a journal is reported with its line", arguments: Damage.allCases)
  func damage(_ damage: Damage) throws {
    let scene = try Scene()
    let engine = try scene.start(["--journal", scene.journal])
    for number in 0..<5 {
      try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/\(number)", "paused": true])
    }
    try engine.waitForStartCleanup()
    try engine.kill()
    let state = try scene.snapshot().line
    var lines = scene.lines
    try damage.be(done: &lines)
    scene.write(journal: lines)
    let result = try scene.replay()
    if damage == .cutOff {
      // The incomplete line has an action that never committed.
      #expect(result.output == state, "\(result.errors)")
    } else {
      #expect(result.status == 65)
      #expect(result.output.isEmpty)
      #expect(result.errors.contains(damage.message), "\(result.errors)")
    }
  }

  enum Damage: CaseIterable {
    case cutOff, line, gap, missing, noStart, empty

    var message: String {
      switch self {
      case .cutOff: ""
      case .line: "line 3 of"
      case .gap: "what is between them is missing"
      case .missing: "there is no journal"
      case .noStart, .empty: "no engine begins in it"
      }
    }

    func be(done lines: inout [String]?) throws {
      switch self {
      case .cutOff: lines?.append(#"{"meta":{"revision":99,"seq"#)
      case .line: lines?[2] = #"{"meta":"#
      case .gap: lines?.remove(at: 3)
      case .missing: lines = nil
      case .noStart: lines?.removeFirst()
      case .empty: lines = []
      }
    }
  }
}

extension Scene {
  /// The lines of the journal's file; nil for no file.
  fileprivate var lines: [String]? {
    try? String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n").map { String($0) }
  }

  /// Writes the journal's file again; an incomplete last line has no line feed.
  fileprivate func write(journal lines: [String]?) {
    try? FileManager.default.removeItem(atPath: journal)
    guard let lines else { return }
    let isCutOff = lines.last?.hasSuffix("}") == false
    let text = lines.joined(separator: "\n") + (isCutOff || lines.isEmpty ? "" : "\n")
    _ = FileManager.default.createFile(atPath: journal, contents: Data(text.utf8))
  }
}
