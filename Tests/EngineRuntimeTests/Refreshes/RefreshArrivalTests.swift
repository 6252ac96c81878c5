import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

/// What a refresh does with a body that comes in its own way, or behind its time.
@Suite("A refresh and the pieces of its body")
struct RefreshArrivalTests {
  private let scene = RefreshAttemptTests()

  private func begun() throws -> RefreshAttempt {
    var attempt = RefreshAttempt(
      FeedRefresh(
        id: .init(feed: try scene.feed().id, generation: 3), feed: try scene.feed(), settings: Settings(), route: .any,
        draw: 1 << 60),
      rows: scene.rows, makeDecoder: { _ in preconditionFailure("nothing is coded") })
    _ = attempt.handle(.begin, at: scene.now)
    _ = attempt.handle(
      .head(ResponseHead(status: 200, effectiveURL: RefreshAttemptTests.address, fields: [])), at: scene.now)
    return attempt
  }

  @Test("Pieces of one byte that wait for a commit are joined, and none of them is lost")
  func joined() throws {
    var attempt = try begun()
    let body = Array(RefreshAttemptTests.rss(1...2_000, title: String(repeating: "Show ", count: 500_000)).utf8)
    var number = 0
    var isWaiting = false
    func handle(_ event: RefreshEvent) {
      for command in attempt.handle(event, at: scene.now) {
        guard case .report(let report) = command else { continue }
        scene.rows.apply(report.news)
        if case .described = report.news { continue }
        isWaiting = true
      }
    }
    while !isWaiting, number < body.count {
      handle(.body(Array(body[number..<min(number + 10_000, body.count)])))
      number += 10_000
    }
    let rest = body.dropFirst(number)
    #expect(isWaiting && rest.count > 2 * RefreshLimits.joinedBytes)
    for byte in rest { handle(.body([byte])) }
    #expect(attempt.waitingBytes == rest.count)
    #expect(attempt.waiting.count == (rest.count + RefreshLimits.joinedBytes - 1) / RefreshLimits.joinedBytes)
    handle(
      .exchangeEnded(
        .success(ExchangeSummary(bytesReceived: Int64(body.count), contentLength: nil, isDelimited: true))))
    while isWaiting {
      isWaiting = false
      handle(.proceed)
    }
    #expect(scene.rows.traces.count == 2_000)
  }

  @Test("What comes behind a stop begins no new document, and is no failure")
  func behindStop() throws {
    var attempt = try begun()
    let body = Array(RefreshAttemptTests.rss(1...5_000, title: String(repeating: "Show ", count: 500_000)).utf8)
    #expect(body.count > RefreshLimits.heldBytes)
    _ = attempt.handle(.body(Array(body.prefix(RefreshLimits.heldBytes + 1))), at: scene.now)
    #expect(attempt.document != nil)
    #expect(attempt.handle(.stop, at: scene.now).map(\.isCancellation) == [true])
    #expect(attempt.handle(.body(Array(body.suffix(1_000))), at: scene.now).isEmpty)
    #expect(attempt.document == nil)
    let commands = attempt.handle(.exchangeEnded(.failure(.cancelled)), at: scene.now)
    guard case .end(let report)? = commands.first, case .stopped = report.news, commands.count == 1 else {
      Issue.record("\(commands)")
      return
    }
  }
}

extension RefreshCommand {
  fileprivate var isCancellation: Bool { if case .cancelExchange = self { true } else { false } }
}
