import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Connections", .systemTest)
struct ConnectionTests {
  @Test(
    "A kept connection that dies when the next request comes costs no attempt and no wait",
    arguments: [Fault.Kind.cut, .reset, .stall])
  func deadConnection(kind: Fault.Kind) throws {
    let scene = try Scene(tls: .fixture)
    scene.serve("/a.mp3", length: 10_000)
    let resource = Resource(.audio(length: 20_000, seed: 2))
    scene.origin.serve(
      "/b.mp3", script: [Behaviour.resource(resource).failingBeforeHead(kind), .resource(resource)])
    let engine = try scene.start(["--ca-file", TLSMaterial.fixture.authorityPath])
    try engine.order(
      "settings/update", ["maxAttempts": 1, "retryFirstSeconds": 3600, "firstByteTimeoutSeconds": 1])
    for name in ["a", "b"] {
      try engine.order("downloads/enqueue", ["url": scene.origin.url("/\(name).mp3"), "id": name])
      let item = try engine.wait(for: name, toBe: "completed")
      #expect(item.attempt == 1)
    }
    #expect(scene.hash(of: try engine.item("b")?.path) == resource.body.hash)
    #expect(scene.origin.requests.map(\.connection) == [0, 0, 1])
  }

  @Test("A redirect from https to http is followed only if the settings allow it")
  func insecureRedirect() throws {
    let (scene, plain) = (try Scene(tls: .fixture), try Scene())
    let resource = plain.serve("/a.mp3", length: 10_000)
    scene.origin.serve("/a.mp3", .redirect(302, to: plain.origin.url("/a.mp3")))
    let engine = try scene.start(["--ca-file", TLSMaterial.fixture.authorityPath])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    #expect(try engine.wait(for: "a", toBe: "failed").errorCode == "unsafe_redirect")
    #expect(plain.origin.requests.isEmpty)
    try engine.order("settings/update", ["allowInsecureRedirects": true])
    try engine.order("downloads/retry", ["id": "a"])
    #expect(scene.hash(of: try engine.wait(for: "a", toBe: "completed").path) == resource.body.hash)
  }

  /// Regression: a server that cuts every 400 KB took 46 s for 3 MB, 40 s of which were waiting.
  @Test("A connection that breaks off repeatedly, with new bytes each time, is retried at once")
  func promptly() throws {
    let scene = try Scene()
    let resource = Resource(.audio(length: 3_000_000, seed: 7), entityTag: .strong("v1"))
    scene.origin.serve("/a.mp3", Behaviour.resource(resource).cutting(afterBytes: 400_000))
    // With waits this could not be done in time.
    let engine = try scene.start()
    try engine.order("settings/update", ["retryFirstSeconds": 3600])
    let begin = ContinuousClock.now
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed", upTo: 60)
    print("3 MB in pieces of 400 KB: \(ContinuousClock.now - begin), \(scene.origin.requests.count) requests")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    #expect(item.discarded == 0)
  }

  /// Regression: the download waited for storage forever, without another request.
  @Test("After an absurd length a retry requests the length again")
  func absurdLength() throws {
    let scene = try Scene()
    let resource = Resource(.audio(length: 300_000, seed: 8), entityTag: .strong("v1"))
    let good = Behaviour.resource(resource)
    let absurd = good.settingHeader("Content-Length", "9999999960000").cutting(afterBytes: 200_000)
    scene.origin.serve("/a.mp3", script: [absurd, good])
    let engine = try scene.startEager(settings: ["maxFileBytes": 0])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.reason == "storage" }
    #expect(scene.origin.requests.count == 1)
    try engine.order("downloads/retry", ["id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
  }

  @Test("A transfer below the configured rate fails as too slow")
  func tooSlow() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 100_000, bytesPerSecond: 5000)
    let engine = try scene.startEager(
      settings: ["slowBytesPerSecond": 50_000, "slowWindowSeconds": 1, "retryFirstSeconds": 3600])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    let item = try engine.wait(for: "a", toBe: "waiting")
    #expect(item.errorCode == "too_slow")
    #expect(item.durable > 0)
  }
}
