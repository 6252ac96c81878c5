import EngineRuntime
import PodfluxCore
import Synchronization

@testable import Transfers

/// A delegate that writes down what it hears and lets a test wait for it.
final class Recorder: HTTPExchangeDelegate {
  struct Record {
    var heads: [ResponseHead] = []
    var body: [UInt8] = []
    var ticks = 0
    var pauses = 0
    var fetched: Int64 = 0
    /// How long the pieces of the body were.
    var pieces: [Int] = []
    var results: [Result<ExchangeSummary, ExchangeFailure>] = []
  }

  private let record = Mutex(Record())
  private let headDemand: HeadDemand
  private let bodyDemand: @Sendable (Record) -> BodyDemand
  private let resumesAtOnce: Bool
  private let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  enum Event: Sendable { case head, paused, tick, finished }

  init(
    head: HeadDemand = .proceed, resumesAtOnce: Bool = false,
    body: @escaping @Sendable (Record) -> BodyDemand = { _ in .more }
  ) {
    headDemand = head
    bodyDemand = body
    self.resumesAtOnce = resumesAtOnce
    (events, continuation) = AsyncStream.makeStream()
  }

  var now: Record { record.withLock { $0 } }

  func wait(for wanted: Event) async {
    for await event in events where event == wanted || event == .finished { return }
  }

  /// What the exchange came to, once it has.
  func outcome() async throws -> Result<ExchangeSummary, ExchangeFailure> {
    if now.results.isEmpty { await wait(for: .finished) }
    guard let result = now.results.first else { throw NeverFinished() }
    return result
  }

  struct NeverFinished: Error {}

  func exchange(_ exchange: HTTPExchange, received head: ResponseHead) -> HeadDemand {
    record.withLock { $0.heads.append(head) }
    continuation.yield(.head)
    return headDemand
  }

  func exchange(_ exchange: HTTPExchange, received bytes: UnsafeRawBufferPointer) -> BodyDemand {
    let demand = record.withLock { record in
      let demand = bodyDemand(record)
      switch demand {
      case .more:
        record.body += bytes
        record.pieces.append(bytes.count)
      case .pause: record.pauses += 1
      case .stop: break
      }
      return demand
    }
    if demand == .pause {
      if resumesAtOnce { exchange.resume() }
      continuation.yield(.paused)
    }
    return demand
  }

  func exchange(_ exchange: HTTPExchange, fetched bytes: Int64) {
    record.withLock { $0.fetched += bytes }
  }

  func exchangeDidTick(_ exchange: HTTPExchange) {
    record.withLock { $0.ticks += 1 }
    continuation.yield(.tick)
  }

  func exchange(_ exchange: HTTPExchange, finished result: Result<ExchangeSummary, ExchangeFailure>) {
    record.withLock { $0.results.append(result) }
    continuation.yield(.finished)
  }
}

extension Result where Failure == ExchangeFailure {
  var reason: ExchangeFailure.Reason? {
    if case .failure(let failure) = self { failure.reason } else { nil }
  }
}

extension HTTPRequest {
  init(_ url: String, firstByteTimeoutMilliseconds: Int = 10_000, stallTimeoutMilliseconds: Int = 10_000) {
    self.init(
      url: url, userAgent: "podflux-tests", connectTimeoutMilliseconds: 5000,
      firstByteTimeoutMilliseconds: firstByteTimeoutMilliseconds, stallTimeoutMilliseconds: stallTimeoutMilliseconds)
  }
}
