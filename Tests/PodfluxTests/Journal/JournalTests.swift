import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// `podflux run --journal` on the real binary.
@Suite("A journal", .systemTest)
struct JournalTests {
  @Test("is written before the reply, and contains no secret")
  func lines() throws {
    let scene = try Scene()
    let engine = try scene.start(["--journal", scene.journal])
    let payload: [String: Any] = [
      "url": "http://user:s3cret@127.0.0.1:1/a", "id": "a", "paused": true, "headers": ["Authorization": "s3cret"],
    ]
    try engine.order("downloads/enqueue", payload)
    let text = try scene.journalLines().joined(separator: "\n")
    #expect(text.contains(#""type":"downloads/enqueue""#))
    #expect(text.contains(#""url":"http://127.0.0.1:1/a""#))
    #expect(!text.contains("s3cret"))
    try engine.waitForStartCleanup()
    try engine.order("engine/shutdown")
    _ = try engine.waitForEnd()
    let lines = try scene.journalLines().map { try PodfluxProcess.parse($0) }
    #expect(lines.first?["type"] as? String == "engine/opened")
    #expect(lines.last?["type"] as? String == "engine/closed")
    let numbers = lines.compactMap { ($0["meta"] as? [String: Any])?["sequence"] as? Int }
    #expect(numbers == [0] + (1...(lines.count - 2)) + [lines.count - 2])
  }

  @Test("contains each action of large turns, in order, and replays to the same state")
  func largeTurns() throws {
    let scene = try Scene()
    let engine = try scene.start(["--journal", scene.journal])
    try engine.waitForStartCleanup()
    let (count, before) = (3000, engine.lines.count)
    let lines = (0..<count).map { number in
      #"{"type":"downloads/enqueue","payload":{"id":"e\#(number)","paused":true,"url":"http://127.0.0.1:1/\#(number)"}}"#
    }
    try engine.send(bytes: Array((lines.joined(separator: "\n") + "\n").utf8))
    try engine.waitForLines(before + count)
    let journal = try scene.journalLines().map { try PodfluxProcess.parse($0) }
    let enqueued = journal.filter { $0["type"] as? String == "downloads/enqueue" }
    let names = enqueued.compactMap { ($0["payload"] as? [String: Any])?["id"] as? String }
    #expect(names == (0..<count).map { "e\($0)" })
    let numbers = journal.compactMap { ($0["meta"] as? [String: Any])?["sequence"] as? Int }
    #expect(Array(numbers.dropFirst()) == Array(1..<journal.count))
    let turns = Set(enqueued.compactMap { ($0["meta"] as? [String: Any])?["revision"] as? Int })
    #expect(turns.count < count / 64, "the turns were small")
    #expect(try scene.replay().output == scene.snapshot().line)
  }

  @Test("continues in other files when one is full, and replays as one while its beginning exists")
  func rotation() throws {
    let scene = try Scene()
    let engine = try scene.start(["--journal", scene.journal, "--journal-bytes", "4096"])
    try engine.waitForStartCleanup()
    func enqueue(_ count: Int) throws {
      for _ in 0..<count {
        try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/\(UUID())", "paused": true])
      }
    }
    try enqueue(60)
    let names = {
      try FileManager.default.contentsOfDirectory(atPath: scene.outside).filter { $0.hasPrefix("journal") }
    }
    #expect(try Set(names()).isSuperset(of: ["journal", "journal.1", "journal.2"]))
    #expect(try !names().contains("journal.4"))
    #expect(try scene.replay().output == scene.snapshot().line)
    let second = try String(contentsOfFile: scene.journal + ".1", encoding: .utf8)
    #expect(second.prefix { $0 != "\n" }.contains("engine/continued"))
    try enqueue(120)
    #expect(try Set(names()) == ["journal", "journal.1", "journal.2", "journal.3", "journal.4"])
    let late = try scene.replay()
    #expect(late.status == 65)
    #expect(late.errors.contains("no engine begins in it"), "\(late.errors)")
  }

  @Test(
    "is not written where it could do harm, and then nothing is changed",
    arguments: ["library", "folder", "text", "busy"])
  func refused(place: String) throws {
    let scene = try Scene()
    var path = scene.journal
    var other: PodfluxProcess?
    defer { _ = try? other?.kill() }
    switch place {
    case "library":
      try FileManager.default.createDirectory(atPath: scene.library, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: scene.outside + "/link", withDestinationPath: scene.library)
      path = scene.outside + "/link/journal"
    case "folder": path = scene.outside + "/nowhere/journal"
    case "text": _ = FileManager.default.createFile(atPath: path, contents: Data("a diary\n".utf8))
    default: other = try PodfluxProcess(library: scene.outside + "/other", arguments: ["--journal", path])
    }
    try other?.waitUntilReady()
    let before = FileManager.default.contents(atPath: path)
    let result = try PodfluxCommand.run(["run", "--library", scene.library, "--journal", path])
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("journal"))
    // An engine that has it keeps writing it.
    if other == nil { #expect(FileManager.default.contents(atPath: path) == before) }
    #expect(!FileManager.default.fileExists(atPath: scene.library + "/.podflux"))
  }

  @Test("of a library that another engine holds is not created")
  func held() throws {
    let scene = try Scene()
    _ = try scene.start()
    #expect(try PodfluxCommand.run(["run", "--library", scene.library, "--journal", scene.journal]).status == 75)
    #expect(!FileManager.default.fileExists(atPath: scene.journal))
  }

  @Test("that cannot be written any more ends with one log line, and delays nothing")
  func trouble() throws {
    let scene = try Scene()
    // The oldest file cannot replace a folder that is not empty.
    try FileManager.default.createDirectory(atPath: scene.journal + ".4/x", withIntermediateDirectories: true)
    let engine = try scene.start(["--journal", scene.journal, "--journal-bytes", "4096"])
    for number in 0..<150 {
      try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/\(number)", "paused": true])
    }
    #expect(try engine.downloads().counts["paused"] == 150)
    try engine.order("engine/shutdown")
    #expect(try engine.waitForEnd().status == 0)
    #expect(scene.log.ranges(of: "the journal ends here").count == 1, "\(scene.log)")
  }

  @Test("accepts only sizes in its range", arguments: ["0", "4095", "-1", "x"])
  func sizes(size: String) throws {
    let scene = try Scene()
    let arguments = ["run", "--library", scene.library, "--journal", scene.journal, "--journal-bytes=\(size)"]
    #expect(try PodfluxCommand.run(arguments).status == 64)
    #expect(!FileManager.default.fileExists(atPath: scene.journal))
  }
}
