import Dispatch
import EngineRuntime
import Flux
import PodfluxCore
import Synchronization

/// The shell of one `SessionAttempt`: a queue for its events, which the vault is called on too, and an exchange on the
/// curl thread.
final class SessionOperation: Sendable {
  /// What the curl thread and the queue share.
  private struct Flow {
    var attempt: SessionAttempt
    var exchange: HTTPExchange?
    var status: Int?
    var body: [UInt8] = []
  }

  let id: SessionOpening.ID
  private let driver: CurlDriver
  private let queue: DispatchQueue
  private let flow: Mutex<Flow>
  private let readClock: @Sendable () -> ClockReading
  private let held: @Sendable (SecretVaultFailure) -> Void
  private let ended: @Sendable (SessionFact?) -> Void

  /// - Parameters:
  ///   - queue: A serial one.
  ///   - held: Called on the queue if a token could not be written.
  ///   - ended: Called once, on the queue, with what is to be told, if anything is.
  init(
    _ opening: SessionOpening, vault: any SecretVault, driver: CurlDriver, queue: DispatchQueue,
    readClock: @escaping @Sendable () -> ClockReading, held: @escaping @Sendable (SecretVaultFailure) -> Void,
    ended: @escaping @Sendable (SessionFact?) -> Void
  ) {
    id = opening.id
    self.driver = driver
    self.queue = queue
    self.readClock = readClock
    self.held = held
    self.ended = ended
    flow = Mutex(Flow(attempt: SessionAttempt(opening, vault: vault)))
  }

  func begin() { hand(in: .begin) }

  /// The session was left: a token that still comes is kept, and nothing is posted.
  func leave() { hand(in: .leave) }

  /// The opening is to end; what a server has issued by then is in the vault all the same.
  func stop() { hand(in: .stop) }

  private func hand(in event: SessionEvent) {
    queue.async { [self] in
      let now = readClock()
      for command in flow.withLock({ $0.attempt.handle(event, at: now) }) { obey(command) }
    }
  }

  private func obey(_ command: SessionCommand) {
    switch command {
    case .request(let request): flow.withLock { $0.exchange = driver.start(HTTPRequest(request), delegate: self) }
    case .cancelRequest: flow.withLock { $0.exchange }?.cancel()
    case .adopt(let credentials): driver.credentials.adopt(credentials)
    case .held(let failure): held(failure)
    case .end(let fact): ended(fact)
    case .endSilently: ended(nil)
    }
  }
}

/// Calls of the curl thread. Each takes microseconds.
extension SessionOperation: HTTPExchangeDelegate {
  func exchange(_ exchange: HTTPExchange, received head: ResponseHead) -> HeadDemand {
    flow.withLock { $0.status = head.status }
    return .proceed
  }

  func exchange(_ exchange: HTTPExchange, received bytes: UnsafeRawBufferPointer) -> BodyDemand {
    flow.withLock { flow in
      // One byte more than the maximum shows that the answer is too long.
      flow.body += bytes.prefix(TokenAnswer.maximumBytes + 1 - flow.body.count)
      return flow.body.count > TokenAnswer.maximumBytes ? .stop : .more
    }
  }

  func exchange(_ exchange: HTTPExchange, fetched bytes: Int64) {}

  func exchangeDidTick(_ exchange: HTTPExchange) {}

  func exchange(_ exchange: HTTPExchange, finished result: Result<ExchangeSummary, ExchangeFailure>) {
    let (status, body) = flow.withLock { flow in
      defer { (flow.exchange, flow.body) = (nil, []) }
      return (flow.status, flow.body)
    }
    switch (result, status) {
    case (.success, let status?): hand(in: .answered(TokenAnswer(status: status, body: body)))
    case (.failure(let failure), let status?) where failure.reason == .refusedByDelegate:
      hand(in: .answered(TokenAnswer(status: status, body: body)))
    case (.failure(let failure), _): hand(in: .answered(.failed(DownloadError(failure))))
    case (.success, nil):
      hand(in: .answered(.failed(DownloadError(.connectionLost, "the token server answered nothing"))))
    }
  }
}

extension HTTPRequest {
  fileprivate init(_ request: TokenRequest) {
    self.init(
      url: request.address.description,
      ownFields: [("Accept", "application/json"), ("Accept-Encoding", "identity")],
      userAgent: request.settings.userAgent,
      connectTimeoutMilliseconds: request.settings.connectTimeoutSeconds * 1000,
      firstByteTimeoutMilliseconds: request.settings.firstByteTimeoutSeconds * 1000,
      stallTimeoutMilliseconds: request.settings.stallTimeoutSeconds * 1000,
      slowBytesPerSecond: Self.leastBytesPerSecond, route: request.route)
    reach = request.settings.reach(of: .person)
    form = request.form
    followsRedirects = false
  }
}
