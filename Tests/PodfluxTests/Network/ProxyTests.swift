import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Proxies of the environment", .systemTest)
struct ProxyTests {
  private static let secret = "s3cret"

  /// The variables that libcurl reads, all of them set or unset explicitly.
  private func environment(_ variables: [String: String]) -> [String: String] {
    let empty = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
    return Dictionary(uniqueKeysWithValues: empty.map { ($0, "") }).merging(variables) { $1 }
  }

  @Test("http_proxy gets requests in absolute form, and resolves the host itself")
  func plain() throws {
    let scene = try Scene()
    let proxy = try ScriptedProxy.start()
    let resource = scene.serve("/a.mp3", length: 300_000)
    let engine = try scene.start(environment: environment(["http_proxy": "http://127.0.0.1:\(proxy.port)"]))
    let url = "http://podflux-test.invalid:\(scene.origin.port)/a.mp3"
    try engine.order("downloads/enqueue", ["url": url, "id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    #expect(proxy.requests.map(\.method) == ["GET"])
    #expect(proxy.requests.map(\.target) == [url])
  }

  @Test("https_proxy gets a CONNECT request, and sees no content")
  func tunnel() throws {
    let scene = try Scene(tls: .fixture)
    let proxy = try ScriptedProxy.start()
    let resource = scene.serve("/a.mp3", length: 300_000)
    let engine = try scene.start(
      ["--ca-file", TLSMaterial.fixture.authorityPath],
      environment: environment(["https_proxy": "http://127.0.0.1:\(proxy.port)"]))
    try engine.order(
      "downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "headers": ["X-Key": Self.secret]])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    #expect(proxy.requests.map(\.method) == ["CONNECT"])
    #expect(proxy.requests.map(\.target) == ["127.0.0.1:\(scene.origin.port)"])
    #expect(proxy.requests.allSatisfy { $0.fields.allSatisfy { !$0.contains(Self.secret) } })
    #expect(scene.origin.requests.first?.headers["X-Key"] == Self.secret)
  }

  @Test("Hosts in no_proxy are contacted directly")
  func exception() throws {
    let scene = try Scene()
    let proxy = try ScriptedProxy.start()
    scene.serve("/a.mp3", length: 1000)
    let engine = try scene.start(
      environment: environment([
        "http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": "example.org,127.0.0.1",
      ]))
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a", toBe: "completed")
    #expect(proxy.requests.isEmpty)
  }

  @Test("A proxy's password goes to the proxy and nowhere else", arguments: [true, false])
  func password(isSecure: Bool) throws {
    let scene = try Scene(tls: isSecure ? .fixture : nil)
    let proxy = try ScriptedProxy.start(credentials: "me:\(Self.secret)")
    scene.serve("/a.mp3", length: 1000)
    let address = "http://me:\(Self.secret)@127.0.0.1:\(proxy.port)"
    let engine = try scene.start(
      ["--log-level", "trace", "--ca-file", TLSMaterial.fixture.authorityPath],
      environment: environment(["http_proxy": address, "https_proxy": address]))
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(proxy.requests.count == 1)
    let seen = try #require(scene.origin.requests.first)
    #expect(seen.headers["Proxy-Authorization"] == nil && seen.headers["Authorization"] == nil)
    #expect(!"\(item.json)".contains(Self.secret) && !scene.log.contains(Self.secret))
  }

  @Test("A proxy that refuses the password, or the tunnel, is distinguished from the origin")
  func refused() throws {
    let scene = try Scene(tls: .fixture)
    let proxy = try ScriptedProxy.start(credentials: "me:other")
    let address = "http://me:\(Self.secret)@127.0.0.1:\(proxy.port)"
    let engine = try scene.startEager(
      ["--log-level", "trace"], settings: ["maxAttempts": 1],
      environment: environment(["http_proxy": address, "https_proxy": address]))
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "tunnel"])
    try engine.order("downloads/enqueue", ["url": "http://podflux-test.invalid/a.mp3", "id": "plain"])
    let tunnel = try engine.wait(for: "tunnel", toBe: "failed")
    #expect(tunnel.errorCause == "connect_failed")
    let plain = try engine.wait(for: "plain", toBe: "failed")
    #expect(plain.errorCode == "http_status" && plain.errorStatus == 407)
    #expect(!"\(tunnel.json)\(plain.json)".contains(Self.secret) && !scene.log.contains(Self.secret))
    #expect(scene.origin.requests.isEmpty)
  }

  @Test(
    "A proxy that cannot be used is not quoted with its password",
    arguments: [
      "http://me:s3cret@127.0.0.1:notaport", "me:s3cret@127.0.0.1:notaport", "ftp://me:s3cret@127.0.0.1:1",
      "http://me:a/s3cret@127.0.0.1:x", "http://me:a s3cret@127.0.0.1:1", "http://me:s3cret@podflux-test.invalid:1",
      "http://me:s3cret@127.0.0.1:1", "me:s3cret@127.0.0.1:1",
    ])
  func unusable(address: String) throws {
    let scene = try Scene()
    let engine = try scene.startEager(
      ["--log-level", "trace"], settings: ["maxAttempts": 1], environment: environment(["http_proxy": address]))
    try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/a.mp3", "id": "a"])
    let item = try engine.wait(for: "a", toBe: "failed")
    #expect(["connect_failed", "unknown_host"].contains(item.errorCause), "\(item.json)")
    #expect(!"\(item.json)".contains(Self.secret) && !scene.log.contains(Self.secret))
  }
}
