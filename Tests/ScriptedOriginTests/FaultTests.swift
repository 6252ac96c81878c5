import ScriptedOrigin
import Testing
import TestScheduling

@Suite("A fault", .systemTest)
struct FaultTests {
  private static let body = Body.stamped(length: 2_000_000, seed: 5)
  private static let episode = Behaviour.resource(Resource(body))

  @Test("cuts the connection after exactly so many bytes", arguments: [0, 1, 65_544, 1_234_567])
  func cut(byteCount: Int) throws {
    try withOrigin { origin in
      origin.serve("/", Self.episode.cutting(afterBytes: byteCount))
      let answer = try Exchange(origin, "/")
      #expect(answer.headers["content-length"] == "2000000")
      #expect(answer.body == Self.body[0..<byteCount].allBytes)
      #expect(answer.ending == .closed)
      let seen = try origin.wait(upTo: .seconds(5)) { $0.activeRequests == 0 }
      #expect(seen.requests[0].outcome == .failed(.cut))
      #expect(seen.requests[0].bytesSent == byteCount)
    }
  }

  @Test("cuts a part after so many bytes of the part")
  func cutInPart() throws {
    try withOrigin { origin in
      origin.serve("/", Self.episode.cutting(afterBytes: 1_000))
      let answer = try Exchange(origin, "/", headers: ["Range": "bytes=500000-"])
      #expect(answer.status == 206)
      #expect(answer.body == Self.body[500_000..<501_000].allBytes)
    }
  }

  @Test("resets the connection after so many bytes")
  func reset() throws {
    try withOrigin { origin in
      origin.serve("/", Self.episode.resetting(afterBytes: 10_000))
      let answer = try Exchange(origin, "/")
      #expect(answer.body.count == 10_000)
      #expect(answer.ending == .reset)
    }
  }

  @Test("stalls after so many bytes until the client leaves")
  func stall() throws {
    try withOrigin { origin in
      origin.serve("/", Self.episode.stalling(afterBytes: 70_000))
      var client: RawClient? = try RawClient(port: origin.port)
      client?.sendRequest("/")
      _ = try client?.readHead()
      #expect(try client?.readBody(70_000) == Self.body[0..<70_000].allBytes)
      var seen = try origin.wait(upTo: .seconds(5)) { $0.totalBodyBytesSent == 70_000 }
      #expect(seen.activeRequests == 1)
      #expect(seen.requests[0].outcome == .inProgress)

      client = nil
      seen = try origin.wait(upTo: .seconds(5)) { $0.activeConnections == 0 }
      #expect(seen.requests[0].outcome == .abandoned)
      #expect(seen.activeRequests == 0)
    }
  }

  @Test("may precede the head", arguments: [(Fault.Kind.cut, RawClient.Ending.closed), (.reset, .reset)])
  func beforeHead(kind: Fault.Kind, ending: RawClient.Ending) throws {
    try withOrigin { origin in
      origin.serve("/", Self.episode.failingBeforeHead(kind))
      let client = try RawClient(port: origin.port)
      client.sendRequest("/")
      #expect(try client.readToEnd().isEmpty)
      #expect(client.ending == ending)
      #expect(try origin.wait(upTo: .seconds(5)) { $0.activeRequests == 0 }.requests[0].status == nil)
    }
  }

  @Test("may be silence before the head, which ends when the origin drops its connections")
  func silence() throws {
    try withOrigin { origin in
      origin.serve("/", Self.episode.failingBeforeHead(.stall))
      let client = try RawClient(port: origin.port)
      client.sendRequest("/")
      try origin.wait(upTo: .seconds(5)) { $0.activeRequests == 1 }
      origin.dropConnections(.reset)
      #expect(try client.readToEnd().isEmpty)
      #expect(client.ending == .reset)
    }
  }

  @Test("may be a wrong length, after which the connection closes", arguments: [10, 30])
  func lyingLength(length: Int) throws {
    try withOrigin { origin in
      origin.serve("/", .status(200, body: .text("twenty bytes of text")).settingHeader("Content-Length", "\(length)"))
      let answer = try Exchange(origin, "/", headers: ["Connection": "keep-alive"])
      #expect(answer.headers["content-length"] == "\(length)")
      #expect(answer.headers["connection"] == "close")
      #expect(answer.text == "twenty bytes of text")
    }
  }

  @Test("may be a part without Content-Range, or with a wrong Content-Encoding")
  func lyingHeaders() throws {
    try withOrigin { origin in
      origin.serve(
        "/", Self.episode.removingHeader("content-range").settingHeader("Content-Encoding", "gzip"))
      let answer = try Exchange(origin, "/", headers: ["Range": "bytes=0-9"])
      #expect(answer.status == 206)
      #expect(answer.headers["content-range"] == nil)
      #expect(answer.headers["content-encoding"] == "gzip")
      #expect(answer.body.count == 10)
    }
  }
}
