import CCurl
import EngineRuntime
import PodfluxCore

/// An exchange on the driver's thread: its request, its progress, and the answers to libcurl's callbacks.
///
/// Only that thread uses it. libcurl holds an unretained pointer to it: the loop keeps it alive until its easy handle
/// is out of the multi handle.
final class CurlTransfer {
  let exchange: HTTPExchange
  let request: HTTPRequest
  private(set) var hop: HTTPHop
  /// Whether there are credentials of the request's session, for some hosts.
  private let hasSession: Bool
  private(set) var easy: EasyHandle
  let sockets: SocketTable
  private(set) var pauses: Pauses = []
  /// Whether this is the hop's second try, on a connection of its own.
  private(set) var isRepetition = false
  /// The version of HTTP over TLS that the hop asks for.
  private(set) var version = Version.newest
  /// Whether the hop is to be repeated with that version.
  private var isOfOtherVersion = false

  private let delegate: any HTTPExchangeDelegate
  private var parser: ResponseHeadParser
  private var phase = Phase.awaitingHead
  /// Why a callback made libcurl stop: libcurl only reports that one did.
  var verdict: ExchangeFailure?
  private var bytesReceived: Int64 = 0
  private var patience: StallDetector
  /// Whether TLS signed the connection's end; read only for bodies that end with the connection.
  private var hasSignedEnd: Bool?
  /// Whether the origin has begun to answer the hop's request.
  private var hasAnswer = false
  /// Whether the connection had bytes before anything was asked for over it.
  private var hadLeftovers = false
  /// The rate limit of all exchanges.
  private let bandwidth: BandwidthGate
  /// How many bytes of a piece the delegate has taken although libcurl keeps the whole piece: it comes again.
  private var takenAhead = 0
  /// How many bytes of the hop's body have been reported as fetched.
  private var bytesTold: Int64 = 0
  /// The 401 which libcurl may answer with a digest: it is the final head if no other comes.
  private var challenged: ResponseHead?
  /// How many of them have come in this hop; with too many it ends.
  private var challenges = 0
  /// Keeps the exchange to the addresses that its request may reach.
  var reach: ReachGuard
  /// Whether the hop goes through a proxy: then the connection's other end says nothing of the host.
  var isProxied = false
  /// Why the hop got no socket, or none for one of its host's addresses.
  private var socketRefusal: ExchangeFailure?
  /// Whether the hop got a socket.
  private var hasSocket = false

  /// Which version of HTTP over TLS is asked for.
  enum Version {
    /// HTTP/2 if the server has it.
    case newest
    /// HTTP/1.1, since the server has sent a body whose end HTTP/2 alone would mark.
    case http1
    /// HTTP/2 after all: the server answers nothing else.
    case newestAlone
  }

  /// The reasons for which an exchange is paused.
  struct Pauses: OptionSet {
    let rawValue: UInt8
    /// The delegate returned `.pause`.
    static let delegate = Pauses(rawValue: 1)
    /// The exchange waits for bandwidth.
    static let bandwidth = Pauses(rawValue: 2)
  }

  private enum Phase {
    case awaitingHead
    /// The body of a redirect is skipped, up to a limit.
    case redirected(Redirection, bytesSkipped: Int64)
    case body(ResponseHead)
  }

  /// How to continue after libcurl is done with a hop.
  enum Conclusion {
    /// The reused connection was dead: repeat the hop on a new one.
    case repetition
    case redirect(Redirection)
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
    reach = ReachGuard(start.request.reach)
    hasSession = start.credentials.map { $0.kind != .none } ?? false
    parser = Self.makeParser(for: hop, hasSession: hasSession)
    patience = StallDetector(request)
  }

  /// Starts the next hop, or repeats this one.
  func begin(_ next: HTTPHop, isRepetition: Bool, easy: EasyHandle) {
    hop = next
    self.isRepetition = isRepetition
    self.easy = easy
    parser = Self.makeParser(for: hop, hasSession: hasSession)
    (challenged, challenges) = (nil, 0)
    phase = .awaitingHead
    (hasAnswer, hadLeftovers) = (false, false)
    hasSignedEnd = nil
    (takenAhead, bytesTold, socketRefusal, hasSocket) = (0, 0, nil, false)
    patience = StallDetector(request)
  }

