import EngineRuntime
import Testing
import TestScheduling

@testable import Transfers

@Suite("The curl driver stops", .systemTest)
struct CurlCancellationTests {
  private func silentOrigin() throws -> RawOrigin {
    try RawOrigin { connection in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")
      connection.waitForClose()
    }
  }

  @Test("an exchange at once when it is cancelled, once only", .systemTestAlone)
  func cancel() async throws {
    let origin = try silentOrigin()
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    let exchange = driver.start(HTTPRequest(origin.url()), delegate: recorder)
    await recorder.wait(for: .head)

    let start = ContinuousClock.now
    exchange.cancel()
    exchange.cancel()
    #expect(try await recorder.outcome().reason == .cancelled)
    #expect(ContinuousClock.now - start < .milliseconds(500))
    exchange.resume()
    exchange.cancel()
    #expect(recorder.now.results.count == 1)
  }

  @Test("an exchange that is paused")
  func cancelPaused() async throws {
    let origin = try silentOrigin()
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder { _ in .pause }
    let exchange = driver.start(HTTPRequest(origin.url()), delegate: recorder)
    await recorder.wait(for: .paused)
    exchange.cancel()
    #expect(try await recorder.outcome().reason == .cancelled)
  }

  @Test("an exchange that has not begun yet")
  func cancelEarly() async throws {
    let origin = try silentOrigin()
    let driver = try CurlDriver()
    defer { driver.shutDown() }
    let recorder = Recorder()
    driver.start(HTTPRequest(origin.url()), delegate: recorder).cancel()
    #expect(try await recorder.outcome().reason == .cancelled)
  }

  @Test("every exchange when it is shut down, before shutting down returns")
  func shutDown() async throws {
    let origin = try silentOrigin()
    let driver = try CurlDriver()
    let recorders = (0..<20).map { _ in Recorder() }
    for recorder in recorders { _ = driver.start(HTTPRequest(origin.url()), delegate: recorder) }
    await recorders.first?.wait(for: .head)
    driver.shutDown()
    driver.shutDown()
    for recorder in recorders { #expect(recorder.now.results.map(\.reason) == [.cancelled]) }
  }

  @Test("what is started after the end")
  func startedLate() async throws {
    let driver = try CurlDriver()
    driver.shutDown()
    let recorder = Recorder()
    _ = driver.start(HTTPRequest("http://127.0.0.1:9/"), delegate: recorder)
    #expect(try await recorder.outcome().reason == .cancelled)
  }

  @Test("what runs when no reference to it is left")
  func forgotten() async throws {
    let origin = try silentOrigin()
    let recorder = Recorder()
    var driver: CurlDriver? = try CurlDriver()
    _ = driver?.start(HTTPRequest(origin.url()), delegate: recorder)
    await recorder.wait(for: .head)
    driver = nil
    #expect(try await recorder.outcome().reason == .cancelled)
  }
}
