import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Kills one library repeatedly during all kinds of requests: acknowledged changes must hold.
@Suite("A storm of kills", .systemTest)
struct KillStormTests {
  /// The client's certain knowledge of a download.
  private enum Known {
    case wanted
    case paused
    case gone
  }

  private static let tinyLengths = 1024...(60 << 10)

  @Test("Acknowledged enqueues, pauses, cancels and removals hold over 40 kills of one library")
  func storm() throws {
    let seed = try SeededRandom.seed()
    var random = SeededRandom(seed: seed)
    let scene = try Scene()
    var known: [String: Known] = [:]
    /// Sent, without a reply: both outcomes are correct.
    var doubtful: Set<String> = []
    var serial = 0
    for round in 0..<40 {
      let engine = try scene.startEager()
      try check(engine, known, doubtful, "round \(round), PODFLUX_SEED=\(seed)")
      var sent: [(id: String, outcome: Known)] = []
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let settled = known.keys.filter { known[$0] != .gone && !doubtful.contains($0) }.sorted()
        let target = settled.randomElement(using: &random)
        switch (Int.random(in: 0..<8, using: &random), target) {
        case (0, let id?): sent.append((id, .gone)); try send("downloads/remove", id, on: engine)
        case (1, let id?) where known[id] == .paused:
          sent.append((id, .wanted)); try send("downloads/resume", id, on: engine)
        default:
          serial += 1
          let id = "s\(serial)"
          scene.serve("/\(id)", length: .random(in: Self.tinyLengths, using: &random), seed: UInt64(serial))
          let isPaused = Int.random(in: 0..<5, using: &random) == 0
          sent.append((id, isPaused ? .paused : .wanted))
          try enqueue(id, isPaused: isPaused, from: scene, on: engine)
        }
        if let last = sent.last { doubtful.insert(last.id) }
      }
      let answered = Int.random(in: 0...sent.count, using: &random)
      // The first reply was that of the settings, the second that of the check's snapshot.
      try engine.waitForLines(3 + answered)
      if Bool.random(using: &random) {
        let files = scene.publishedFiles().count + Int.random(in: 0...3, using: &random)
        try? waitUntil("some more files", upTo: 0.2) { scene.publishedFiles().count >= files }
      }
      try engine.kill()
      for (reply, change) in zip(engine.lines.dropFirst(3), sent) {
        #expect(reply.contains(#""type":"ok""#), "round \(round), PODFLUX_SEED=\(seed): \(reply)")
        known[change.id] = change.outcome
        doubtful.remove(change.id)
      }
    }
    try finish(scene, known, doubtful, "PODFLUX_SEED=\(seed)")
    print("40 kills of one library, seed \(seed): \(serial) downloads")
  }

  private func send(_ type: String, _ id: String, on engine: PodfluxProcess) throws {
    try engine.send(line: #"{"type":"\#(type)","payload":{"id":"\#(id)"}}"#)
  }

  private func enqueue(_ id: String, isPaused: Bool, from scene: Scene, on engine: PodfluxProcess) throws {
    try engine.send(
      line:
        #"{"type":"downloads/enqueue","payload":{"url":"\#(scene.origin.url("/" + id))","id":"\#(id)","paused":\#(isPaused)}}"#
    )
  }

  private func check(
    _ engine: PodfluxProcess, _ known: [String: Known], _ doubtful: Set<String>, _ when: String
  ) throws {
    let items = try engine.items()
    let states = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.state) })
    for (id, outcome) in known where !doubtful.contains(id) {
      switch outcome {
      case .gone: #expect(states[id] == nil, "\(when): \(id) was removed")
      case .paused: #expect(states[id] == "paused", "\(when): \(id)")
      case .wanted: #expect(["queued", "running", "completed"].contains(states[id] ?? "lost"), "\(when): \(id)")
      }
    }
    #expect(items.allSatisfy { $0.attempt == 1 }, "\(when): a kill is no failure")
  }

  /// Waits until all work has ended, and compares the library with the client's knowledge.
  private func finish(_ scene: Scene, _ known: [String: Known], _ doubtful: Set<String>, _ when: String) throws {
    let engine = try scene.startEager()
    try check(engine, known, doubtful, when)
    try engine.order("downloads/resume", ["all": true])
    let items = try engine.waitForAllCompleted()
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    #expect(scene.publishedFiles() == items.compactMap(\.path).sorted(), "\(when): no stray file")
    #expect(scene.partialFiles().isEmpty, "\(when): no partial file is left")
    for item in items {
      let number = try #require(Int(item.id.dropFirst()))
      let body = Body.audio(length: item.durable, seed: UInt64(number))
      #expect(scene.hash(of: item.path) == body.hash, "\(when): \(item.json)")
    }
  }
}
