import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Mirrors and integrity", .systemTest)
struct SourceTests {
  static let length = 600_000
  static let content = Body.audio(length: length, seed: 1)
  static let other = Body.audio(length: length, seed: 2)

  private func enqueue(
    _ scene: Scene, _ engine: PodfluxProcess, mirrors: [String] = [], integrity: String? = nil
  ) throws {
    var payload: [String: Any] = ["url": scene.origin.url("/first.mp3"), "id": "a"]
    payload["mirrors"] = mirrors.map { scene.origin.url($0) }
    payload["integrity"] = integrity
    try engine.order("downloads/enqueue", payload)
  }

  @Test("If the first address fails, a mirror is tried at once, and no attempt is counted")
  func mirror() throws {
    let scene = try Scene()
    scene.origin.serve("/first.mp3", .status(404))
    scene.origin.serve("/second.mp3", .status(503))
    scene.origin.serve("/third.mp3", Resource(Self.content))
    let engine = try scene.start()
    try enqueue(scene, engine, mirrors: ["/second.mp3", "/third.mp3"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == Self.content.hash)
    #expect(item.path == "first.mp3", "the name is that of the download's own address")
    #expect(item.attempt == 1)
    #expect(scene.origin.requests.map(\.path) == ["/first.mp3", "/second.mp3", "/third.mp3"])
  }

  /// Regression: they went to every mirror, and with them the credentials of the first address.
  @Test("Headers for the first address go to mirrors of its origin, and to no others")
  func headersStayAtHome() throws {
    let scene = try Scene()
    let stranger = try ScriptedOrigin.start()
    defer { try? stranger.stop() }
    scene.origin.serve("/first.mp3", .status(404))
    scene.origin.serve("/second.mp3", .status(404))
    stranger.serve("/moved.mp3", .redirect(to: scene.origin.url("/third.mp3")))
    scene.origin.serve("/third.mp3", .status(404))
    stranger.serve("/fourth.mp3", Resource(Self.content))
    let engine = try scene.start()
    let mirrors = [scene.origin.url("/second.mp3"), stranger.url("/moved.mp3"), stranger.url("/fourth.mp3")]
    try engine.order(
      "downloads/enqueue",
      [
        "url": scene.origin.url("/first.mp3"), "id": "a", "mirrors": mirrors,
        "headers": ["Authorization": "Bearer x", "Cookie": "a=1", "X-Key": "1"],
      ])
    try engine.wait(for: "a", toBe: "completed")
    let names = ["Authorization", "Cookie", "X-Key"]
    let home = Dictionary(uniqueKeysWithValues: scene.origin.requests.map { ($0.path, $0) })
    for path in ["/first.mp3", "/second.mp3"] {
      #expect(names.allSatisfy { home[path]?.headers[$0] != nil }, "\(path)")
    }
    #expect(names.allSatisfy { home["/third.mp3"]?.headers[$0] == nil }, "a stranger has led there")
    #expect(stranger.requests.map(\.path) == ["/moved.mp3", "/fourth.mp3"])
    #expect(stranger.requests.allSatisfy { request in names.allSatisfy { request.headers[$0] == nil } })
  }

  @Test("A file without the expected digest is discarded, and a mirror with it is used")
  func integrity() throws {
    let scene = try Scene()
    scene.origin.serve("/first.mp3", Resource(Self.other))
    scene.origin.serve("/second.mp3", Resource(Self.content))
    let engine = try scene.start()
    try enqueue(scene, engine, mirrors: ["/second.mp3"], integrity: Self.content.integrity)
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == Self.content.hash)
    #expect(item.json["sha256"] as? String == Self.content.hash)
    #expect(item.discardedBecause == ["integrity_mismatch": Self.length])
  }

  @Test("A file without its digest at any address fails, and nothing of it is kept")
  func mismatch() throws {
    let scene = try Scene()
    scene.origin.serve("/first.mp3", Resource(Self.other))
    let engine = try scene.start()
    try enqueue(scene, engine, integrity: Self.content.integrity)
    #expect(try engine.wait(for: "a", toBe: "failed").errorCode == "integrity_mismatch")
    #expect(scene.publishedFiles().isEmpty)
    // The cleanup of the start may have taken the empty file away.
    let kept = scene.hash(of: ".podflux/partial/a.part")
    #expect(kept == nil || kept == Body.empty.hash)
  }

