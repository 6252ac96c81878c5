import Dispatch
import EngineRuntime
import PodfluxCore
import ScriptedOrigin
import Testing
import TestScheduling

@testable import Transfers

@Suite("The curl driver tells failures apart:", .systemTest)
struct CurlFailureTests {
  private func failure(of request: HTTPRequest, _ recorder: Recorder = Recorder()) async throws -> ExchangeFailure? {
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    _ = driver.start(request, delegate: recorder)
    let outcome = try await recorder.outcome()
    #expect(recorder.now.results.count == 1)
    guard case .failure(let failure) = outcome else { return nil }
    return failure
  }

  /// An origin that sends this after a request, and then closes.
  private func origin(sending text: String) throws -> RawOrigin {
    try RawOrigin { connection in
      guard connection.readHead() != nil else { return }
      connection.send(text)
    }
  }

  @Test(
    "answers that break off are lost connections",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Le", "",
    ])
  func cut(answer: String) async throws {
    let origin = try origin(sending: answer)
    #expect(try await failure(of: HTTPRequest(origin.url()))?.reason == .connectionLost)
  }

  /// Named, so that a test's report does not print kilobytes of header.
  enum MalformedAnswer: String, CaseIterable {
    case portal, statusThatIsNoNumber, twoLengths, negativeLength, endlessFields, endlessField

    /// A head beyond all limits stays what it is; what is no HTTP may be a portal's, and another time none.
    var reason: ExchangeFailure.Reason {
      switch self {
      case .portal, .statusThatIsNoNumber, .twoLengths, .negativeLength: .malformedResponse
      case .endlessFields, .endlessField: .headTooLarge
      }
    }

    var text: String {
      switch self {
      case .portal: "hello there, I am a portal\r\n\r\n"
      case .statusThatIsNoNumber: "HTTP/1.1 2x0 OK\r\n\r\n"
      case .twoLengths: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"
      case .negativeLength: "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabcd"
      case .endlessFields:
        "HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "x", count: 200))\r\n", count: 400) + "\r\n"
      case .endlessField: "HTTP/1.1 200 OK\r\nX-Long: " + String(repeating: "x", count: 300_000) + "\r\n\r\n"
      }
    }
  }

  @Test(
    "answers that are no HTTP are malformed, and heads beyond all limits too large",
    arguments: MalformedAnswer.allCases)
  func malformed(answer: MalformedAnswer) async throws {
    let origin = try origin(sending: answer.text)
    let recorder = Recorder()
    #expect(try await failure(of: HTTPRequest(origin.url()), recorder)?.reason == answer.reason)
    #expect(recorder.now.heads.isEmpty)
  }

  @Test("a port where no program listens")
  func refused() async throws {
    var origin: RawOrigin? = try RawOrigin { _ in }
    let url = try #require(origin?.url())
    origin = nil
    let failure = try await failure(of: HTTPRequest(url))
    // The listener may take one more connection while it closes.
    #expect(failure?.reason == .connectFailed || failure?.reason == .connectionLost)
  }

  @Test("a name that cannot exist")
  func unknownHost() async throws {
    let failure = try await failure(of: HTTPRequest("http://podflux.invalid/a?token=secret"))
    #expect(failure?.reason == .unknownHost)
    #expect(failure?.curlCode == 6)
    #expect(failure?.message.contains("secret") == false)
  }

  @Test(
    "silence before the head, within it and within the body",
    arguments: [
      "", "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab",
    ])
  func stalled(answer: String) async throws {
    let origin = try RawOrigin { connection in
      guard connection.readHead() != nil else { return }
      connection.send(answer)
      connection.waitForClose()
    }
    let recorder = Recorder()
    let request = HTTPRequest(
      origin.url(), firstByteTimeoutMilliseconds: 1000, stallTimeoutMilliseconds: 1000)
    #expect(try await failure(of: request, recorder)?.reason == .stalled)
    #expect(recorder.now.ticks >= 3)
  }

  @Test("a head has its own time, however short that for a stall is")
  func lateHead() async throws {
    let mayAnswer = DispatchSemaphore(value: 0)
    let origin = try RawOrigin.answering { _ in
      mayAnswer.wait()
      return response("200 OK", body: "hello")
    }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    _ = driver.start(HTTPRequest(origin.url(), stallTimeoutMilliseconds: 500), delegate: recorder)
    for _ in 0..<4 { await recorder.wait(for: .tick) }
    mayAnswer.signal()
    #expect(try await recorder.outcome().get().bytesReceived == 5)
  }

  @Test("a body that comes too slowly")
  func tooSlow() async throws {
    let origin = try ScriptedOrigin.start()
    defer { #expect(throws: Never.self) { try origin.stop() } }
    origin.serve("/", Behaviour.status(200, body: .stamped(length: 100_000, seed: 1)).limited(toBytesPerSecond: 2000))
    var request = HTTPRequest(origin.url("/"))
    request.slowBytesPerSecond = 50_000
    request.slowWindowMilliseconds = 500
    let recorder = Recorder()
    #expect(try await failure(of: request, recorder)?.reason == .tooSlow)
    #expect(recorder.now.heads.map(\.status) == [200])
  }

  @Test("a pause is no stall")
  func longPause() async throws {
    let origin = try RawOrigin.answering { _ in response("200 OK", body: "hello") }
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder { $0.pauses == 0 ? .pause : .more }
    let request = HTTPRequest(origin.url(), stallTimeoutMilliseconds: 500)
    let exchange = driver.start(request, delegate: recorder)
    await recorder.wait(for: .paused)
    for _ in 0..<4 { await recorder.wait(for: .tick) }
    exchange.resume()
    #expect(try await recorder.outcome().get().bytesReceived == 5)
  }

  @Test(
    "what is not even sent",
    arguments: [
      ("ftp://127.0.0.1/a", ExchangeFailure.Reason.unsupportedProtocol), ("file:///etc/passwd", .unsupportedProtocol),
      ("not a url", .malformedRequest), ("http://127.0.0.1\u{0}.example/", .malformedRequest), ("", .malformedRequest),
    ])
  func unsendable(url: String, reason: ExchangeFailure.Reason) async throws {
    #expect(try await failure(of: HTTPRequest(url))?.reason == reason)
  }

  @Test(
    "a header that would smuggle in another, or that is the engine's own",
    arguments: [("X", "1\r\nHost: other"), ("X: y", "1"), ("", "1"), ("range", "bytes=0-1")])
  func smuggled(name: String, value: String) async throws {
    var request = HTTPRequest("http://127.0.0.1:9/")
    request.headers = [(name: name, value: value)]
    #expect(try await failure(of: request)?.reason == .malformedRequest)
  }

  @Test("a delegate that does not want the head, or the body")
  func stopped() async throws {
    let origin = try RawOrigin.answering { _ in response("200 OK", body: "hello") }
    let headless = Recorder(head: .stop)
    #expect(try await failure(of: HTTPRequest(origin.url()), headless)?.reason == .refusedByDelegate)
    #expect(headless.now.body.isEmpty)
    let bodiless = Recorder { _ in .stop }
    #expect(try await failure(of: HTTPRequest(origin.url()), bodiless)?.reason == .refusedByDelegate)
  }

  @Test("messages lose user info and queries")
  func redaction() {
    let text = redactingURLs(in: "cannot fetch http://me:pw@host:80/a@b?token=x#y or https://host")
    #expect(text == "cannot fetch http://host:80/a@b or https://host")
    // A mark with a combining accent is one Character, not equal to the mark.
    let accents = redactingURLs(in: "no http://\u{301}me:pw@host/\u{301}a?\u{301}token=x or #y?u=http://me@host")
    #expect(accents == "no http://host/\u{301}a or ")
  }
}
