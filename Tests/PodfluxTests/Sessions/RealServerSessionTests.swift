import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// Passwords at the servers that most podcasts use.
@Suite("Sessions at real servers", .systemTestAlone)
struct RealServerSessionTests {
  private typealias Guard = RealServer.Guard

  private static let length = 400_000

  @Test(
    "Basic and Digest, over HTTP/1.1 and HTTP/2 with TLS; a wrong password names the realm",
    arguments: RealServer.Kind.allCases)
  func passwords(kind: RealServer.Kind) throws {
    let server = try RealServer(kind)
    let guards = kind == .nginx ? [Guard.basic] : Guard.allCases
    let scene = try Scene()
    let engine = try scene.startEager(["--ca-file", TLSMaterial.fixture.authorityPath])
    for (number, guardian) in guards.enumerated() {
      let body = Body.audio(length: Self.length, seed: UInt64(number))
      try server.add(body.allBytes, "a.mp3", guardian)
      for isSecure in [false, true] {
        let name = "\(guardian.rawValue)-\(isSecure ? "tls" : "plain")"
        func login(_ password: String) -> [String: Any] {
          [
            "id": name, "hosts": [server.host(secure: isSecure)], "kind": guardian.rawValue, "user": Guard.user,
            "secret": password,
          ]
        }
        let url = server.url(path: "/\(guardian.rawValue)/a.mp3", secure: isSecure)
        try engine.order("sessions/open", login("wrong"))
        try engine.order("downloads/enqueue", ["url": url, "id": name, "session": name])
        let failed = try engine.wait(for: name, toBe: "failed")
        let message = (failed.json["error"] as? [String: Any])?["message"] as? String ?? ""
        #expect(failed.errorCode == "unauthorized" && message.contains("\"\(Guard.realm)\""), "\(message)")
        try engine.order("sessions/open", login(Guard.password))
        try engine.order("downloads/retry", ["id": name])
        let item = try engine.wait(for: name, toBe: "completed")
        #expect(scene.hash(of: item.path) == body.hash, "\(name)")
        let version = isSecure ? "HTTP/2.0" : "HTTP/1.1"
        func answered() -> [RealServer.LoggedRequest] {
          server.requests().filter { $0.path.hasPrefix("/\(guardian.rawValue)/") && $0.status == 200 }
        }
        // A server writes its log after its answer.
        try waitUntil("the answer in the log", upTo: 20) { answered().last?.version == version }
        let scheme = guardian == .basic ? "Basic " : "Digest "
        #expect(answered().last?.authorization?.hasPrefix(scheme) == true, "\(answered())")
      }
    }
  }

  @Test(
    "A redirect from a private host to a signed address of a CDN takes no credentials there",
    arguments: RealServer.Kind.allCases)
  func redirect(kind: RealServer.Kind) throws {
    let cdn = try RealServer(kind)
    let body = Body.audio(length: Self.length, seed: 9)
    try cdn.add(body.allBytes, "cdn.mp3", .quick)
    let home = try RealServer(
      kind, redirectingTo: cdn.url(path: "/quick/cdn.mp3?Expires=1&Signature=abc", secure: false))
    let scene = try Scene()
    let engine = try scene.startEager()
    try engine.order(
      "downloads/enqueue",
      [
        "url": home.url(path: "/away/1.mp3", secure: false), "id": "a",
        "auth": ["kind": "basic", "user": Guard.user, "secret": Guard.password],
      ])
    #expect(scene.hash(of: try engine.wait(for: "a", toBe: "completed").path) == body.hash)
    try waitUntil("the answers in the logs", upTo: 20) { !home.requests().isEmpty && !cdn.requests().isEmpty }
    #expect(home.requests().map { $0.authorization != nil } == [true])
    #expect(cdn.requests().map(\.status) == [200])
    #expect(cdn.requests().allSatisfy { $0.authorization == nil })
  }
}
