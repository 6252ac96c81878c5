import EngineRuntime
import PodfluxCore

/// A running exchange, in the hands of whoever started it. Every call is thread safe and returns at once.
final class HTTPExchange: Sendable {
  typealias ID = UInt64

  let id: ID
  private let mailbox: CurlMailbox

  init(id: ID, mailbox: CurlMailbox) {
    self.id = id
    self.mailbox = mailbox
  }

  /// Goes on after a `.pause`. Without one, and after the end, it does nothing.
  func resume() {
    mailbox.post { $0.resumed.insert(id) }
  }

  /// Ends the exchange as `.cancelled`, unless its end is already on the way.
  func cancel() {
    mailbox.post { $0.cancelled.insert(id) }
  }
}

/// Who hears of an exchange. All calls come on the driver's thread, which serves every other exchange as well: answer
/// within microseconds, never block. The driver keeps the delegate until `finished`.
protocol HTTPExchangeDelegate: AnyObject, Sendable {
  /// The head of the final response: once, before the body; never for a redirect that is followed or a 1xx.
  func exchange(_ exchange: HTTPExchange, received head: ResponseHead) -> HeadDemand

  /// Bytes of the body, in order, valid for the call only.
  func exchange(_ exchange: HTTPExchange, received bytes: UnsafeRawBufferPointer) -> BodyDemand

  /// So many more bytes of bodies, of redirects too, have come over the network, whether they were handed over or not.
  /// Told with each tick and before the end; never for what came from this machine.
  func exchange(_ exchange: HTTPExchange, fetched bytes: Int64)

  /// Time passes: every `CurlLimits.tickMilliseconds` while the exchange runs, paused or not.
  func exchangeDidTick(_ exchange: HTTPExchange)

  /// The end: exactly once, and no call after it.
  func exchange(_ exchange: HTTPExchange, finished result: Result<ExchangeSummary, ExchangeFailure>)
}
