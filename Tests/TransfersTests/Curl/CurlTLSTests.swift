import EngineRuntime
import Foundation
import PodfluxCore
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@testable import Transfers

@Suite("The curl driver over TLS", .systemTest)
struct CurlTLSTests {
  private let origin: ScriptedOrigin
  private let folder: TemporaryFolder

  init() throws {
    origin = try ScriptedOrigin.start(tls: .fixture)
    folder = try TemporaryFolder("podflux-tls")
    origin.serve("/", .status(200, body: .text("hello")))
  }

  @Test("trusts an authority that was added")
  func added() async throws {
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    #expect(try await driver.fetch(HTTPRequest(origin.url("/"))).get().bytesReceived == 5)
  }

  /// With authorities of its own, an engine had those of the system that there were at its start for as long as it ran.
  @Test("trusts those whom the system has come to trust, once it is told to look, also where others were added")
  func renewed() async throws {
    let system = folder.path + "/system.pem"
    let known = try #require(TrustStore.builtInBundlePath)
    try FileManager.default.copyItem(atPath: known, toPath: system)
    var configuration = CurlDriver.Configuration(
      addedAuthorities: try CertificateAuthorities(contentsOfFile: known), bundlePath: folder.path + "/bundle.pem")
    configuration.systemBundlePath = system
    let driver = try CurlDriver(configuration: configuration)
    defer { driver.shutDown() }
    #expect(try await driver.fetch(HTTPRequest(origin.url("/"))).reason == .tlsCertificate)
    let before = try String(contentsOfFile: system, encoding: .utf8)
    for isNews in [true, false, true] {
      let added = isNews ? try String(contentsOfFile: TLSMaterial.fixture.authorityPath, encoding: .utf8) : ""
      try (before + added).write(toFile: system, atomically: true, encoding: .utf8)
      try driver.renewAuthorities()
      // Nothing has changed since.
      try driver.renewAuthorities()
      guard isNews else { continue }
      #expect(try await driver.fetch(HTTPRequest(origin.url("/"))).get().bytesReceived == 5)
    }
  }

  @Test("trusts no other authority")
  func unknownAuthority() async throws {
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let outcome = try await driver.fetch(HTTPRequest(origin.url("/")))
    #expect(outcome.reason == .tlsCertificate)
    #expect(outcome.downloadErrorCode == .tlsCertificate)
    #expect(origin.requests.isEmpty)
  }

  @Test("does not take a certificate of another name")
  func otherName() async throws {
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    let outcome = try await driver.fetch(HTTPRequest("https://other.localhost:\(origin.port)/"))
    #expect(outcome.reason == .tlsCertificate)
    #expect(origin.requests.isEmpty)
  }

  @Test("could not connect where TLS does not begin", arguments: ["", "HTTP/1.1 400 Bad Request\r\n\r\n"])
  func noTLS(answer: String) async throws {
    let origin = try RawOrigin { connection in
      connection.readSome()
      connection.send(answer)
    }
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    let outcome = try await driver.fetch(HTTPRequest("https://127.0.0.1:\(origin.port)/"))
    #expect(outcome.downloadErrorCode == .connectFailed)
  }

  @Test("has no more time for the handshake than for all of connecting")
  func silentHandshake() async throws {
    let origin = try RawOrigin { $0.waitForClose() }
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    var request = HTTPRequest("https://127.0.0.1:\(origin.port)/")
    request.connectTimeoutMilliseconds = 500
    #expect(try await driver.fetch(request).reason == .timeout)
  }

  @Test("takes a body that ends with the connection if the end was signed, and no other")
  func untilClose() async throws {
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    let body = Body.stamped(length: 300_000, seed: 4)
    let whole = Behaviour.status(200, body: body).framed(.closing)
    origin.serve("/signed", whole)
    origin.serve("/cut", whole.cutting(afterBytes: body.length))
    let (signed, cut) = (Recorder(), Recorder())
    let summary = try await driver.fetch(HTTPRequest(origin.url("/signed")), signed).get()
    #expect(summary == ExchangeSummary(bytesReceived: 300_000, contentLength: nil, isDelimited: false))
    let outcome = try await driver.fetch(HTTPRequest(origin.url("/cut")), cut)
    #expect(outcome.downloadErrorCode == .connectionLost)
    #expect(signed.now.body == body.allBytes)
    #expect(cut.now.body == body.allBytes)
  }

  @Test("takes a body with a length that was complete before the connection was cut")
  func cutBehindTheEnd() async throws {
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    origin.serve("/", Behaviour.status(200, body: .text("hello")).cutting(afterBytes: 5))
    #expect(try await driver.fetch(HTTPRequest(origin.url("/"))).get().isDelimited)
  }

  @Test("is led to plain HTTP only where that is allowed, without what the client gave along")
  func insecureRedirect() async throws {
    let plain = try ScriptedOrigin.start()
    defer { #expect(throws: Never.self) { try plain.stop() } }
    plain.serve("/", .status(200, body: .text("hello")))
    origin.serve("/", .redirect(302, to: plain.url("/")))
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    var request = HTTPRequest("https://me:pw@127.0.0.1:\(origin.port)/")
    request.headers = [(name: "X-Key", value: "1")]
    #expect(try await driver.fetch(request).reason == .unsafeRedirect)
    #expect(plain.requests.isEmpty)

    request.allowsInsecureRedirects = true
    #expect(try await driver.fetch(request).get().bytesReceived == 5)
    #expect(origin.requests.allSatisfy { $0.headers["X-Key"] == "1" && $0.headers["Authorization"] != nil })
    let seen = try #require(plain.requests.first)
    #expect(seen.headers["X-Key"] == nil && seen.headers["Authorization"] == nil)
  }

  @Test("is led from plain HTTP to TLS without what the client gave along")
  func secureRedirect() async throws {
    let plain = try ScriptedOrigin.start()
    defer { #expect(throws: Never.self) { try plain.stop() } }
    plain.serve("/", .redirect(301, to: origin.url("/")))
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    var request = HTTPRequest(plain.url("/"))
    request.headers = [(name: "X-Key", value: "1")]
    #expect(try await driver.fetch(request).get().bytesReceived == 5)
    #expect(plain.requests.first?.headers["X-Key"] == "1")
    #expect(origin.requests.count == 1 && origin.requests.first?.headers["X-Key"] == nil)
  }
}

extension Result where Failure == ExchangeFailure {
  /// What the client would be told.
  var downloadErrorCode: DownloadError.Code? {
    if case .failure(let failure) = self { DownloadError(failure).code } else { nil }
  }
}
