import EngineRuntime
import PodfluxCore
import Testing
import TestScheduling

@testable import Transfers

@Suite("The curl driver fetches", .systemTest)
struct CurlDriverTests {
  @Test("a 200 with its head once, its body and its length")
  func plain() async throws {
    let origin = try RawOrigin.answering { _ in response("200 OK", ["ETag: \"a\""], body: "hello") }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest(origin.url()), delegate: recorder)

    let summary = try await recorder.outcome().get()
    #expect(summary == ExchangeSummary(bytesReceived: 5, contentLength: 5, isDelimited: true))
    #expect(recorder.now.heads.map(\.status) == [200])
    #expect(recorder.now.heads.first?.entityTag?.opaqueTag == "a")
    #expect(recorder.now.heads.first?.effectiveURL == origin.url())
    #expect(recorder.now.body == Array("hello".utf8))
  }

  @Test("a range, and sends what resuming needs")
  func range() async throws {
    let origin = try RawOrigin.answering { head in
      let isAsked = ["Range: bytes=3-", "If-Range: \"a\"", "Accept-Encoding: identity", "User-Agent: podflux-tests"]
        .allSatisfy { head.contains("\r\n\($0)\r\n") }
      return isAsked ? response("206 Partial Content", ["Content-Range: bytes 3-4/5"], body: "lo") : nil
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    var request = HTTPRequest(origin.url())
    request.rangeStart = 3
    request.ifRange = "\"a\""
    let recorder = Recorder()
    _ = driver.start(request, delegate: recorder)

    #expect(try await recorder.outcome().get().bytesReceived == 2)
    let range = recorder.now.heads.first?.contentRange.flatMap(ContentRange.init)
    #expect(range == .bytes(first: 3, last: 4, total: 5))
  }

  @Test("a final head only, after interim ones")
  func interim() async throws {
    let origin = try RawOrigin.answering { _ in
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + response("204 No Content")
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest(origin.url()), delegate: recorder)

    #expect(try await recorder.outcome().get().bytesReceived == 0)
    #expect(recorder.now.heads.map(\.status) == [204])
    #expect(recorder.now.heads.first?["Link"] == nil)
  }

  @Test("chunks, and says that their end was marked")
  func chunks() async throws {
    let origin = try RawOrigin.answering { _ in
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n"
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest(origin.url()), delegate: recorder)

    let summary = try await recorder.outcome().get()
    #expect(summary == ExchangeSummary(bytesReceived: 5, contentLength: nil, isDelimited: true))
    #expect(recorder.now.heads.count == 1)
  }

  @Test("a body that ends with the connection, and says that nothing marked the end")
  func untilClose() async throws {
    let origin = try RawOrigin { connection in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n\r\nabc")
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest(origin.url()), delegate: recorder)

    let summary = try await recorder.outcome().get()
    #expect(summary == ExchangeSummary(bytesReceived: 3, contentLength: nil, isDelimited: false))
  }

  @Test("user info as basic authentication, and keeps it out of the head")
  func credentials() async throws {
    let origin = try RawOrigin.answering { head in
      response(head.contains("Authorization: Basic dTpwQA==\r\n") ? "200 OK" : "401 Unauthorized")
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest("http://u:p%40@127.0.0.1:\(origin.port)/"), delegate: recorder)

    _ = try await recorder.outcome().get()
    #expect(recorder.now.heads.first?.status == 200)
    #expect(recorder.now.heads.first?.effectiveURL == origin.url())
  }

  @Test("every byte once and in order, however often it is paused")
  func pauses() async throws {
    let body = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let origin = try RawOrigin { connection in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
      connection.send(body)
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    // Resuming delivers held bytes from within, so the next pause often comes inside the call that ends this one.
    let recorder = Recorder(resumesAtOnce: true) { record in
      record.pauses < record.body.count / 30_000 ? .pause : .more
    }
    _ = driver.start(HTTPRequest(origin.url()), delegate: recorder)

    #expect(try await recorder.outcome().get().bytesReceived == Int64(body.count))
    #expect(recorder.now.body == body)
    #expect(recorder.now.pauses > 100)
  }

  @Test("a hundred at once")
  func parallel() async throws {
    let origin = try RawOrigin.answering { head in
      response("200 OK", body: String(repeating: String(head.prefix { !$0.isNewline }), count: 1000))
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorders = (0..<100).map { _ in Recorder() }
    for (index, recorder) in recorders.enumerated() {
      _ = driver.start(HTTPRequest(origin.url("/\(index)")), delegate: recorder)
    }
    for (index, recorder) in recorders.enumerated() {
      _ = try await recorder.outcome().get()
      #expect(recorder.now.body == Array(String(repeating: "GET /\(index) HTTP/1.1", count: 1000).utf8))
      #expect(recorder.now.results.count == 1)
    }
  }
}