  /// Ends the exchange. Call it after the easy handle has left the multi handle, as the last call.
  func finish(_ result: Result<ExchangeSummary, ExchangeFailure>) {
    delegate.exchange(exchange, finished: result)
  }
}

// MARK: - What libcurl's callbacks answer

extension CurlTransfer {
  /// Whether a request may be sent over the connection; false aborts the hop. What lies unread on a connection that an
  /// earlier exchange has used would be taken for the answer. Within TLS it cannot be seen.
  func mayRequest(fromPort port: Int32) -> Bool {
    guard !hop.url.origin.isSecure, easy.usesEarlierConnection, sockets.hasUnreadBytes(atPort: port) else {
      return true
    }
    easy.distrustConnection()
    hadLeftovers = true
    return false
  }

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
    if let head = takeChallenged(), !receive(final: head) { return .stop }
    switch phase {
    case .awaitingHead: return .stop
    case .redirected(let redirection, let skipped): return skip(bytes.count, of: redirection, after: skipped)
    case .body: return deliver(bytes)
    }
  }

  private func receive(_ head: ResponseHead) -> Bool {
    // A head that follows a challenge is the answer to libcurl's.
    challenged = nil
    guard head.status == 401, hop.answersChallenges else { return receive(final: head) }
    challenges += 1
    challenged = head
    parser = Self.makeParser(for: hop, hasSession: hasSession)
    return !isChallengedTooOften
  }

  private var isChallengedTooOften: Bool { challenges > CurlLimits.maxChallenges }

  private func takeChallenged() -> ResponseHead? {
    defer { challenged = nil }
    return challenged
  }

  private static func makeParser(for hop: HTTPHop, hasSession: Bool) -> ResponseHeadParser {
    ResponseHeadParser(
      effectiveURL: hop.shownURL, redirects: hop.redirects, permanentURL: hop.permanentURL,
      lacksSession: hasSession && !hop.sendsSession)
  }

  private func receive(final head: ResponseHead) -> Bool {
    if request.followsRedirects, let redirection = head.redirection {
      phase = .redirected(redirection, bytesSkipped: 0)
      return head.contentLength ?? 0 <= CurlLimits.maxRedirectBodyBytes
    }
    if request.needsMarkedEnd, version == .newest, head.leavesEndToStream {
      isOfOtherVersion = true
      return false
    }
    var head = head
    head.peer = peer.addressClass
    phase = .body(head)
    patience.noteHead()
    if hop.url.origin.isSecure, !head.delimitsBody { easy.watchConnection() }
    switch delegate.exchange(exchange, received: head) {
    case .proceed: return true
    case .stop: return refuse()
    }
  }

  private func skip(_ count: Int, of redirection: Redirection, after skipped: Int64) -> BodyDemand {
    let skipped = skipped + Int64(count)
    phase = .redirected(redirection, bytesSkipped: skipped)
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

  /// The whole piece has been passed on, in parts.
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

  /// Opens a socket, or records why there is none.
  func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    do throws(ExchangeFailure) {
      if let refusal = refusal(of: SocketTable.peer(in: address)) { throw refusal }
      let socket = try sockets.open(to: address, by: request.route)
      hasSocket = true
      return socket
    } catch {
      socketRefusal = error
      return CURL_SOCKET_BAD
    }
  }

  /// Records whether TLS has signed the connection's end.
  func lookAtConnection() {
    hasSignedEnd = easy.hasSignedEnd
  }

  private func refuse() -> Bool {
    verdict = .refused
    return false
  }
}

// MARK: - What the loop asks

