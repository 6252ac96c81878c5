import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// A client's stop just when the origin's file turns out to be another version.
@Suite("Stopping at another version", .systemTest)
struct StopTests {
  /// Bytes that differed were still in memory when the pause came: the attempt waited for an answer that never came,
  /// kept its slot, and the download never ran again.
  @Test("A pause right after the first bytes of another version ends the attempt, and the download resumes later")
  func pause() throws {
    let scene = try Scene()
    let other = Behaviour.resource(Resource(Episode.other, entityTag: .strong("v2")))
    scene.origin.serve("/a.mp3", script: [Episode.half, other.stalling(afterBytes: 10_000), other])
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try scene.origin.wait(upTo: .seconds(10)) { $0.requests.count == 2 && $0.requests[1].bytesSent == 10_000 }
    try engine.order("downloads/pause", ["id": "a"])
    try scene.origin.wait(upTo: .seconds(10)) { $0.activeConnections == 0 }
    try engine.order("downloads/resume", ["id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == Episode.other.hash)
    #expect(item.discardedBecause == ["validator_changed": Episode.cut - Episode.common])
  }
}
