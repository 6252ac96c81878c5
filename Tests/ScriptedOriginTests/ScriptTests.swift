import ScriptedOrigin
import Testing
import TestScheduling

@Suite("A script", .systemTest)
struct ScriptTests {
  @Test("advances by one with each request, and its last behaviour repeats")
  func successiveRequests() throws {
    try withOrigin { origin in
      origin.serve("/", script: [.status(503), .redirect(301, to: "/elsewhere"), .status(200, body: .text("here"))])
      let statuses = try (0..<4).map { _ in try Exchange(origin, "/").status }
      #expect(statuses == [503, 301, 200, 200])
    }
  }

  @Test("may be replaced at any time, and removed")
  func replacing() throws {
    try withOrigin { origin throws in
      origin.serve("/", Resource(.text("old")))
      #expect(try Exchange(origin, "/").text == "old")
      origin.serve("/", Resource(.text("new")))
      #expect(try Exchange(origin, "/").text == "new")
      origin.stopServing("/")
      #expect(try Exchange(origin, "/").status == 404)
    }
  }

  @Test("may be a closure, which sees the request and may use the origin")
  func closures() throws {
    try withOrigin { origin throws in
      origin.serve("/feed") { request in
        .status(200, body: .text("\(request.sequence) \(request.headers["user-agent"] ?? "") \(request.target)"))
      }
      origin.serveOtherPaths { [weak origin] request in
        .status(200, body: .text("\(origin?.requests.count ?? -1) \(request.path)"))
      }
      #expect(try Exchange(origin, "/feed?page=2", headers: ["User-Agent": "tester"]).text == "0 tester /feed?page=2")
      #expect(try Exchange(origin, "/other").text == "2 /other")
    }
  }

  @Test("of a path with a query precedes that of the path alone")
  func queries() throws {
    try withOrigin { origin throws in
      origin.serve("/a?token=1", .status(200))
      origin.serve("/a", .status(403))
      #expect(try Exchange(origin, "/a?token=1").status == 200)
      #expect(try Exchange(origin, "/a?token=2").status == 403)
    }
  }

  @Test("may redirect repeatedly", arguments: [301, 302, 303, 307, 308])
  func redirects(status: Int) throws {
    try withOrigin { origin in
      origin.serve("/a", .redirect(status, to: origin.url("/b")))
      let answer = try Exchange(origin, "/a")
      #expect(answer.status == status)
      #expect(answer.headers["location"] == "\(origin.baseURL)/b")
    }
  }

  @Test("may send content in chunks, without a length")
  func chunked() throws {
    try withOrigin { origin in
      origin.serve("/", .resource(Resource(.text("0123456789abcdef"))).framed(.chunked))
      let answer = try Exchange(origin, "/")
      #expect(answer.headers["content-length"] == nil)
      #expect(answer.headers["transfer-encoding"] == "chunked")
      #expect(answer.text == "10\r\n0123456789abcdef\r\n0\r\n\r\n")
    }
  }

  @Test("that cuts chunked content sends no last chunk")
  func cutChunks() throws {
    try withOrigin { origin throws in
      origin.serve("/", .resource(Resource(.text("0123456789"))).framed(.chunked).cutting(afterBytes: 4))
      #expect(try Exchange(origin, "/").text == "4\r\n0123\r\n")
    }
  }

  @Test("may end content by closing the connection")
  func closing() throws {
    try withOrigin { origin in
      origin.serve("/", .resource(Resource(.text("until the end"))).framed(.closing))
      let answer = try Exchange(origin, "/", headers: ["Connection": "keep-alive"])
      #expect(answer.headers["content-length"] == nil)
      #expect(answer.headers["transfer-encoding"] == nil)
      #expect(answer.text == "until the end")
    }
  }

  @Test("answers only GET and HEAD")
  func methods() throws {
    try withOrigin { origin throws in
      origin.serve("/", .status(200))
      #expect(try Exchange(origin, "/", method: "DELETE").status == 405)
    }
  }
}