extension CurlTransfer {
  /// How to continue after libcurl is done with the hop.
  func conclusion(_ code: CURLcode) -> Conclusion {
    if hadLeftovers, !isRepetition { return .repetition }
    if isOfOtherVersion || version == .http1 && code != CURLE_OK && !headWasSeen {
      version = isOfOtherVersion ? .http1 : .newestAlone
      isOfOtherVersion = false
      return .repetition
    }
    let code = isChallengedTooOften ? CURLE_OK : code
    // libcurl had no answer to the challenge. What the delegate says of the head is in the verdict.
    if code == CURLE_OK, let head = takeChallenged() { _ = receive(final: head) }
    if let verdict { return .finished(.failure(verdict)) }
    // The redirect's location is known: how its own body ended does not matter.
    if case .redirected(let redirection, _) = phase { return .redirect(redirection) }
    guard code == CURLE_OK else {
      let failure = ExchangeFailure(
        code, errorText: easy.errorText, headWasSeen: headWasSeen, proxyStatus: easy.proxyStatus)
      // Of a host that has another address, too, that one's failure counts.
      if failure.reason == .connectFailed, let socketRefusal, !hasSocket || !socketRefusal.isOfReach {
        return .finished(.failure(socketRefusal))
      }
      return failure.reason == .connectionLost || isOfLeftovers(failure)
        ? ending(failure) : .finished(.failure(failure))
    }
    guard case .body(let head) = phase else {
      return .finished(.failure(ExchangeFailure(.connectionLost, message: "the connection closed within the head")))
    }
    let summary = summary(of: head)
    // An attacker who can close the connection could cut the body: RFC 9112 section 9.8 calls it incomplete.
    guard summary.isDelimited || hasSignedEnd != false else {
      let message = "the connection closed without a TLS close_notify, so the body may be incomplete"
      return .finished(.failure(ExchangeFailure(.connectionLost, message: message)))
    }
    return .finished(.success(summary))
  }

  /// How to continue after the hop has exceeded a timeout; libcurl is not done with it.
  func conclusion(impatient failure: ExchangeFailure) -> Conclusion {
    if case .redirected(let redirection, _) = phase { return .redirect(redirection) }
    return failure.reason == .stalled ? ending(failure) : .finished(.failure(failure))
  }

  /// An origin may close an idle connection just when the next request comes, or a network change may have broken it
  /// silently. An HTTP/2 connection may end with streams that it has not processed. None of this is the origin's
  /// failure: the hop is repeated once, as RFC 9110 section 9.2.2 allows for GET.
  ///
  /// | before any byte of an answer, on a reused connection | libcurl 7.88 |
  /// |---|---|
  /// | HTTP/1.1: closed or reset; HTTP/2: stream refused | repeats the request itself |
  /// | HTTP/2: GOAWAY, also on a new connection | fails with `CURLE_HTTP2` |
  /// | HTTP/2: closed | fails with `CURLE_PARTIAL_FILE` |
  /// | silence | waits |
  private func ending(_ failure: ExchangeFailure) -> Conclusion {
    let isOnlyTheConnection = easy.usesEarlierConnection || failure.curlCode == Int(CURLE_HTTP2.rawValue)
    let isWorthRepeating =
      isOnlyTheConnection && !isRepetition && (!hasAnswer || isOfLeftovers(failure)) && request.form == nil
    return isWorthRepeating ? .repetition : .finished(.failure(failure))
  }

  /// Whether what came may be the rest of an earlier answer, which was longer than its server had said.
  private func isOfLeftovers(_ failure: ExchangeFailure) -> Bool {
    failure.reason == .malformedResponse && !headWasSeen && easy.usesEarlierConnection
  }

  /// Resumes the transfer unless another pause remains. libcurl may call back during this call, and fail.
  func unpause(_ reason: Pauses) -> CURLcode {
    guard pauses.remove(reason) != nil, pauses.isEmpty else { return CURLE_OK }
    patience.notePause()
    return curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  /// Passes a tick to the delegate; returns a failure if a timeout has passed without a byte.
  func tick(now: SuspendingClock.Instant) -> ExchangeFailure? {
    tellFetched()
    delegate.exchangeDidTick(exchange)
    return patience.check(now: now, isPaused: !pauses.isEmpty, isConnected: easy.isConnected)
  }

  /// Reports to the delegate the bytes that came over the network. Call it before giving up the hop.
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
  /// Whether the body has a marked end other than the connection's (RFC 9112 section 6.3).
  fileprivate var delimitsBody: Bool {
    let hasNoBody = status == 204 || status == 304
    return contentLength != nil || hasTransferEncoding || httpVersion.delimitsEveryBody || hasNoBody
  }

  /// Whether the end of a whole file is marked by the end of an HTTP/2 stream alone: by no length, and by no coding.
  fileprivate var leavesEndToStream: Bool {
    hasWholeContent && contentLength == nil && !isCoded && httpVersion.delimitsEveryBody
  }
}
