import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("A client that does not read", .systemTest)
struct BackpressureTests {
  /// The answers to all lines are at least twice what the engine keeps for a reader (4 MiB): it certainly stops.
  @Test(
    "Lines from a client that does not read cost bounded memory, downloads go on, and all are answered in the end",
    arguments: [
      (#"{"type":"snapshot"}"#, 20_000), (#"{"type":"downloads/fly"}"#, 100_000),
      (#"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/NUMBER","paused":true}}"#, 100_000),
    ])
  func deaf(line: String, count: Int) throws {
    let scene = try Scene()
    let body = scene.serve("/a.mp3", length: 3 << 20, bytesPerSecond: 6 << 20).body
    let engine = try scene.startUnheard()
    try engine.send(line: #"{"type":"downloads/enqueue","payload":{"url":"\#(scene.origin.url("/a.mp3"))","id":"a"}}"#)
    inBackground {
      let parts = (0..<count).map { line.replacing("NUMBER", with: "\($0)") }
      try? engine.send(line: parts.joined(separator: "\n"))
    }
    try waitUntil("the file", upTo: 20) { scene.publishedFiles() == ["a.mp3"] }
    try engine.waitUntilInputIsStuck(upTo: 180)
    let peak = try engine.peakResidentBytes()
    print("\(count) × \(line.prefix(40)): at most \(peak >> 20) MiB")
    #expect(peak < 96 << 20)
    #expect(scene.hash(of: "a.mp3") == body.hash)
    engine.listen()
    try engine.waitForLines(count + 2, upTo: 120)
  }

  /// Creates a library with a page of more than a megabyte.
  private func fill(_ scene: Scene) throws {
    let filler = try scene.start()
    let title = String(repeating: "x", count: 1000)
    for number in 0..<1000 {
      try filler.send(
        line:
          #"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/\#(number)","title":"\#(title)","paused":true}}"#
      )
    }
    try filler.waitForAcknowledgements(1000)
    try filler.kill()
  }

  /// The engine saw a full backlog and slept. An observer saw room while the writer wrote, and thereby cleared the note
  /// that the engine waited: the engine hung forever, five times of seven.
  @Test(
    "An observer that reads slowly gets every answer, however many it does not read at first", arguments: [0.05, 0.25])
  func trickle(interval: Double) throws {
    let scene = try Scene()
    try fill(scene)
    scene.serve("/a.mp3", length: 40 << 20, bytesPerSecond: 1 << 20)
    let engine = try scene.startUnheard()
    try engine.send(line: #"{"type":"settings/update","payload":{"progressInterval":0.05}}"#)
    try engine.send(line: #"{"type":"observe","payload":{"stores":["downloads"],"interval":\#(interval)}}"#)
    try engine.send(line: #"{"type":"downloads/enqueue","payload":{"url":"\#(scene.origin.url("/a.mp3"))","id":"a"}}"#)
    let query = #"{"type":"snapshot","payload":{"downloads":{"limit":1000}},"meta":{"id":"page"}}"#
    let count = 24
    try engine.send(line: Array(repeating: query, count: count).joined(separator: "\n"))
    try scene.origin.wait(upTo: .seconds(20)) { $0.totalBodyBytesSent > 1 << 20 }
    engine.trickle(pieceBytes: 64 << 10, pauseMilliseconds: 2)
    for _ in 0..<count { try engine.wait(upTo: 60, for: "the next page") { $0.contains(#""id":"page""#) } }
    engine.signal(SIGTERM)
    #expect(try engine.waitForEnd().status == 0)
  }

  @Test("Large answers to a client that does not read are not all prepared")
  func largeAnswers() throws {
    let scene = try Scene()
    try fill(scene)
    let engine = try scene.startUnheard()
    let count = 60
    let query = #"{"type":"snapshot","payload":{"downloads":{"limit":1000}}}"#
    try engine.send(line: Array(repeating: query, count: count).joined(separator: "\n"))
    // The client's pipe accepts them all: only the engine's idleness shows that it has stopped.
    try waitUntil("a full pipe", upTo: 20) { try engine.isIdle(forMilliseconds: 300) }
    let peak = try engine.peakResidentBytes()
    print("\(count) answers of 1.4 MB each: at most \(peak >> 20) MiB")
    #expect(peak < 90 << 20)
    engine.listen()
    try engine.waitForLines(count + 1)
  }
}
