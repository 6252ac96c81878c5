import EngineRuntime
import PodfluxCore

/// The handle of a running exchange. Every call is thread safe and returns at once.
final class HTTPExchange: Sendable {
  typealias ID = UInt64

  let id: ID
  private let mailbox: CurlMailbox

  init(id: ID, mailbox: CurlMailbox) {
    self.id = id
    self.mailbox = mailbox
  }

  /// Continues after a `.pause`. Otherwise, and after the end, it does nothing.
  func resume() {
    mailbox.post { $0.resumed.insert(id) }
  }

  /// Ends the exchange as `.cancelled`, unless its end is already pending.
  func cancel() {
    mailbox.post { $0.cancelled.insert(id) }
  }
}

/// Receives the events of an exchange, on the driver's thread, which serves all other exchanges too: return within
/// microseconds, never block. The driver retains the delegate until `finished`.
protocol HTTPExchangeDelegate: AnyObject, Sendable {
  /// The head of the final response: once, before the body; never for a redirect that is followed or a 1xx.
  func exchange(_ exchange: HTTPExchange, received head: ResponseHead) -> HeadDemand

  /// Bytes of the body, in order, valid for the call only.
  func exchange(_ exchange: HTTPExchange, received bytes: UnsafeRawBufferPointer) -> BodyDemand

  /// More bytes of bodies, redirects included, have come over the network, whether the delegate took them or not.
  /// Called with each tick and before the end; never for bytes from this machine.
  func exchange(_ exchange: HTTPExchange, fetched bytes: Int64)

  /// A tick: every `CurlLimits.tickMilliseconds` while the exchange runs, paused or not.
  func exchangeDidTick(_ exchange: HTTPExchange)

  /// The end: exactly once, as the last call.
  func exchange(_ exchange: HTTPExchange, finished result: Result<ExchangeSummary, ExchangeFailure>)
}
