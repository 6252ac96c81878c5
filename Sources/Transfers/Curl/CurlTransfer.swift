import CCurl
import PodfluxCore

/// An exchange as the driver's thread sees it: what was asked, how far it has come, and what libcurl's callbacks answer.
///
/// Confined to that thread. libcurl holds an unretained pointer to it: the loop keeps it alive until its easy handle is
/// out of the multi handle.
final class CurlTransfer {
  let exchange: HTTPExchange
  let request: HTTPRequest
  private(set) var hop: HTTPHop
  private(set) var easy: EasyHandle
  private(set) var isPaused = false

  private let delegate: any HTTPExchangeDelegate
  private var parser: ResponseHeadParser
  private var phase = Phase.awaitingHead
  /// Why a callback has told libcurl to stop: libcurl itself only reports that one did.
  private var verdict: ExchangeFailure?
  private var bytesReceived: Int64 = 0
  private var patience: Patience

  private enum Phase {
    case awaitingHead
    /// The body of a redirect is read past, up to a limit.
    case redirected(location: String, bytesSkipped: Int64)
    case body(ResponseHead)
  }

  /// What follows when libcurl is done with a hop.
  enum Conclusion {
    case redirect(location: String)
    case finished(Result<ExchangeSummary, ExchangeFailure>)
  }

  init(_ start: CurlMailbox.Start, hop: HTTPHop, easy: EasyHandle) {
    exchange = start.exchange
    request = start.request
    delegate = start.delegate
    self.hop = hop
    self.easy = easy
    parser = ResponseHeadParser(effectiveURL: hop.url.text, redirects: hop.redirects)
    patience = Patience(request)
  }

  func begin(_ next: HTTPHop, easy: EasyHandle) {
    hop = next
    self.easy = easy
    parser = ResponseHeadParser(effectiveURL: next.url.text, redirects: next.redirects)
    phase = .awaitingHead
    patience = Patience(request)
  }

  /// Called after the easy handle has left the multi handle; nothing is called after it.
  func finish(_ result: Result<ExchangeSummary, ExchangeFailure>) {
    delegate.exchange(exchange, finished: result)
  }
}

// MARK: - What libcurl's callbacks answer

extension CurlTransfer {
  /// Takes a header line; false aborts the hop.
  func receive(headerLine: UnsafeRawBufferPointer) -> Bool {
    guard verdict == nil else { return false }
    patience.noteProgress()
    do throws(ResponseHeadError) {
      guard case .complete(let head) = try parser.consume(line: Array(headerLine)) else { return true }
      return receive(head)
    } catch {
      verdict = ExchangeFailure(.malformedResponse, message: "the head of the response is refused: \(error)")
      return false
    }
  }

  /// Takes a piece of the body.
  func receive(body bytes: UnsafeRawBufferPointer) -> BodyDemand {
    guard verdict == nil else { return .stop }
    patience.noteProgress()
    switch phase {
    case .awaitingHead: return .stop
    case .redirected(let location, let skipped): return skip(bytes.count, of: location, after: skipped)
    case .body: return deliver(bytes)
    }
  }

  private func receive(_ head: ResponseHead) -> Bool {
    if let location = head.redirectLocation {
      phase = .redirected(location: location, bytesSkipped: 0)
      return head.contentLength ?? 0 <= CurlLimits.maxRedirectBodyBytes
    }
    phase = .body(head)
    switch delegate.exchange(exchange, received: head) {
    case .proceed: return true
    case .stop: return refuse()
    }
  }

  private func skip(_ count: Int, of location: String, after skipped: Int64) -> BodyDemand {
    let skipped = skipped + Int64(count)
    phase = .redirected(location: location, bytesSkipped: skipped)
    return skipped <= CurlLimits.maxRedirectBodyBytes ? .more : .stop
  }

  private func deliver(_ bytes: UnsafeRawBufferPointer) -> BodyDemand {
    let demand = delegate.exchange(exchange, received: bytes)
    switch demand {
    case .more: bytesReceived += Int64(bytes.count)
    case .pause: isPaused = true
    case .stop: _ = refuse()
    }
    return demand
  }

  private func refuse() -> Bool {
    verdict = ExchangeFailure(.refusedByDelegate, message: "no longer wanted")
    return false
  }
}

// MARK: - What the loop asks

extension CurlTransfer {
  /// What is to be done now that libcurl is done with the hop.
  func conclusion(_ code: CURLcode) -> Conclusion {
    if let verdict { return .finished(.failure(verdict)) }
    // Where a redirect leads is known: how its own body ended does not matter.
    if case .redirected(let location, _) = phase { return .redirect(location: location) }
    guard code == CURLE_OK else {
      let failure = ExchangeFailure(code, errorText: easy.errorText, headWasSeen: headWasSeen)
      return .finished(.failure(failure))
    }
    guard case .body(let head) = phase else {
      return .finished(.failure(ExchangeFailure(.connectionLost, message: "the connection closed within the head")))
    }
    return .finished(.success(summary(of: head)))
  }

  /// Lets libcurl go on after a pause. It may call back from within, and fail.
  func unpause() -> CURLcode {
    guard isPaused else { return CURLE_OK }
    isPaused = false
    patience.noteProgress()
    return curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  /// Tells the delegate that time passes; a failure if too much has passed without a byte.
  func tick(now: SuspendingClock.Instant) -> ExchangeFailure? {
    delegate.exchangeDidTick(exchange)
    return patience.check(now: now, isPaused: isPaused, isConnected: easy.isConnected)
  }

  private var headWasSeen: Bool {
    if case .awaitingHead = phase { false } else { true }
  }

  private func summary(of head: ResponseHead) -> ExchangeSummary {
    let hasNoBody = head.status == 204 || head.status == 304
    let isDelimited =
      head.contentLength != nil || head.hasTransferEncoding || head.httpVersion.delimitsEveryBody || hasNoBody
    return ExchangeSummary(
      bytesReceived: bytesReceived, contentLength: head.contentLength, isDelimited: isDelimited)
  }
}
