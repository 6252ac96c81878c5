import PodfluxCore
import Testing

@Suite("Header lines")
struct ResponseHeadParserTests {
  private func head(_ lines: [String]) throws -> ResponseHead? {
    var parser = ResponseHeadParser(effectiveURL: "http://host/", redirects: 1)
    var head: ResponseHead?
    for line in lines {
      if case .complete(let complete) = try parser.consume(line: Array((line + "\r\n").utf8)) {
        #expect(head == nil)
        head = complete
      }
    }
    return head
  }

  @Test("become a head: names without case, blanks trimmed, folded lines joined, interim ones and trailers dropped")
  func complete() throws {
    let head = try #require(
      try head([
        "HTTP/1.1 103 Early Hints", "Link: early", "", "HTTP/1.1 206 Partial Content", "content-type: \t audio/mpeg ",
        "ETag:\"x\"", "X-Folded: a", "  b", "Content-Length: 5, 5", "Content-Length: 5", "", "Trailer: no",
      ]))
    #expect(head.status == 206 && head.httpVersion == .http1_1 && head.redirects == 1)
    #expect(head.contentType == "audio/mpeg")
    #expect(head.entityTag?.fieldValue == "\"x\"")
    #expect(head["x-FOLDED"] == "a b")
    #expect(head.contentLength == 5)
    #expect(head["Link"] == nil && head["Trailer"] == nil)
  }

  @Test(
    "contain the HTTP version",
    arguments: [
      ("HTTP/1.0 200", HTTPVersion.http1_0), ("HTTP/1.1 200", .http1_1), ("HTTP/2 200 ", .http2),
      ("HTTP/3 200", .http3),
    ])
  func versions(line: String, version: HTTPVersion) throws {
    #expect(try head([line, ""])?.httpVersion == version)
  }

  @Test("declare no length if a transfer coding overrides it")
  func transferEncoding() throws {
    let head = try head(["HTTP/1.1 200 OK", "Content-Length: 5", "Transfer-Encoding: chunked", ""])
    #expect(head?.contentLength == nil)
    #expect(head?.hasTransferEncoding == true)
  }

  @Test("that are not UTF-8 are Latin-1")
  func latin1() throws {
    var parser = ResponseHeadParser(effectiveURL: "", redirects: 0)
    _ = try parser.consume(line: Array("HTTP/1.1 200 OK".utf8))
    _ = try parser.consume(line: Array("X-Name: caf".utf8) + [0xE9])
    guard case .complete(let head) = try parser.consume(line: []) else { throw ResponseHeadError.malformedField }
    #expect(head["X-Name"] == "café")
  }

  @Test(
    "that form no head are refused",
    arguments: [
      (["hello"], ResponseHeadError.malformedStatusLine), ([""], .malformedStatusLine),
      (["HTTP/1.1 99 x"], .malformedStatusLine), (["HTTP/1.1 0200 x"], .malformedStatusLine),
      (["ICY 200 OK"], .malformedStatusLine), (["HTTP/1.1 200", "no colon"], .malformedField),
      (["HTTP/1.1 200", ": x"], .malformedField), (["HTTP/1.1 200", " folded first"], .malformedField),
      (["HTTP/1.1 200", "Content-Length: x", ""], .unusableContentLength),
      (["HTTP/1.1 200", "Content-Length: 1", "Content-Length: 2", ""], .unusableContentLength),
      (["HTTP/1.1 200"] + Array(repeating: "a: b", count: 513), .tooManyFields),
      (["HTTP/1.1 200", "Content-Length: 9007199254740993", ""], .boundlessContentLength),
      (["HTTP/1.1 200", "a: " + String(repeating: "x", count: 65_536)], .tooManyBytes),
    ])
  func refused(lines: [String], error: ResponseHeadError) {
    #expect(throws: error) { _ = try head(lines) }
  }

  @Test("without end are refused, even if each response is short")
  func endless() {
    let interim = ["HTTP/1.1 100 Continue", ""]
    #expect(throws: ResponseHeadError.tooManyBytes) {
      _ = try head(Array(repeating: interim, count: 4000).flatMap(\.self))
    }
  }
}
