import ScriptedOrigin
import Testing
import TestScheduling

@Suite("An HTTP/2 origin", .systemTest)
struct HTTP2OriginTests {
  @Test("answers every request of a connection")
  func answers() throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.answer])
    let result = try fetch([origin.url + "1", origin.url + "2", "--write-out", "|%{http_version}|"])
    #expect(result.status == 0)
    #expect(String(decoding: result.output, as: UTF8.self) == "hello|2|hello|2|")
    #expect(origin.requests == Array(repeating: .init(connection: 0, step: .answer), count: 2))
  }

  @Test("refuses a stream and keeps the connection")
  func refuses() throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.refuse, .answer])
    // curl repeats a refused request itself.
    #expect(try fetch([origin.url]).output == HTTP2Origin.body)
    #expect(origin.requests.map(\.step) == [.refuse, .answer])
  }

  @Test("goes away, or breaks off", arguments: [(HTTP2Origin.Step.goAway, [16]), (.cut, [18, 56, 92])])
  func ends(step: HTTP2Origin.Step, statuses: [Int32]) throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [step])
    let result = try fetch([origin.url])
    #expect(statuses.contains(result.status), "\(result.status)")
    #expect(result.output.isEmpty)
    #expect(origin.requests == [.init(connection: 0, step: step)])
  }

  @Test("stays silent")
  func silent() throws {
    let origin = try HTTP2Origin.start(tls: .fixture, script: [.silence])
    #expect(try fetch(["--max-time", "1", origin.url]).status == 28)
    #expect(origin.requests.count == 1)
  }

  private func fetch(_ arguments: [String]) throws -> (status: Int32, output: [UInt8]) {
    try curl(["--http2", "--cacert", TLSMaterial.fixture.authorityPath] + arguments)
  }
}
