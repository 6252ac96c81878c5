import CCurl
import EngineRuntime
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
  /// The sockets of the driver.
  let sockets: SocketTable
  private(set) var pauses: Pauses = []
  /// Whether the hop is tried for the second time, and wants a connection of its own.
  private(set) var isRepetition = false

  private let delegate: any HTTPExchangeDelegate
  private var parser: ResponseHeadParser
  private var phase = Phase.awaitingHead
  /// Why a callback has told libcurl to stop: libcurl itself only reports that one did.
  private var verdict: ExchangeFailure?
  private var bytesReceived: Int64 = 0
  private var patience: StallDetector
  /// Whether TLS has said that the connection is at its end; only looked at for bodies that end with it.
  private var hasSignedEnd: Bool?
  /// Whether the origin has begun to answer the hop's request.
  private var hasAnswer = false
  /// The bytes of all exchanges together.
  private let bandwidth: BandwidthGate
  /// How many bytes of a piece were handed over although libcurl was told to keep all of it: it comes again.
  private var takenAhead = 0
  /// How many bytes of the hop's body the delegate was told of as fetched.
  private var bytesTold: Int64 = 0
  /// Why the hop got no socket, if so.
  private var socketRefusal: ExchangeFailure?

  /// What an exchange waits for.
  struct Pauses: OptionSet {
    let rawValue: UInt8
    /// The delegate takes nothing.
    static let delegate = Pauses(rawValue: 1)
    /// The others' bytes come first.
    static let bandwidth = Pauses(rawValue: 2)
  }

  private enum Phase {
    case awaitingHead
    /// The body of a redirect is read past, up to a limit.
    case redirected(location: String, bytesSkipped: Int64)
    case body(ResponseHead)
  }

  /// What follows when libcurl is done with a hop.
  enum Conclusion {
    /// The connection was an earlier exchange's and had died: the same again, on a fresh one.
    case repetition
    case redirect(location: String)
    case finished(Result<ExchangeSummary, ExchangeFailure>)
  }

  init(_ start: CurlMailbox.Start, hop: HTTPHop, easy: EasyHandle, bandwidth: BandwidthGate, sockets: SocketTable) {
    exchange = start.exchange
    request = start.request
    delegate = start.delegate
    self.hop = hop
    self.easy = easy
    self.bandwidth = bandwidth
    self.sockets = sockets
    parser = ResponseHeadParser(effectiveURL: hop.url.text, redirects: hop.redirects)
    patience = StallDetector(request)
  }

  /// Begins the next hop, or the same once more.
  func begin(_ next: HTTPHop, isRepetition: Bool, easy: EasyHandle) {
    hop = next
    self.isRepetition = isRepetition
    self.easy = easy
    parser = ResponseHeadParser(effectiveURL: next.url.text, redirects: next.redirects)
    phase = .awaitingHead
    hasAnswer = false
    hasSignedEnd = nil
    (takenAhead, bytesTold, socketRefusal) = (0, 0, nil)
    patience = StallDetector(request)
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
    hasAnswer = true
    do throws(ResponseHeadError) {
      guard case .complete(let head) = try parser.consume(line: Array(headerLine)) else { return true }
      return receive(head)
    } catch {
      verdict = ExchangeFailure(
        error.isExcess ? .headTooLarge : .malformedResponse, message: "the head of the response is refused: \(error)")
      return false
    }
  }

  /// Takes a piece of the body.
  func receive(body bytes: UnsafeRawBufferPointer) -> BodyDemand {
    guard verdict == nil else { return .stop }
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
    patience.noteHead()
    if hop.url.origin.isSecure, !head.delimitsBody { easy.watchConnection() }
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
    guard bandwidth.shares.isLimited || takenAhead > 0 else { return handOver(bytes) }
    // libcurl keeps all of a piece or nothing of it, and hands it over again from its beginning.
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(takenAhead))
    let granted = bandwidth.shares.take(upTo: rest.count, for: exchange.id)
    if granted < rest.count { pause(for: .bandwidth) }
    guard granted > 0 else { return rest.isEmpty ? done() : .pause }
    switch handOver(UnsafeRawBufferPointer(rebasing: rest.prefix(granted))) {
    case .more: break
    case .pause:
      bandwidth.shares.giveBack(granted, of: exchange.id)
      return .pause
    case .stop: return .stop
    }
    guard granted < rest.count else { return done() }
    takenAhead += granted
    return .pause
  }

  /// The whole piece has been handed over, in parts.
  private func done() -> BodyDemand {
    takenAhead = 0
    return .more
  }

  private func handOver(_ bytes: UnsafeRawBufferPointer) -> BodyDemand {
    let demand = delegate.exchange(exchange, received: bytes)
    patience.noteProgress(bytes: demand == .more ? bytes.count : 0)
    switch demand {
    case .more: bytesReceived += Int64(bytes.count)
    case .pause: pause(for: .delegate)
    case .stop: _ = refuse()
    }
    return demand
  }

  private func pause(for reason: Pauses) {
    pauses.insert(reason)
    patience.notePause()
  }

  /// Opens a socket, or notes why there is none.
  func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    do throws(ExchangeFailure) {
      return try sockets.open(to: address, by: request.route)
    } catch {
      socketRefusal = error
      return CURL_SOCKET_BAD
    }
  }

  /// Sees whether TLS has said that the connection is at its end.
  func lookAtConnection() {
    hasSignedEnd = easy.hasSignedEnd
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
      let failure = ExchangeFailure(
        code, errorText: easy.errorText, headWasSeen: headWasSeen, proxyStatus: easy.proxyStatus)
      if failure.reason == .connectFailed, let socketRefusal { return .finished(.failure(socketRefusal)) }
      return failure.reason == .connectionLost ? ending(failure) : .finished(.failure(failure))
    }
    guard case .body(let head) = phase else {
      return .finished(.failure(ExchangeFailure(.connectionLost, message: "the connection closed within the head")))
    }
    let summary = summary(of: head)
    // Who can close the connection could otherwise cut the body: RFC 9112 section 9.8 has it incomplete.
    guard summary.isDelimited || hasSignedEnd != false else {
      let message = "the connection closed without a TLS close_notify, so nobody can say whether the body is complete"
      return .finished(.failure(ExchangeFailure(.connectionLost, message: message)))
    }
    return .finished(.success(summary))
  }

  /// What is to be done now that the hop has taken too long; libcurl is not done with it.
  func conclusion(impatient failure: ExchangeFailure) -> Conclusion {
    if case .redirected(let location, _) = phase { return .redirect(location: location) }
    return failure.reason == .stalled ? ending(failure) : .finished(.failure(failure))
  }

  /// An origin may close an idle connection just when the next request comes, or the network behind it has changed and
  /// nobody hears. An HTTP/2 connection may go away with streams that it has not processed. That is no failure of the
  /// origin's: the hop is repeated, once, as RFC 9110 section 9.2.2 allows for GET.
  ///
  /// | before any byte of an answer, on a connection kept for us | libcurl 7.88 |
  /// |---|---|
  /// | HTTP/1.1: closed or reset; HTTP/2: stream refused | repeats by itself |
  /// | HTTP/2: GOAWAY, also on a fresh connection | fails with `CURLE_HTTP2` |
  /// | HTTP/2: closed | fails with `CURLE_PARTIAL_FILE` |
  /// | silence | waits |
  private func ending(_ failure: ExchangeFailure) -> Conclusion {
    let isOnlyTheConnection = easy.usesEarlierConnection || failure.curlCode == Int(CURLE_HTTP2.rawValue)
    let isWorthRepeating = isOnlyTheConnection && !isRepetition && !hasAnswer
    return isWorthRepeating ? .repetition : .finished(.failure(failure))
  }

  /// Lets libcurl go on, unless there is something else to wait for. It may call back from within, and fail.
  func unpause(_ reason: Pauses) -> CURLcode {
    guard pauses.remove(reason) != nil, pauses.isEmpty else { return CURLE_OK }
    patience.notePause()
    return curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  /// Tells the delegate that time passes; a failure if too much has passed without a byte.
  func tick(now: SuspendingClock.Instant) -> ExchangeFailure? {
    tellFetched()
    delegate.exchangeDidTick(exchange)
    return patience.check(now: now, isPaused: !pauses.isEmpty, isConnected: easy.isConnected)
  }

  /// Tells the delegate what has come over the network. To be called before the hop is given up.
  func tellFetched() {
    let bytes = easy.bodyBytes
    guard bytes > bytesTold, easy.peer?.isLoopback != true else { return }
    delegate.exchange(exchange, fetched: bytes - bytesTold)
    bytesTold = bytes
  }

  private var headWasSeen: Bool {
    if case .awaitingHead = phase { false } else { true }
  }

  private func summary(of head: ResponseHead) -> ExchangeSummary {
    ExchangeSummary(
      bytesReceived: bytesReceived, contentLength: head.contentLength, isDelimited: head.delimitsBody)
  }
}

extension ResponseHead {
  /// Whether something else than the end of the connection ends the body (RFC 9112 section 6.3).
  fileprivate var delimitsBody: Bool {
    let hasNoBody = status == 204 || status == 304
    return contentLength != nil || hasTransferEncoding || httpVersion.delimitsEveryBody || hasNoBody
  }
}
