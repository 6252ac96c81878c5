import EngineRuntime
import PodfluxCore
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@testable import Transfers

@Suite("An HTTP/2 connection", .systemTest)
struct CurlHTTP2Tests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("podflux-http2")
  }

  private func request(_ origin: HTTP2Origin) -> HTTPRequest {
    HTTPRequest(origin.url, firstByteTimeoutMilliseconds: 500)
  }

  @Test("is shared by what runs at the same time")
  func shared() async throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.answer])
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    let recorders = (0..<50).map { _ in Recorder() }
    for recorder in recorders { _ = driver.start(request(origin), delegate: recorder) }
    for recorder in recorders {
      let summary = try await recorder.outcome().get()
      #expect(summary == ExchangeSummary(bytesReceived: 5, contentLength: nil, isDelimited: true))
      #expect(recorder.now.heads.map(\.httpVersion.delimitsEveryBody) == [true])
    }
    #expect(origin.requests.map(\.connection) == Array(repeating: 0, count: 50))
  }

  @Test("that refuses a stream, goes away, breaks or falls silent costs no exchange", arguments: faults)
  func faultOnReuse(fault: HTTP2Origin.Step) async throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.answer, fault, .answer])
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    _ = try await driver.fetch(request(origin)).get()
    let recorder = Recorder()
    #expect(try await driver.fetch(request(origin), recorder).get().bytesReceived == 5)
    #expect(recorder.now.heads.count == 1)
    #expect(origin.requests.map(\.step) == [.answer, fault, .answer])
  }

  @Test("gives no file whose end nothing else marks: that comes in the chunks of HTTP/1.1")
  func resetWithoutError() async throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.reset], answersHTTP1: true)
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    var request = request(origin)
    request.needsMarkedEnd = true
    let recorder = Recorder()
    let summary = try await driver.fetch(request, recorder).get()
    #expect(summary == ExchangeSummary(bytesReceived: 5, contentLength: nil, isDelimited: true))
    #expect(recorder.now.heads.map(\.httpVersion.delimitsEveryBody) == [false])
    #expect(origin.requests.map(\.step) == [.reset, nil])
  }

  @Test("gives it where the server speaks nothing else")
  func onlyHTTP2() async throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.answer])
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    var request = request(origin)
    request.needsMarkedEnd = true
    let recorder = Recorder()
    #expect(try await driver.fetch(request, recorder).get().bytesReceived == 5)
    #expect(recorder.now.heads.map(\.httpVersion.delimitsEveryBody) == [true])
  }

  static let faults: [HTTP2Origin.Step] = [.refuse, .goAway, .cut, .silence]

  @Test("costs none of those that shared it either", arguments: faults)
  func faultOnMany(fault: HTTP2Origin.Step) async throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.answer, fault, .answer])
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    _ = try await driver.fetch(request(origin)).get()
    let recorders = (0..<20).map { _ in Recorder() }
    for recorder in recorders { _ = driver.start(request(origin), delegate: recorder) }
    for recorder in recorders { #expect(try await recorder.outcome().get().bytesReceived == 5) }
  }

  @Test("that fell silent is not used again")
  func silent() async throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.silence, .answer])
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    #expect(try await driver.fetch(request(origin)).reason == .stalled)
    #expect(try await driver.fetch(request(origin)).get().bytesReceived == 5)
    #expect(origin.requests.map(\.connection) == [0, 1])
  }

  @Test(
    "that was opened for an exchange and says that it did not process it costs nothing",
    arguments: [HTTP2Origin.Step.refuse, .goAway])
  func unprocessed(fault: HTTP2Origin.Step) async throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [fault, .answer])
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    #expect(try await driver.fetch(request(origin)).get().bytesReceived == 5)
    #expect(origin.requests.map(\.step) == [fault, .answer])
  }

  @Test("that was opened for an exchange and breaks is its failure")
  func fresh() async throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.cut, .answer])
    let driver = try CurlDriver.trusting(in: folder)
    defer { driver.shutDown() }
    #expect(try await driver.fetch(request(origin)).reason == .connectionLost)
    #expect(origin.requests.count == 1)
  }
}
