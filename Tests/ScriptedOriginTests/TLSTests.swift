import Foundation
import ScriptedOrigin
import Testing
import TestScheduling

@Suite("An origin with TLS", .systemTest)
struct TLSTests {
  @Test("is trusted by clients of its authority, under each of its names", arguments: ["127.0.0.1", "localhost"])
  func trusted(host: String) throws {
    try withOrigin(tls: .fixture) { origin in
      let body = Body.stamped(length: 700_000, seed: 8)
      origin.serve("/1.mp3", Resource(body))
      let result = try curl(["--cacert", TLSMaterial.fixture.authorityPath, "https://\(host):\(origin.port)/1.mp3"])
      #expect(result.status == 0)
      #expect(result.output == body.allBytes)
    }
  }

  @Test("is not trusted by other clients")
  func untrusted() throws {
    try withOrigin(tls: .fixture) { origin throws in
      #expect(try curl([origin.url("/")]).status == 60)
      #expect(origin.requests.isEmpty)
    }
  }

  @Test("cuts without a close_notify")
  func cut() throws {
    try withOrigin(tls: .fixture) { origin in
      origin.serve("/", Behaviour.status(200, body: .text("0123456789")).cutting(afterBytes: 5))
      let result = try curl(["--cacert", TLSMaterial.fixture.authorityPath, origin.url("/")])
      #expect([18, 56].contains(result.status))
      #expect(result.output == Array("01234".utf8))
      #expect(try origin.wait(upTo: .seconds(5)) { $0.activeRequests == 0 }.requests[0].bytesSent == 5)
    }
  }

  @Test("sends a close_notify if a body ends with the connection, unless it is cut")
  func closing() throws {
    try withOrigin(tls: .fixture) { origin in
      let whole = Behaviour.status(200, body: .text("0123456789")).framed(.closing)
      origin.serve("/signed", whole)
      origin.serve("/cut", whole.cutting(afterBytes: 10))
      for (path, isSigned) in [("/signed", true), ("/cut", false)] {
        let trace = try curl(["--cacert", TLSMaterial.fixture.authorityPath, "--trace-ascii", "-", origin.url(path)])
        let text = String(decoding: trace.output, as: UTF8.self)
        #expect(text.contains("0123456789"))
        #expect(text.contains("(IN), TLS alert, close notify") == isSigned)
      }
    }
  }

  @Test("stops at once, even with stalled connections", .systemTestAlone)
  func stopping() throws {
    let origin = try ScriptedOrigin.start(tls: .fixture)
    origin.serve("/", Behaviour.status(200, body: .text("0123456789")).stalling(afterBytes: 5))
    let process = try startCurl(["--cacert", TLSMaterial.fixture.authorityPath, origin.url("/")], output: Pipe())
    try origin.wait(upTo: .seconds(5)) { $0.totalBodyBytesSent == 5 }
    let start = ContinuousClock.now
    try origin.stop()
    #expect(ContinuousClock.now - start < .seconds(2))
    process.waitUntilExit()
    #expect(process.terminationStatus != 0)
    #expect(origin.requests[0].outcome == .abandoned)
  }
}
