import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// A suspended engine holds no resource; after a resume it continues.
@Suite("Suspension", .systemTest)
struct SuspensionTests {
  /// Enough for at least five hundred a second.
  private static let actionsPerCycle = 80

  @Test("A suspended engine holds no lock and no open file of its library, and accepts only resume and shutdown")
  func suspended() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 4 << 20, bytesPerSecond: 2 << 20).body
    let journal = scene.outside + "/journal"
    let engine = try scene.startEager(["--journal", journal])
    try engine.order("observe", ["stores": ["downloads"]])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    #expect(try Self.locks(of: engine.pid) > 0)
    let begin = ContinuousClock.now
    try engine.order("engine/suspend")
    print("suspended \(ContinuousClock.now - begin) after the order")
    #expect(try Self.locks(of: engine.pid) == 0)
    #expect(try Self.openFiles(of: engine.pid, in: scene.outside).filter { !$0.hasSuffix("/log") } == [])
    for type in ["snapshot", "unobserve", "network/auto"] {
      let refusal = try engine.ask(type)
      #expect((refusal["payload"] as? [String: Any])?["code"] as? String == "suspended")
    }
    // Another engine may take the library meanwhile, and then this one cannot resume.
    let other = try scene.start()
    let conflict = try engine.ask("engine/resume")
    #expect((conflict["payload"] as? [String: Any])?["code"] as? String == "conflict")
    try other.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "b", "paused": true])
    try other.order("engine/shutdown")
    _ = try other.waitForEnd()
    try engine.order("engine/resume")
    #expect(try engine.item("b")?.state == "paused")
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == body.hash)
    #expect(item.attempt == 1)
    #expect(item.discarded == 0)
    // An observer gets the changes since then.
    try waitUntil("a state line with b") {
      engine.lines.contains { $0.contains("\"state\"") && $0.contains("\"id\":\"b\"") }
    }
  }

  @Test("An engine whose library is not in its place stays suspended, and makes none")
  func missingLibrary() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 60_000)
    let engine = try scene.start()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a", toBe: "completed")
    try engine.order("engine/suspend")
    let (files, away) = (FileManager.default, scene.outside + "/away")
    try files.moveItem(atPath: scene.library, toPath: away)
    for isMountPoint in [false, true] {
      if isMountPoint { try files.createDirectory(atPath: scene.library, withIntermediateDirectories: false) }
      let refusal = try engine.ask("engine/resume")["payload"] as? [String: Any]
      #expect(refusal?["code"] as? String == "storage_failure")
      #expect((refusal?["message"] as? String)?.contains("mount its disk") == true)
      #expect(!files.fileExists(atPath: scene.library + "/.podflux"))
    }
    try files.removeItem(atPath: scene.library)
    try files.moveItem(atPath: away, toPath: scene.library)
    try engine.order("engine/resume")
    #expect(try engine.item("a")?.state == "completed")
  }

  @Test("Repeated suspensions during many actions lose nothing, and every file is correct")
  func cycles() throws {
    let count = ProcessInfo.processInfo.environment["PODFLUX_SUSPENSIONS"].flatMap { Int($0) } ?? 25
    let scene = try Scene()
    // A cycle takes 60 ms or more, in which a transfer receives 6 kB at most: they run until the end of the cycles.
    let bodies = (0..<32).map { index in
      scene.serve("/\(index).mp3", length: (1 << 19) + count * 6000 + index * 1000, bytesPerSecond: 100_000).body
    }
    let engine = try scene.startEager(settings: ["maxConcurrent": 32, "maxPerHost": 32])
    for index in bodies.indices {
      try engine.order("downloads/enqueue", ["url": scene.origin.url("/\(index).mp3"), "id": "\(index)"])
    }
    var accepted = 0
    let begin = ContinuousClock.now
    for cycle in 0..<count {
      // Actions around the suspension: each is committed and acknowledged, or refused.
      let lines = (0..<Self.actionsPerCycle).map { number in
        #"{"type":"downloads/enqueue","payload":{"url":"http://x.invalid/\#(cycle)-\#(number)","id":"x\#(cycle)-\#(number)","paused":true},"meta":{"id":"c\#(cycle)-\#(number)"}}"#
      }
      let half = lines.count / 2
      try engine.send(
        line: (lines[..<half] + [#"{"type":"engine/suspend","meta":{"id":"s\#(cycle)"}}"#] + lines[half...])
          .joined(separator: "\n"))
      try engine.wait(for: "the suspension") { $0.contains("\"id\":\"s\(cycle)\"") }
      #expect(try Self.locks(of: engine.pid) == 0)
      // Its disk can be unmounted.
      #expect(try Self.openFiles(of: engine.pid, in: scene.library) == [])
      try engine.wait(for: "the last refusal") { $0.contains("\"id\":\"c\(cycle)-\(lines.count - 1)\"") }
      try engine.order("engine/resume")
      accepted += half
    }
    let seconds = (ContinuousClock.now - begin) / .seconds(1)
    let actions = count * Self.actionsPerCycle
    print("\(count) suspensions, \(actions) actions around them: \(Int(Double(actions) / seconds)) a second")
    let answers = engine.lines.filter { $0.contains("\"id\":\"c") }
    #expect(answers.filter { $0.contains("\"type\":\"ok\"") }.count == accepted)
    #expect(answers.filter { $0.contains("\"code\":\"suspended\"") }.count == actions - accepted)
    let items = try engine.waitForDownloads(upTo: 120) { counts, _ in
      counts["completed"] == bodies.count && counts["paused"] == accepted
    }.map(Item.init)
    for (index, body) in bodies.enumerated() {
      let item = items.first { $0.id == "\(index)" }
      #expect(item.map { scene.hash(of: $0.path) == body.hash } ?? (items.count == 1000))
    }
    #expect(Set(bodies.indices.map { scene.hash(of: scene.publishedFiles()[$0]) }) == Set(bodies.map(\.hash)))
    #expect(scene.partialFiles().isEmpty)
    // No file of former library sessions stays open: a library has its folders, its lock and its database, and each
    // connection.
    let open = try Self.openFiles(of: engine.pid, in: scene.outside)
    #expect(open.count < 20)
  }

  @Test("SIGTSTP suspends the engine and then stops the process; SIGCONT resumes both")
  func signals() throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 3 << 20, bytesPerSecond: 2 << 20).body
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    for _ in 0..<(ProcessInfo.processInfo.environment["PODFLUX_SUSPENSIONS"].flatMap { Int($0) } ?? 10) {
      engine.signal(SIGTSTP)
      try waitUntil("the process to be stopped") { try Self.processState(of: engine.pid) == "T" }
      #expect(try Self.locks(of: engine.pid) == 0)
      #expect(try Self.openFiles(of: engine.pid, in: scene.library) == [])
      engine.signal(SIGCONT)
      // A client that did not suspend it need not notice.
      try engine.order("snapshot")
    }
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == body.hash)
    #expect(item.attempt == 1)
  }

  @Test("A client's suspension survives a stop and continuation of the process, until the client resumes")
  func suspendedTwice() throws {
    let scene = try Scene()
    let engine = try scene.startEager()
    try engine.order("engine/suspend")
    // The second stop comes after the first continuation, so that its effects would be visible by then.
    for _ in 0..<2 {
      engine.signal(SIGTSTP)
      try waitUntil("the process to be stopped") { try Self.processState(of: engine.pid) == "T" }
      #expect(try Self.openFiles(of: engine.pid, in: scene.library) == [])
      engine.signal(SIGCONT)
      let refusal = try engine.ask("snapshot")
      #expect((refusal["payload"] as? [String: Any])?["code"] as? String == "suspended")
    }
    // The process runs again before its engine has heard of that: until then a resumption is refused.
    try waitUntil("the engine to be resumed") { try engine.ask("engine/resume")["type"] as? String == "ok" }
    #expect(try engine.ask("snapshot")["type"] as? String == "ok")
    engine.closeInput()
    #expect(try engine.waitForEnd(upTo: 5).status == 0)
  }

  @Test("A suspended engine ends on request, and when its input ends")
  func stops() throws {
    for last in ["shutdown", "signal", "eof"] {
      let scene = try Scene()
      let engine = try scene.startEager()
      try engine.order("engine/suspend")
      switch last {
      case "shutdown": try engine.order("engine/shutdown")
      case "signal": engine.signal(SIGTERM)
      default: engine.closeInput()
      }
      #expect(try engine.waitForEnd(upTo: 5).status == 0)
      #expect(engine.lines.last?.contains("\"reason\":\"\(last)\"") == true)
    }
  }

  // MARK: What the kernel says

  /// How many file locks a process holds (/proc/locks, proc(5)).
  static func locks(of process: pid_t) throws -> Int {
    try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").count { line in
      line.split(separator: " ").dropFirst(4).first == "\(process)"
    }
  }

  /// A process's open files under a folder.
  static func openFiles(of process: pid_t, in folder: String) throws -> [String] {
    let descriptors = "/proc/\(process)/fd"
    let real = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    return try FileManager.default.contentsOfDirectory(atPath: descriptors)
      .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + "/" + $0) }
      .filter { $0.hasPrefix(real) }
  }

  private static func processState(of process: pid_t) throws -> Substring? {
    try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      .split(separator: ")").last?.split(separator: " ").first
  }
}
