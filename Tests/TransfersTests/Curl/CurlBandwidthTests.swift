import EngineRuntime
import Testing
import TestScheduling
import TestSupport

@testable import Transfers

@Suite("The curl driver, its bytes limited,", .systemTestAlone)
struct CurlBandwidthTests {
  private static let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 + $0 >> 8) }

  /// An origin that sends the body, as a whole or in chunks.
  private func origin(inChunks: Bool = false) throws -> RawOrigin {
    try RawOrigin { connection in
      while connection.readHead() != nil {
        guard inChunks else {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.body.count)\r\n\r\n")
          connection.send(Self.body)
          continue
        }
        connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: Self.body.count, by: 7001) {
          let chunk = Self.body[start..<min(start + 7001, Self.body.count)]
          connection.send(String(chunk.count, radix: 16) + "\r\n")
          connection.send(chunk + Array("\r\n".utf8))
        }
        connection.send("0\r\n\r\n")
      }
    }
  }

  @Test("hands over every byte once and in order, while other transfers pause", arguments: [false, true])
  func everyByte(inChunks: Bool) async throws {
    let origin = try origin(inChunks: inChunks)
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    driver.limit(bytesPerSecond: 1_000_000)
    let recorders = (0..<3).map { _ in
      Recorder(resumesAtOnce: true) { ($0.pauses + $0.pieces.count) % 5 == 1 ? .pause : .more }
    }
    for recorder in recorders { _ = driver.start(HTTPRequest(origin.url()), delegate: recorder) }
    for recorder in recorders {
      #expect(try await recorder.outcome().get().bytesReceived == Self.body.count)
      #expect(recorder.now.body == Self.body)
      #expect(recorder.now.pauses > 0)
    }
  }

  @Test("lets what waits go on as soon as the limit is lifted, and calls no origin slow or silent for it")
  func lifted() async throws {
    let origin = try origin()
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    driver.limit(bytesPerSecond: 1024)
    var request = HTTPRequest(origin.url(), stallTimeoutMilliseconds: 300)
    (request.slowBytesPerSecond, request.slowWindowMilliseconds) = (1 << 20, 300)
    let recorders = (0..<4).map { _ in Recorder() }
    for recorder in recorders { _ = driver.start(request, delegate: recorder) }
    // Each has a turn in 2 s: that is far beyond the patience.
    for _ in 0..<5 { await recorders[0].wait(for: .tick) }
    #expect(recorders.allSatisfy { $0.now.results.isEmpty })
    #expect(recorders.reduce(0) { $0 + $1.now.body.count } < 10_000)
    driver.limit(bytesPerSecond: 0)
    for recorder in recorders {
      _ = try await recorder.outcome().get()
      #expect(recorder.now.body == Self.body)
    }
  }

  @Test("goes by the newest limit")
  func changed() async throws {
    let origin = try origin()
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder { $0.body.isEmpty && $0.pauses == 0 ? .pause : .more }
    let exchange = driver.start(HTTPRequest(origin.url()), delegate: recorder)
    await recorder.wait(for: .paused)
    driver.limit(bytesPerSecond: 1024)
    exchange.resume()
    for _ in 0..<2 { await recorder.wait(for: .tick) }
    #expect(recorder.now.body.count < 2000, "it had no limit when it began")
    driver.limit(bytesPerSecond: 100 << 20)
    #expect(try await recorder.outcome().get().bytesReceived == Self.body.count)
    #expect(recorder.now.body == Self.body)
  }

  @Test("ends at once what waits and is cancelled")
  func cancelled() async throws {
    let origin = try origin()
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    driver.limit(bytesPerSecond: 1024)
    let recorders = (0..<8).map { _ in Recorder() }
    let exchanges = recorders.map { driver.start(HTTPRequest(origin.url()), delegate: $0) }
    await recorders[7].wait(for: .head)
    let start = ContinuousClock.now
    for exchange in exchanges { exchange.cancel() }
    for recorder in recorders { #expect(try await recorder.outcome().reason == .cancelled) }
    // The next turn of each is 4 s away, and the rest of the bodies 40 minutes.
    #expect(ContinuousClock.now - start < .seconds(3))
  }
}
