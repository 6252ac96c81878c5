import NIOCore
import Testing
import TestScheduling

@testable import ScriptedOrigin

@Suite("A rate limit", .systemTestAlone)
struct PaceTests {
  @Test("never allows more than the rate, nor much less", arguments: [100, 20_480, 300_000, 50_000_000])
  func earnings(bytesPerSecond: Int) {
    var pacer = Pacer(bytesPerSecond: bytesPerSecond, start: .uptimeNanoseconds(1_000_000_007))
    var sent = 0
    var now = NIODeadline.uptimeNanoseconds(1_000_000_007)
    #expect(pacer.allowance(at: now) == 0)
    for _ in 0..<100 {
      now = pacer.nextTick
      let allowance = pacer.allowance(at: now)
      sent += allowance
      pacer.spend(allowance)
      let earned = Double(now.uptimeNanoseconds - 1_000_000_007) / 1e9 * Double(bytesPerSecond)
      #expect(Double(sent) <= earned + 1)
      #expect(Double(sent) >= earned - 1)
    }
  }

  @Test("does not flood a client that did not read for a while")
  func noFlood() {
    var pacer = Pacer(bytesPerSecond: 20_480, start: .uptimeNanoseconds(0))
    #expect(pacer.allowance(at: .uptimeNanoseconds(3_600_000_000_000)) < 20_480)
  }

  @Test("takes the time of the content, and sends all of it")
  func overTheWire() throws {
    try withOrigin { origin in
      let body = Body.stamped(length: 30_000, seed: 6)
      origin.serve("/", .resource(Resource(body)).limited(toBytesPerSecond: 150_000))
      #expect(try Exchange(origin, "/").body == body.allBytes)
      let record = try origin.wait(upTo: .seconds(5)) { $0.activeRequests == 0 }.requests[0]
      let ended = try #require(record.endedAt)
      #expect(ended - record.receivedAt >= .milliseconds(200))
      #expect(record.bytesSent == 30_000)
    }
  }

  @Test("updates the log while the content is being sent")
  func progress() throws {
    try withOrigin { origin in
      origin.serve(
        "/", .resource(Resource(.stamped(length: 1_000_000_000, seed: 6))).limited(toBytesPerSecond: 100_000))
      let client = try RawClient(port: origin.port)
      client.sendRequest("/")
      let seen = try origin.wait(upTo: .seconds(5)) { $0.bytesSent(path: "/") >= 5_000 }
      #expect(seen.totalBodyBytesSent < 100_000)
      #expect(seen.requests[0].outcome == .inProgress)
    }
  }

  @Test("or a delay holds the head back")
  func delay() throws {
    try withOrigin { origin in
      origin.serve("/", Behaviour.status(200).delayed(byMilliseconds: 60))
      #expect(try Exchange(origin, "/").status == 200)
      let record = try origin.wait(upTo: .seconds(5)) { $0.activeRequests == 0 }.requests[0]
      let ended = try #require(record.endedAt)
      #expect(ended - record.receivedAt >= .milliseconds(60))
    }
  }
}
