import Foundation
import ScriptedOrigin
import Synchronization
import Testing
import TestScheduling
import TestSupport

@Suite("Stopping the engine", .systemTest)
struct EndingTests {
  private static let slow = 1 << 20

  @Test(
    "A signal ends the engine within 2 s with status 0, and the next one goes on from its bytes", .systemTestAlone,
    arguments: [SIGTERM, SIGINT])
  func signalled(number: Int32) throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 3 << 20, bytesPerSecond: 2 << 20).body
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    let begin = ContinuousClock.now
    engine.signal(number)
    #expect(try engine.waitForEnd().status == 0)
    let time = ContinuousClock.now - begin
    print("signal \(number) ended the engine in \(time)")
    #expect(time < .seconds(2))
    #expect(engine.lines.last?.contains(#""reason":"signal""#) == true)
    let between = try snapshotItems(try PodfluxCommand.run(["snapshot", "--library", scene.library]).output)
    #expect(between.map(\.state) == ["queued"])
    #expect(between.map(\.attempt) == [1])
    let durable = try #require(between.first?.durable)
    #expect(durable > 1 << 20)
    let next = try scene.start()
    let item = try #require(try next.waitForAllCompleted().first)
    #expect(scene.hash(of: item.path) == body.hash)
    let ranges = scene.origin.requests.map(\.rangeHeader)
    #expect(ranges == [nil, "bytes=\(durable - 65536)-"])
  }

  @Test("A client that reads slowly gets every reply before the engine ends at the end of its input")
  func slowReader() throws {
    let scene = try Scene()
    let engine = try scene.startUnheard()
    let count = 400
    for number in 0..<count {
      try engine.send(
        line: #"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/\#(number)","paused":true}}"#)
      if number % 40 == 39 { try engine.send(line: #"{"type":"snapshot","payload":{"stores":["downloads"]}}"#) }
    }
    engine.closeInput()
    // A pipe holds 64 KiB; between the pieces little is read.
    engine.trickle(pieceBytes: 8 << 10, pauseMilliseconds: 20)
    #expect(try engine.waitForEnd(upTo: 60).status == 0)
    #expect(engine.lines.filter { $0.contains(#""type":"ok""#) }.count == count + count / 40)
    #expect(engine.lines.last?.contains(#""type":"engine/stopped""#) == true)
  }

  @Test("A signal that comes before the engine is ready ends it as cleanly as any other")
  func early() throws {
    for number in [SIGTERM, SIGINT, SIGTERM, SIGINT, SIGTERM, SIGINT] {
      let scene = try Scene()
      let engine = try scene.startUnheard()
      // The process blocks the signal from its start, long before there is an engine.
      try waitUntil("the signal to be held back") { try Self.isBlocked(number, in: engine.pid) }
      engine.signal(number)
      engine.listen()
      #expect(try engine.waitForEnd(upTo: 10).status == 0)
      #expect(engine.lines.last?.contains(#""reason":"signal""#) == true)
    }
  }

  /// Whether a process blocks a signal (`SigBlk` in /proc/PID/status, proc(5)).
  private static func isBlocked(_ number: Int32, in process: pid_t) throws -> Bool {
    let lines = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("SigBlk:") }),
      let hexadecimal = line.split(separator: "\t").last,
      let set = UInt64(hexadecimal, radix: 16)
    else { return false }
    return set & 1 << UInt64(number - 1) != 0
  }

  @Test("A second signal ends the engine at once", .systemTestAlone)
  func twice() throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3", Behaviour.resource(Resource(.audio(length: 1 << 20, seed: 1))).stalling(afterBytes: 9))
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try scene.origin.wait(upTo: .seconds(5)) { $0.activeRequests == 1 }
    let time = try ContinuousClock().measure {
      engine.signal(SIGTERM)
      engine.signal(SIGINT)
      _ = try engine.waitForEnd()
    }
    #expect(time < .seconds(1))
  }

  @Test("The same signal twice at once, as from timeout(1), counts as one: the engine ends cleanly")
  func repeated() throws {
    for _ in 0..<5 {
      let scene = try Scene()
      let engine = try scene.start()
      engine.signal(SIGTERM)
      engine.signal(SIGTERM)
      #expect(try engine.waitForEnd().status == 0, "\(scene.log)")
      #expect(engine.lines.last?.contains(#""reason":"signal""#) == true, "\(scene.log)")
    }
  }

  @Test("A signal ends an engine whose client does not read, within 2 s", .systemTestAlone)
  func deafClient() throws {
    let scene = try Scene()
    let engine = try scene.startUnheard()
    let isWriting = Mutex(true)
    inBackground {
      try? engine.send(line: Array(repeating: #"{"type":"snapshot"}"#, count: 200_000).joined(separator: "\n"))
      isWriting.withLock { $0 = false }
    }
    try engine.waitUntilInputIsStuck()
    let time = try ContinuousClock().measure {
      engine.signal(SIGTERM)
      try waitUntil("the end", upTo: 5) { !engine.isAlive }
    }
    // Otherwise it continues to write to the reused number of the closed pipe.
    try waitUntil("the writer's end", upTo: 5) { !isWriting.withLock { $0 } }
    print("an unheard engine ended in \(time)")
    #expect(time < .seconds(2))
  }

  @Test("A signal ends an engine within 2 s during continuous requests", .systemTestAlone)
  func busyClient() throws {
    let scene = try Scene()
    let engine = try scene.start()
    let isWriting = Mutex(true)
    inBackground {
      let lines = Array(repeating: #"{"type":"snapshot"}"#, count: 1000).joined(separator: "\n")
      while (try? engine.send(line: lines)) != nil {}
      isWriting.withLock { $0 = false }
    }
    try engine.waitForLines(2000)
    let begin = ContinuousClock.now
    engine.signal(SIGTERM)
    try waitUntil("the writer's end", upTo: 5) { !isWriting.withLock { $0 } }
    #expect(try engine.waitForEnd().status == 0)
    let time = ContinuousClock.now - begin
    print("a busy engine ended in \(time)")
    #expect(time < .seconds(2))
    #expect(engine.lines.last?.contains(#""reason":"signal""#) == true)
  }

  @Test(
    "An engine whose database cannot be written ends all the same: when it is told to, and when its input has ended",
    arguments: ["shutdown", "signal", "eof"])
  func unwritable(cause: String) throws {
    let scene = try Scene()
    let engine = try scene.start()
    try Self.forbidGrowth(of: engine.pid)
    let refusal = try engine.ask("downloads/enqueue", ["url": "http://127.0.0.1:1/a", "paused": true])
    #expect((refusal["payload"] as? [String: Any])?["code"] as? String == "storage_failure")
    switch cause {
    case "shutdown": try engine.order("engine/shutdown")
    case "signal": engine.signal(SIGTERM)
    default: engine.closeInput()
    }
    #expect(try engine.waitForEnd(upTo: 40).status == (cause == "eof" ? 1 : 0))
    #expect(engine.lines.last?.contains(#""reason":"\#(cause)""#) == true)
  }

  /// Makes all writes of the process to files fail (RLIMIT_FSIZE, setrlimit(2)), by prlimit(1).
  private static func forbidGrowth(of process: pid_t) throws {
    let command = Process()
    command.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    command.arguments = ["--pid", "\(process)", "--fsize=1"]
    try command.run()
    command.waitUntilExit()
    #expect(command.terminationStatus == 0)
  }

  @Test("An engine whose client has vanished ends")
  func goneClient() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 50 << 20, bytesPerSecond: Self.slow)
    let engine = try scene.startUnheard()
    try engine.send(line: #"{"type":"downloads/enqueue","payload":{"url":"\#(scene.origin.url("/a.mp3"))"}}"#)
    try scene.origin.wait(upTo: .seconds(10)) { $0.activeRequests == 1 }
    engine.hangUp()
    try engine.send(line: #"{"type":"snapshot"}"#)
    #expect(try engine.waitForEnd(upTo: 5).status == 0)
  }

  @Test("Shutdown now keeps received bytes; all later actions are refused")
  func shutdown() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 20 << 20, bytesPerSecond: 4 << 20)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try engine.send(line: #"{"type":"engine/shutdown","payload":{"mode":"now"},"meta":{"id":1}}"#)
    try engine.send(line: #"{"type":"downloads/pause","payload":{"all":true},"meta":{"id":2}}"#)
    #expect(try engine.waitForEnd().status == 0)
    let last = engine.lines.suffix(3)
    #expect(last.first?.contains(#""type":"ok""#) == true)
    #expect(last.dropFirst().first?.contains(#""code":"shutting_down""#) == true)
    #expect(last.last?.contains(#""reason":"shutdown""#) == true)
  }

  @Test("At the end of input with exit the engine stops at once", .systemTestAlone)
  func onEndOfInputExit() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 20 << 20, bytesPerSecond: Self.slow)
    let engine = try scene.startEager(["--on-eof", "exit"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try scene.origin.wait(upTo: .seconds(5)) { $0.totalBodyBytesSent > 0 }
    let begin = ContinuousClock.now
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let time = ContinuousClock.now - begin
    #expect(time < .seconds(2))
  }

  @Test("A drain completes all downloads, also those that wait for a retry; paused ones do not delay it")
  func drain() throws {
    let scene = try Scene()
    let resource = scene.serve("/b.mp3", length: 50_000)
    scene.origin.serve("/a.mp3", script: [.status(503), .resource(resource)])
    scene.origin.serve("/gone.mp3", .status(410))
    let engine = try scene.startEager(settings: ["maxConcurrent": 1])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/c.mp3"), "id": "c", "paused": true])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/gone.mp3"), "id": "gone"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/b.mp3"), "id": "b"])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let items = try snapshotItems(try PodfluxCommand.run(["snapshot", "--library", scene.library]).output)
    let states = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.state) })
    #expect(states == ["a": "completed", "b": "completed", "c": "paused", "gone": "failed"])
  }

  @Test("A drain requested over the protocol accepts lines until it is done")
  func drainByShutdown() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 1 << 20, bytesPerSecond: Self.slow)
    scene.serve("/b.mp3", length: 10_000)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.order("engine/shutdown", ["mode": "drain"])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/b.mp3"), "id": "b"])
    #expect(try engine.waitForEnd().status == 0)
    #expect(engine.lines.last?.contains(#""reason":"shutdown""#) == true)
    #expect(scene.publishedFiles() == ["a.mp3", "b.mp3"])
  }

  @Test("A signal ends a drain", .systemTestAlone)
  func signalledDrain() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 50 << 20, bytesPerSecond: Self.slow)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    engine.closeInput()
    try scene.origin.wait(upTo: .seconds(5)) { $0.totalBodyBytesSent > 0 }
    engine.signal(SIGTERM)
    #expect(try engine.waitForEnd(upTo: 2).status == 0)
  }

  @Test("A file whose folder has become a link stays when its download is removed, and delays no drain")
  func removalThroughLink() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 10_000)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "podcast": "Show"])
    try engine.wait(for: "a", toBe: "completed")
    let files = FileManager.default
    try files.moveItem(atPath: scene.library + "/Show", toPath: scene.outside + "/Show")
    try files.createSymbolicLink(atPath: scene.library + "/Show", withDestinationPath: scene.outside + "/Show")
    try engine.order("downloads/remove", ["id": "a"])
    engine.closeInput()
    #expect(try engine.waitForEnd(upTo: 5).status == 0)
    #expect(files.fileExists(atPath: scene.outside + "/Show/a.mp3"))
  }
}
