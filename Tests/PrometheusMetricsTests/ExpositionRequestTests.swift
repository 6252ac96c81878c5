import Testing

@testable import PrometheusMetrics

@Suite("Requests for the exposition")
struct ExpositionRequestTests {
  private func read(_ text: String) -> ExpositionRequest.Reading {
    ExpositionRequest.read(Array(text.utf8))
  }

  @Test("A head is read when its empty line has come, with either kind of line ends, and without the query")
  func heads() {
    let request = ExpositionRequest.Request(method: "GET", path: "/metrics")
    #expect(read("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n") == .complete(request))
    #expect(read("GET /metrics?name[]=a HTTP/1.0\n\nbody") == .complete(request))
    #expect(read("") == .unfinished)
    #expect(read("GET /metrics HTTP/1.1\r\nHost: a\r\n") == .unfinished)
  }

  @Test(
    "What is no request is malformed",
    arguments: [
      "\r\n\r\n", "GET\r\n\r\n", "GET /metrics\r\n\r\n", "GET metrics HTTP/1.1\r\n\r\n", "GET /metrics HTTP/2\r\n\r\n",
      "G T /metrics HTTP/1.1\r\n\r\n", " /metrics HTTP/1.1\n\n", "GET http://a/metrics HTTP/1.1\n\n",
      "\u{16}\u{3}\u{1}\n\n",
    ])
  func malformed(text: String) {
    #expect(read(text) == .malformed)
  }

  @Test("A head of more than 8 KiB is refused, whether it has an end or not")
  func tooLong() {
    let line = "GET /metrics HTTP/1.1\r\nX: "
    let filler = String(repeating: "x", count: ExpositionRequest.maximumHeadBytes)
    #expect(read(line + filler) == .tooLong)
    #expect(read(line + filler + "\r\n\r\n") == .tooLong)
    #expect(read(line + filler.dropLast(line.utf8.count + 4) + "\r\n\r\n") != .tooLong)
    #expect(read(String(filler.dropLast())) == .unfinished)
  }

  @Test(
    "Each answer has the right status; the exposition is made only if it is asked for",
    arguments: [
      ("GET /metrics HTTP/1.1\n\n", "200 OK", true), ("HEAD /metrics HTTP/1.1\n\n", "200 OK", true),
      ("GET / HTTP/1.1\n\n", "404 Not Found", false), ("POST /metrics HTTP/1.1\n\n", "405 Method Not Allowed", false),
      ("nonsense\n\n", "400 Bad Request", false),
    ])
  func answers(head: String, status: String, asks: Bool) throws {
    var isAsked = false
    let response = try #require(
      ExpositionResponse.to(read(head)) {
        isAsked = true
        return Array("a 1\n".utf8)
      })
    let text = String(decoding: response, as: UTF8.self)
    #expect(isAsked == asks)
    #expect(text.hasPrefix("HTTP/1.1 \(status)\r\nContent-Type: text/plain; "))
    #expect(text.contains("\r\nConnection: close\r\n\r\n"))
    if asks {
      #expect(text.contains("version=0.0.4; charset=utf-8\r\nContent-Length: 4\r\n"))
      #expect(text.hasSuffix(head.hasPrefix("GET") ? "\r\n\r\na 1\n" : "\r\n\r\n"))
    }
  }

  @Test("An engine that does not answer in time makes a 503, and an unfinished head nothing")
  func noAnswer() throws {
    let response = try #require(ExpositionResponse.to(read("GET /metrics HTTP/1.1\n\n")) { nil })
    #expect(String(decoding: response, as: UTF8.self).hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
    #expect(ExpositionResponse.to(.unfinished) { nil } == nil)
    let tooLong = try #require(ExpositionResponse.to(.tooLong) { nil })
    #expect(String(decoding: tooLong, as: UTF8.self).hasPrefix("HTTP/1.1 431 "))
  }
}
