import ScriptedOrigin
import Testing
import TestScheduling

@Suite("A connection", .systemTest)
struct ConnectionTests {
  @Test("serves one request after the other")
  func keepAlive() throws {
    try withOrigin { origin in
      origin.serve("/a", .status(200, body: .text("first")))
      origin.serve("/b", .resource(Resource(.text("second"))).framed(.chunked))
      let client = try RawClient(port: origin.port)
      for (path, length) in [("/a", 5), ("/b", 16), ("/a", 5)] {
        client.sendRequest(path)
        #expect(try client.readHead().status == 200)
        _ = try client.readBody(length)
      }
      let seen = try origin.wait(upTo: .seconds(5)) { $0.activeRequests == 0 }
      #expect(seen.requests.map(\.connection) == [0, 0, 0])
      #expect(seen.acceptedConnections == 1)
    }
  }

  @Test("answers pipelined requests in their order")
  func pipelining() throws {
    try withOrigin { origin in
      origin.serve("/slow", Behaviour.status(200, body: .text("slow")).delayed(byMilliseconds: 30))
      origin.serve("/big", Resource(.stamped(length: 3_000_000, seed: 1)))
      origin.serve("/fast", .status(200, body: .text("fast")))
      let client = try RawClient(port: origin.port)
      client.send(["/slow", "/big", "/fast"].map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
      _ = try client.readHead()
      #expect(try client.readBody(4) == Array("slow".utf8))
      _ = try client.readHead()
      #expect(try client.readBody(3_000_000) == Body.stamped(length: 3_000_000, seed: 1).allBytes)
      _ = try client.readHead()
      #expect(try client.readBody(4) == Array("fast".utf8))
    }
  }

  @Test("with too many pipelined requests is closed")
  func tooManyAhead() throws {
    try withOrigin { origin in
      origin.serve("/", Behaviour.status(200).failingBeforeHead(.stall))
      let client = try RawClient(port: origin.port)
      client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 100))
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test("with a head beyond the limit, or none at all, is refused", arguments: [("X", 431), ("", 400)])
  func badHeads(name: String, status: Int) throws {
    try withOrigin { origin in
      let client = try RawClient(port: origin.port)
      let field = name.isEmpty ? "no head\r\n\r\n" : "\(name): \(String(repeating: "x", count: 70_000))\r\n\r\n"
      client.send((name.isEmpty ? "" : "GET / HTTP/1.1\r\n") + field)
      #expect(try client.readHead().status == status)
      #expect(origin.requests.isEmpty)
    }
  }

  @Test("that closes says so, also to an HTTP/1.0 client")
  func closing() throws {
    try withOrigin { origin in
      origin.serve("/", .status(200))
      let client = try RawClient(port: origin.port)
      client.send("GET / HTTP/1.0\r\n\r\n")
      #expect(try client.readHead().headers["connection"] == "close")
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test("is one of 300 that are served at once")
  func manyAtOnce() throws {
    try withOrigin { origin in
      let body = Body.stamped(length: 100_000, seed: 2)
      origin.serve("/", .resource(Resource(body)).stalling(afterBytes: 90_000))
      let clients = try (0..<300).map { _ in try RawClient(port: origin.port) }
      for client in clients {
        client.sendRequest("/")
      }
      let seen = try origin.wait(upTo: .seconds(10)) { $0.totalBodyBytesSent == 300 * 90_000 }
      #expect(seen.activeConnections == 300)
      #expect(seen.peakConcurrentRequests == 300)
      let expected = body[0..<90_000].allBytes
      for client in clients {
        _ = try client.readHead()
        #expect(try client.readBody(90_000) == expected)
      }
    }
  }

  @Test("that the client does not read stops the origin")
  func backpressure() throws {
    try withOrigin { origin in
      origin.serve("/big", Resource(.stamped(length: 1 << 30, seed: 1)))
      origin.serve("/small", .status(200))
      let client = try RawClient(port: origin.port)
      client.sendRequest("/big")
      _ = try client.readHead()
      #expect(try Exchange(origin, "/small").status == 200)
      #expect(origin.bytesSent(path: "/big") < 64 << 20)
    }
  }
}
