import Testing
import TestScheduling

@testable import ScriptedOrigin

@Suite("An origin", .systemTestAlone)
struct OriginTests {
  @Test("stops at once, even with stalled connections, and starts again on the same port")
  func restarting() throws {
    try withOrigin { origin in
      origin.serve("/", Behaviour.status(200, body: .text("0123456789")).stalling(afterBytes: 5))
      let client = try RawClient(port: origin.port)
      client.sendRequest("/")
      _ = try client.readHead()
      try origin.stop()
      #expect(try client.readToEnd() == Array("01234".utf8))
      #expect(throws: RawClient.Failure.self) { try RawClient(port: origin.port) }
      #expect(origin.snapshot.activeConnections == 0)

      try origin.restart()
      origin.serve("/", .status(204))
      #expect(try Exchange(origin, "/").status == 204)
      #expect(origin.requests.count == 2)
    }
  }

  @Test("starts on the port of a stopped one")
  func samePort() throws {
    let first = try ScriptedOrigin.start()
    first.serve("/", .status(200, body: .text("first")))
    #expect(try Exchange(first, "/").status == 200)
    try first.stop()
    let second = try ScriptedOrigin.start(port: first.port)
    #expect(try Exchange(second, "/").status == 404)
    try second.stop()
  }

  @Test("says so when its port is taken")
  func portTaken() throws {
    try withOrigin { origin in
      #expect(throws: OriginError.self) { try ScriptedOrigin.start(port: origin.port) }
    }
  }

  @Test("logs requests and sent bytes")
  func log() throws {
    try withOrigin { origin in
      origin.serve("/a", Resource(.text("0123456789")))
      _ = try Exchange(origin, "/a?x=1", headers: ["RANGE": "bytes=4-", "X-Token": "t"])
      _ = try Exchange(origin, "/a", method: "HEAD")
      _ = try Exchange(origin, "/missing")
      let seen = try origin.wait(upTo: .seconds(5)) { $0.activeRequests == 0 }
      #expect(seen.requests.map(\.sequence) == [0, 1, 2])
      #expect(seen.requests.map(\.path) == ["/a", "/a", "/missing"])
      #expect(seen.requests.map(\.method) == ["GET", "HEAD", "GET"])
      #expect(seen.requests.map(\.status) == [206, 200, 404])
      #expect(seen.requests.map(\.outcome) == [.answered, .answered, .answered])
      #expect(seen.requests[0].target == "/a?x=1")
      #expect(seen.requests[0].rangeHeader == "bytes=4-")
      #expect(seen.requests[0].headers["x-token"] == "t")
      #expect(seen.bytesSent(path: "/a") == 6)
      #expect(seen.requests(path: "/a").count == 2)
      #expect(seen.acceptedConnections == 3)
    }
  }

  @Test("clears its log on request, and keeps counting requests")
  func reset() throws {
    try withOrigin { origin in
      _ = try Exchange(origin, "/a")
      try origin.wait(upTo: .seconds(5)) { $0.activeRequests == 0 }
      origin.resetLog()
      #expect(origin.requests.isEmpty)
      #expect(origin.totalBodyBytesSent == 0)
      _ = try Exchange(origin, "/b")
      #expect(origin.requests.map(\.sequence) == [1])
    }
  }

  @Test("ends a wait in time with the last snapshot")
  func waiting() throws {
    try withOrigin { origin in
      #expect(throws: OriginError.self) {
        try origin.wait(upTo: .milliseconds(20)) { !$0.requests.isEmpty }
      }
    }
  }

  @Test("drops the older half of a log that is too long, and keeps updating the rest")
  func bound() {
    let log = RequestLog()
    for _ in 0...RequestLog.capacity {
      _ = log.requestReceived(connection: 0, method: "GET", target: "/", headers: [:])
    }
    log.bodySent(0, byteCount: 5)
    log.bodySent(RequestLog.capacity, byteCount: 7)
    #expect(log.snapshot.requests.count == RequestLog.capacity / 2 + 1)
    #expect(log.snapshot.requests.last?.bytesSent == 7)
    #expect(log.snapshot.totalBodyBytesSent == 7)
  }
}
