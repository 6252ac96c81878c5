import EngineRuntime
import PodfluxCore
import ScriptedOrigin
import Synchronization
import Testing
import TestScheduling
import TestSupport

@testable import Transfers

@Suite("A connection that was kept for the next exchange", .systemTest)
struct CurlReuseTests {
  private static let hello = Behaviour.status(200, body: .text("hello"))

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("podflux-reuse")
  }

  @Test("is used again", arguments: [true, false])
  func reused(isSecure: Bool) async throws {
    try await withDriver(isSecure: isSecure, script: [Self.hello]) { driver, origin async throws in
      for _ in 0..<3 { _ = try await driver.fetch(HTTPRequest(origin.url("/"))).get() }
      #expect(origin.snapshot.acceptedConnections == 1)
    }
  }

  @Test(
    "and dies when the next request comes costs nothing but another connection",
    arguments: [Fault.Kind.cut, .reset, .stall], [true, false])
  func dead(kind: Fault.Kind, isSecure: Bool) async throws {
    let script = [Self.hello, Self.hello.failingBeforeHead(kind), Self.hello]
    try await withDriver(isSecure: isSecure, script: script) { driver, origin async throws in
      _ = try await driver.fetch(HTTPRequest(origin.url("/"))).get()
      let recorder = Recorder()
      let request = HTTPRequest(origin.url("/"), firstByteTimeoutMilliseconds: 500)
      #expect(try await driver.fetch(request, recorder).get().bytesReceived == 5)
      #expect(recorder.now.heads.count == 1)
      #expect(origin.requests.map(\.connection) == [0, 0, 1])
    }
  }

  @Test("and was closed while no transfer used it costs nothing either", arguments: [Fault.Kind.cut, .reset])
  func closedIdle(kind: Fault.Kind) async throws {
    try await withDriver(isSecure: true, script: [Self.hello]) { driver, origin async throws in
      _ = try await driver.fetch(HTTPRequest(origin.url("/"))).get()
      origin.dropConnections(kind)
      try origin.wait(upTo: .seconds(5)) { $0.activeConnections == 0 }
      #expect(try await driver.fetch(HTTPRequest(origin.url("/"))).get().bytesReceived == 5)
    }
  }

  @Test("excuses one failure only: the fresh connection's is the exchange's own", arguments: [true, false])
  func deadTwice(isSecure: Bool) async throws {
    let broken = Self.hello.failingBeforeHead(.cut)
    try await withDriver(isSecure: isSecure, script: [Self.hello, broken, broken, Self.hello]) {
      driver, origin async throws in
      _ = try await driver.fetch(HTTPRequest(origin.url("/"))).get()
      #expect(try await driver.fetch(HTTPRequest(origin.url("/"))).reason == .connectionLost)
      #expect(origin.requests.map(\.connection) == [0, 0, 1])
    }
  }

  @Test("is not what failed where there was none", arguments: [true, false])
  func fresh(isSecure: Bool) async throws {
    let script = [Self.hello.failingBeforeHead(.cut), Self.hello]
    try await withDriver(isSecure: isSecure, script: script) { driver, origin async throws in
      #expect(try await driver.fetch(HTTPRequest(origin.url("/"))).reason == .connectionLost)
      #expect(origin.requests.count == 1)
    }
  }

  @Test("and fails once the head has begun is a failure like any other")
  func afterTheHead() async throws {
    let origin = try RawOrigin { connection in
      for _ in 0..<2 where connection.readHead() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Le")
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    for _ in 0..<2 { _ = try await driver.fetch(HTTPRequest(origin.url())).get() }
    #expect(try await driver.fetch(HTTPRequest(origin.url())).reason == .connectionLost)
  }

  @Test(
    "and has bytes that nothing asked for is not used: they would be the next answer",
    arguments: [response("200 OK", body: "wrong"), "the rest of a body that was longer than its length"])
  func leftovers(bytes: String) async throws {
    let first = FirstConnection()
    let origin = try RawOrigin { connection in
      while let head = connection.readHead() {
        if head.hasPrefix("GET /leave ") {
          if let descriptor = first.descriptor.withLock({ $0 }) { RawConnection(descriptor: descriptor).send(bytes) }
        } else {
          first.descriptor.withLock { $0 = $0 ?? connection.descriptor }
        }
        connection.send(response("200 OK", body: "an answer"))
      }
    }
    let (driver, other) = (try CurlDriver(), try CurlDriver())
    defer {
      driver.shutDown()
      other.shutDown()
    }
    _ = try await driver.fetch(HTTPRequest(origin.url())).get()
    _ = try await other.fetch(HTTPRequest(origin.url("/leave"))).get()
    for _ in 0..<2 {
      #expect(try await driver.fetch(HTTPRequest(origin.url())).get().bytesReceived == "an answer".utf8.count)
    }
  }

  @Test("may die on each hop of a redirect")
  func redirected() async throws {
    let broken = Self.hello.failingBeforeHead(.stall)
    try await withDriver(isSecure: false, script: [Self.hello, broken, .redirect(to: "/next")]) {
      driver, origin async throws in
      origin.serve("/next", script: [broken, Self.hello])
      _ = try await driver.fetch(HTTPRequest(origin.url("/"))).get()
      let recorder = Recorder()
      let request = HTTPRequest(origin.url("/"), firstByteTimeoutMilliseconds: 500)
      #expect(try await driver.fetch(request, recorder).get().bytesReceived == 5)
      #expect(origin.requests.map(\.connection) == [0, 0, 1, 1, 2])
      #expect(recorder.now.heads.first?.redirects == 1)
    }
  }

  private func withDriver(
    isSecure: Bool, script: [Behaviour], _ body: (CurlDriver, ScriptedOrigin) async throws -> Void
  ) async throws {
    let origin = try ScriptedOrigin.start(tls: isSecure ? .fixture : nil)
    defer { #expect(throws: Never.self) { try origin.stop() } }
    origin.serve("/", script: script)
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    try await body(driver, origin)
  }
}

/// The connection over which the first request came.
private final class FirstConnection: Sendable {
  let descriptor = Mutex<Int32?>(nil)
}