  @Test("A digest continues after a pause and after a kill", arguments: [false, true])
  func resumedDigest(killing: Bool) throws {
    let scene = try Scene()
    let resource = Resource(Self.content, entityTag: .strong("v1"))
    scene.origin.serve("/first.mp3", Behaviour.resource(resource).limited(toBytesPerSecond: 400_000))
    var engine = try scene.startEager()
    try enqueue(scene, engine, integrity: Self.content.integrity)
    try engine.wait(for: "a") { $0.received > 200_000 }
    if killing {
      try engine.kill()
      engine = try scene.start()
    } else {
      try engine.order("downloads/pause", ["id": "a"])
      try engine.wait(for: "a") { $0.state == "paused" && $0.durable > 200_000 }
      try engine.order("downloads/resume", ["id": "a"])
    }
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(item.json["sha256"] as? String == Self.content.hash)
    #expect(item.discarded == 0)
    #expect(scene.origin.requests.count == 2)
  }

  @Test("With the setting checksum the digest of each file is recorded")
  func checksum() throws {
    let scene = try Scene()
    scene.origin.serve("/first.mp3", Resource(Self.content))
    let engine = try scene.startEager(settings: ["checksum": true])
    try enqueue(scene, engine)
    #expect(try engine.wait(for: "a", toBe: "completed").json["sha256"] as? String == Self.content.hash)
  }

  @Test(
    "A mirror continues where the first address broke off: by tag, by digest, or after comparing all bytes",
    arguments: ["tag", "digest", "whole"])
  func kept(proof: String) throws {
    let scene = try Scene()
    let tag: EntityTag? = proof == "tag" ? .strong("v1") : nil
    let resource = Resource(Self.content, entityTag: tag)
    // The cut transfer made progress, so that address is tried again; it is gone by then.
    scene.origin.serve("/first.mp3", script: [Behaviour.resource(resource).cutting(afterBytes: 300_000), .status(404)])
    scene.origin.serve("/second.mp3", resource)
    let engine = try scene.startEager()
    let integrity = proof == "digest" ? Self.content.integrity : nil
    try enqueue(scene, engine, mirrors: ["/second.mp3"], integrity: integrity)
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == Self.content.hash)
    #expect(item.discarded == 0)
    let last = try #require(scene.origin.requests.last)
    #expect(last.path == "/second.mp3")
    #expect((last.rangeHeader == nil) == (proof == "whole"))
  }

  @Test("A mirror with another file is not spliced to the first address's bytes")
  func differentMirror() throws {
    let scene = try Scene()
    scene.origin.serve(
      "/first.mp3",
      script: [Behaviour.resource(Resource(Self.other)).cutting(afterBytes: 300_000), .status(404)])
    scene.origin.serve("/second.mp3", Resource(Self.content))
    let engine = try scene.startEager()
    try enqueue(scene, engine, mirrors: ["/second.mp3"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == Self.content.hash)
    #expect(item.discarded > 0)
  }

  @Test(
    "A file longer than the settings allow is not begun, or given up where it exceeds them", arguments: [true, false])
  func tooLarge(isAnnounced: Bool) throws {
    let scene = try Scene()
    let behaviour = Behaviour.resource(Resource(Self.content))
    scene.origin.serve("/first.mp3", isAnnounced ? behaviour : behaviour.framed(.chunked))
    let engine = try scene.startEager(settings: ["maxFileBytes": 100_000])
    try enqueue(scene, engine)
    let item = try engine.wait(for: "a", toBe: "failed")
    #expect(item.errorCode == "too_large")
    #expect(item.durable == 0)
    #expect(scene.publishedFiles().isEmpty)
  }

  @Test("One 429 makes all downloads of its host wait, with the reason; then they continue")
  func busyHost() throws {
    let scene = try Scene()
    let resource = Resource(Self.content)
    scene.origin.serve(
      "/first.mp3", script: [.status(429, headers: ["Retry-After": "2"], body: .empty), .resource(resource)])
    scene.origin.serve("/second.mp3", resource)
    let engine = try scene.startEager(settings: ["maxConcurrent": 1])
    try enqueue(scene, engine)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/second.mp3"), "id": "b"])
    let waiting = try engine.wait(for: "b") { $0.state == "waiting" }
    #expect(waiting.json["reason"] as? String == "host")
    #expect(waiting.json["retryAt"] is String)
    let counts = try engine.downloads().counts
    #expect(counts["waiting"] == 2)
    #expect(counts["queued"] == 0)
    #expect(scene.origin.requests.count == 1)
    try engine.waitForAllCompleted()
    #expect(scene.origin.requests.count == 3)
  }
}
