import Dispatch
import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import Synchronization

/// The shell of one `RefreshAttempt`: a serial queue for its events, and an exchange on the curl thread.
///
/// The curl thread only copies what comes; parsing happens on the queue. If more has come than is parsed, the exchange
/// is paused.
final class RefreshOperation: AsynchronousOperation, @unchecked Sendable {
  // `@unchecked`: inherited from Operation. Everything below is immutable, locked, or used on `queue` only.

  /// What the curl thread, the service and the queue share.
  private struct Flow {
    /// The request that waits for a slot.
    var request: HTTPRequest?
    var exchange: HTTPExchange?
    /// The head that has come and waits for what follows it: mostly that comes at once, and one wake-up is for both.
    var head: ResponseHead?
    var arrived = ArrivedBytes()
    /// Bytes that have come and are not parsed.
    var waitingBytes = 0
    var isPaused = false
    /// Bytes of bodies that have come over the network since the last report.
    var fetched: Int64 = 0
  }

  private let id: FeedRefresh.ID
  private let driver: CurlDriver
  private let queue: DispatchQueue
  /// On `queue` only.
  private var attempt: RefreshAttempt
  private let flow = Mutex(Flow())
  private let readClock: @Sendable () -> ClockReading
  private let wantsExchange: (@Sendable (FeedRefresh.ID, _ host: String) -> Void)?
  private let withdrew: @Sendable (FeedRefresh.ID) -> Void
  private let report: @Sendable (RefreshReport) -> Void
  private let ended: @Sendable (FeedRefresh.ID) -> Void

  /// - Parameters:
  ///   - refresh: What is refreshed.
  ///   - rows: Where the known episodes are read.
  ///   - followsDocument: Whether the feed is read where its document says that it has moved to.
  ///   - driver: The curl thread.
  ///   - target: On which queue events are handled, one after the other.
  ///   - readClock: Reads both clocks.
  ///   - wantsExchange: Called for an exchange with a host, so that `beginExchange` is called when there is a slot; nil
  ///     if each may begin at once.
  ///   - withdrew: Called when an exchange that has not begun is wanted no more.
  ///   - report: Receives the reports, in their order.
  ///   - ended: Called before the last report.
  init(
    _ refresh: FeedRefresh, rows: any EpisodeReader & Sendable, followsDocument: Bool = true, driver: CurlDriver,
    target: DispatchQueue,
    readClock: @escaping @Sendable () -> ClockReading,
    wantsExchange: (@Sendable (FeedRefresh.ID, _ host: String) -> Void)? = nil,
    withdrew: @escaping @Sendable (FeedRefresh.ID) -> Void = { _ in },
    report: @escaping @Sendable (RefreshReport) -> Void, ended: @escaping @Sendable (FeedRefresh.ID) -> Void
  ) {
    id = refresh.id
    self.driver = driver
    queue = DispatchQueue(label: "podflux.refresh", target: target)
    // A refresh begins when its session is open.
    let secret = refresh.session.flatMap { driver.credentials[$0.session]?.addressSecret }
    attempt = RefreshAttempt(refresh, rows: rows, followsDocument: followsDocument, secret: secret) {
      ContentDecoder.forFeed($0)
    }
    self.readClock = readClock
    (self.wantsExchange, self.withdrew) = (wantsExchange, withdrew)
    self.report = report
    self.ended = ended
    super.init()
    qualityOfService = .utility
  }

  /// On the thread of the operation queue: nothing else uses the operation's own queue yet, or only a stop.
  override func begin() { queue.sync { handle(.begin) } }

  /// The exchange may begin that was wanted. It may have been cancelled since.
  func beginExchange() {
    flow.withLock { flow in
      guard let request = flow.request else { return }
      flow.request = nil
      flow.waitingBytes = 0
      flow.isPaused = false
      flow.exchange = driver.start(request, delegate: self)
    }
  }

  /// The store has committed the last report.
  func proceed() { hand(in: .proceed) }

  /// Ends the refresh; its last report is `stopped`.
  func stop() { hand(in: .stop) }

  private func hand(in event: RefreshEvent) {
    queue.async { [self] in handle(event) }
  }

  private func handle(_ event: RefreshEvent) {
    var bytes = attempt.waitingBytes
    if case .body(let piece) = event { bytes += piece.count }
    for command in attempt.handle(event, at: readClock()) { obey(command) }
    // What waits for a commit is not taken yet.
    resume(after: bytes - attempt.waitingBytes)
  }

  private func obey(_ command: RefreshCommand) {
    switch command {
    case .startExchange(let request, let host):
      flow.withLock { $0.request = request }
      if let wantsExchange { wantsExchange(id, host) } else { beginExchange() }
    case .cancelExchange:
      let (waited, exchange) = flow.withLock { flow in
        defer { flow.request = nil }
        return (flow.request != nil, flow.exchange)
      }
      guard waited else {
        exchange?.cancel()
        return
      }
      withdrew(id)
      hand(in: .exchangeEnded(.failure(.cancelled)))
    case .report(let report): self.report(counted(report))
    case .end(let report):
      // The service forgets the refresh before the store hears that it has ended and may start another.
      ended(id)
      self.report(counted(report))
      finish()
    }
  }

  private func counted(_ report: RefreshReport) -> RefreshReport {
    var report = report
    report.fetched = flow.withLock { flow in
      defer { flow.fetched = 0 }
      return flow.fetched
    }
    return report
  }

  private func resume(after count: Int) {
    flow.withLock { flow in
      flow.waitingBytes = max(0, flow.waitingBytes - count)
      guard flow.isPaused, flow.waitingBytes <= RefreshLimits.waitingBytes / 2 else { return }
      flow.isPaused = false
      flow.exchange?.resume()
    }
  }
}

/// Calls of the curl thread. Each takes microseconds.
extension RefreshOperation: HTTPExchangeDelegate {
  func exchange(_ exchange: HTTPExchange, received head: ResponseHead) -> HeadDemand {
    flow.withLock { $0.head = head }
    return head.refreshDemand
  }

  func exchange(_ exchange: HTTPExchange, received bytes: UnsafeRawBufferPointer) -> BodyDemand {
    let beginsPiece = flow.withLock { flow -> Bool? in
      guard flow.waitingBytes + bytes.count <= RefreshLimits.waitingBytes else {
        flow.isPaused = true
        return nil
      }
      flow.waitingBytes += bytes.count
      return flow.arrived.add(bytes)
    }
    guard let beginsPiece else { return .pause }
    if beginsPiece {
      queue.async { [self] in
        handleHead()
        handle(.body(flow.withLock { $0.arrived.take() }))
      }
    }
    return .more
  }

  func exchange(_ exchange: HTTPExchange, fetched bytes: Int64) {
    flow.withLock { $0.fetched += bytes }
  }

  func exchangeDidTick(_ exchange: HTTPExchange) {}

  func exchange(_ exchange: HTTPExchange, finished result: Result<ExchangeSummary, ExchangeFailure>) {
    flow.withLock { $0.exchange = nil }
    queue.async { [self] in
      handleHead()
      handle(.exchangeEnded(result))
    }
  }

  private func handleHead() {
    let head = flow.withLock { flow in
      defer { flow.head = nil }
      return flow.head
    }
    if let head { handle(.head(head)) }
  }
}
