import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Failures", .systemTest)
struct FailureTests {
  @Test(
    "Answers that say no fail the download at once, each with its code",
    arguments: [
      (404, "not_found"), (410, "gone"), (401, "unauthorized"), (403, "forbidden"), (400, "http_status"),
    ])
  func refused(status: Int, code: String) throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3", .status(status, body: .text("no")))
    let item = try download(scene, "/a.mp3", until: "failed")
    #expect(item.errorCode == code)
    #expect(item.errorStatus == status)
    #expect(scene.origin.requests.count == 1)
    #expect(scene.publishedFiles().isEmpty)
  }

  @Test("Transient statuses are retried", arguments: [408, 429, 500, 502, 503, 504])
  func transient(status: Int) throws {
    let scene = try Scene()
    let resource = Resource(.audio(length: 10_000, seed: 1))
    scene.origin.serve("/a.mp3", script: [.status(status, body: .text("later")), .resource(resource)])
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    let waiting = try engine.wait(for: "a") { $0.state == "waiting" }
    #expect(waiting.json["reason"] as? String == "retry")
    #expect(waiting.json["retryAt"] is String)
    #expect(waiting.errorCode == "http_status")
    #expect(waiting.errorStatus == status)
    #expect(waiting.attempt == 2)
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    #expect(item.errorCode == nil)
  }

  @Test("When the attempts are exhausted the download fails with the last error; a retry starts a new count")
  func exhausted() throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3", .status(503))
    let engine = try scene.startEager(settings: ["maxAttempts": 2])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    let failed = try engine.wait(for: "a", toBe: "failed")
    #expect(failed.errorCode == "retries_exhausted")
    #expect(failed.errorCause == "http_status")
    #expect(failed.attempt == 2)
    #expect(scene.origin.requests.count == 2)
    scene.serve("/a.mp3", length: 1000)
    #expect(try engine.order("downloads/retry", ["id": "a"])["affected"] as? Int == 1)
    #expect(try engine.wait(for: "a", toBe: "completed").attempt == 1)
  }

  @Test("A retry starts a waiting download at once")
  func impatient() throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3", script: [.status(503), .resource(Resource(.audio(length: 1000, seed: 1)))])
    let engine = try scene.start()
    try engine.order("settings/update", ["retryFirstSeconds": 3600])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a", toBe: "waiting")
    try engine.order("downloads/retry", ["id": "a"])
    try engine.wait(for: "a", toBe: "completed")
  }

  @Test("A download keeps the time of its next attempt over a kill")
  func retryTimeOverRestart() throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3", .status(503))
    let engine = try scene.start()
    try engine.order("settings/update", ["retryFirstSeconds": 3600])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    let waiting = try engine.wait(for: "a", toBe: "waiting")
    let retryAt = try #require(waiting.json["retryAt"] as? String)
    try engine.kill()
    let next = try scene.start()
    let kept = try next.wait(for: "a", toBe: "waiting")
    #expect(kept.json["retryAt"] as? String == retryAt)
    #expect(kept.attempt == waiting.attempt)
    #expect(scene.origin.requests.count == 1)
  }

  @Test("A download that waited goes on in the next engine")
  func waitingOverRestart() throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3", script: [.status(503), .resource(Resource(.audio(length: 1000, seed: 1)))])
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a", toBe: "waiting")
    try engine.kill()
    let next = try scene.start()
    try next.wait(for: "a", toBe: "completed")
  }

  // Alone: another server may get the port of an origin that has stopped.
  @Test("A refused connection and an unknown host give different errors, and are retried", .systemTestAlone)
  func unreachable() throws {
    let scene = try Scene()
    try scene.origin.stop()
    let engine = try scene.startEager(settings: ["maxAttempts": 1])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "refused"])
    try engine.order("downloads/enqueue", ["url": "http://podflux-test.invalid/a.mp3", "id": "unknown"])
    #expect(try engine.wait(for: "refused", toBe: "failed").errorCause == "connect_failed")
    #expect(try engine.wait(for: "unknown", toBe: "failed").errorCause == "unknown_host")
    try scene.origin.restart()
    scene.serve("/a.mp3", length: 1000)
    try engine.order("downloads/retry", ["id": "refused"])
    try engine.wait(for: "refused", toBe: "completed")
  }

  @Test("Redirects are followed, loops and other schemes are not", arguments: [301, 302, 303, 307, 308])
  func redirects(status: Int) throws {
    let scene = try Scene()
    let resource = scene.serve("/target.mp3", length: 10_000)
    scene.origin.serve("/a.mp3", .redirect(status, to: "/b.mp3"))
    scene.origin.serve("/b.mp3", .redirect(status, to: scene.origin.url("/target.mp3")))
    scene.origin.serve("/loop", .redirect(status, to: "/loop"))
    scene.origin.serve("/file", .redirect(status, to: "file:///etc/passwd"))
    scene.origin.serve("/ftp", .redirect(status, to: "ftp://127.0.0.1/a.mp3"))
    let engine = try scene.startEager()
    for name in ["a.mp3", "loop", "file", "ftp"] {
      try engine.order("downloads/enqueue", ["url": scene.origin.url("/" + name), "id": name])
    }
    let item = try engine.wait(for: "a.mp3", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    #expect(try engine.wait(for: "loop", toBe: "failed").errorCode == "too_many_redirects")
    #expect(try engine.wait(for: "file", toBe: "failed").errorCode == "unsafe_redirect")
    #expect(try engine.wait(for: "ftp", toBe: "failed").errorCode == "unsafe_redirect")
  }

  @Test("Credentials for one host do not go to another that it redirects to")
  func credentials() throws {
    let scene = try Scene()
    let other = try Scene()
    other.serve("/b.mp3", length: 1000)
    scene.origin.serve("/a.mp3", .redirect(302, to: other.origin.url("/b.mp3")))
    let engine = try scene.start()
    try engine.order(
      "downloads/enqueue",
      ["url": scene.origin.url("/a.mp3"), "headers": ["Authorization": "Bearer x", "Cookie": "a=b", "X-Api-Key": "k"]])
    try engine.waitForAllCompleted()
    #expect(scene.origin.requests.first?.headers["Authorization"] == "Bearer x")
    let second = try #require(other.origin.requests.first)
    #expect(second.headers["Authorization"] == nil)
    #expect(second.headers["Cookie"] == nil)
    #expect(second.headers["X-Api-Key"] == nil)
  }

  @Test("TLS is checked: with the authority the file comes, without it there is no second try")
  func certificate() throws {
    let scene = try Scene(tls: .fixture)
    let resource = scene.serve("/a.mp3", length: 100_000)
    let distrusting = try scene.start()
    try distrusting.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    #expect(try distrusting.wait(for: "a", toBe: "failed").errorCode == "tls_certificate")
    #expect(scene.origin.requests.isEmpty)
    distrusting.closeInput()
    _ = try distrusting.waitForEnd()
    let trusting = try scene.start(["--ca-file", TLSMaterial.fixture.authorityPath])
    try trusting.order("downloads/retry", ["id": "a"])
    let item = try trusting.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
  }

  @Test("A stalled transfer is ended and resumed")
  func stall() throws {
    let scene = try Scene()
    let resource = Resource(.audio(length: 1 << 20, seed: 1), entityTag: .strong("a"))
    scene.origin.serve(
      "/a.mp3", script: [Behaviour.resource(resource).stalling(afterBytes: 600_000), .resource(resource)])
    let engine = try scene.startEager(settings: ["stallTimeoutSeconds": 1])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    #expect(try engine.wait(for: "a", toBe: "waiting").errorCode == "timeout")
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    #expect(scene.origin.requests.last?.rangeHeader == "bytes=\(600_000 - 65536)-")
  }

  @Test("A host that accepts a connection and never answers counts as stalled")
  func silence() throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3", Behaviour.status(200).failingBeforeHead(.stall))
    let engine = try scene.startEager(settings: ["firstByteTimeoutSeconds": 1, "maxAttempts": 1])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    #expect(try engine.wait(for: "a", toBe: "failed").errorCause == "timeout")
  }

  @Test(
    "A web page, an encoded file and an empty file are no media",
    arguments: [
      ("text/html; charset=utf-8", nil, "<html>log in</html>", "not_media"),
      ("application/xhtml+xml", nil, "<html/>", "not_media"), ("audio/mpeg", "gzip", "x", "not_media"),
      ("audio/mpeg", nil, "", "length_mismatch"),
    ] as [(String, String?, String, String)])
  func notMedia(type: String, encoding: String?, content: String, code: String) throws {
    let scene = try Scene()
    var headers: HeaderFields = ["Content-Type": type]
    headers["Content-Encoding"] = encoding
    scene.origin.serve("/a.mp3", .status(200, headers: headers, body: .text(content)))
    let engine = try scene.startEager(settings: ["maxAttempts": 1])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    #expect(try engine.wait(for: "a", toBe: "failed").errorCause == code)
    #expect(scene.publishedFiles().isEmpty)
  }

  @Test("A web page in the middle of a resume costs no kept byte")
  func portal() throws {
    let scene = try Scene()
    let resource = Resource(.audio(length: 1 << 20, seed: 1), entityTag: .strong("a"))
    let page = Behaviour.status(200, headers: ["Content-Type": "text/html"], body: .text("<html>log in</html>"))
    scene.origin.serve(
      "/a.mp3", script: [Behaviour.resource(resource).cutting(afterBytes: 600_000), page, .resource(resource)])
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    #expect(item.discarded == 0)
    #expect(scene.origin.requests.last?.rangeHeader == "bytes=\(600_000 - 65536)-")
  }

  @Test("Partial files of failed downloads are deleted with the download")
  func failedPartial() throws {
    let scene = try Scene()
    let resource = Resource(.audio(length: 1 << 20, seed: 1))
    scene.origin.serve("/a.mp3", script: [Behaviour.resource(resource).cutting(afterBytes: 600_000), .status(410)])
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a", toBe: "failed")
    #expect(scene.partialFiles() == ["a.part"])
    try engine.order("downloads/remove", ["id": "a"])
    try waitUntil("no partial file") { scene.partialFiles().isEmpty }
  }

  private func download(_ scene: Scene, _ path: String, until state: String) throws -> Item {
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url(path), "id": "a"])
    return try engine.wait(for: "a", toBe: state)
  }
}
