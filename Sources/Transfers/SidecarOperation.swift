import Dispatch
import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import Synchronization

/// The shell of one `SidecarAttempt`: a serial queue for its events and its files, and an exchange on the curl thread.
final class SidecarOperation<Files: LibraryFileSystem & Sendable>: AsynchronousOperation, @unchecked Sendable {
  // `@unchecked`: inherited from Operation. Everything below is immutable, locked, or used on `queue` only.

  /// What the curl thread and the queue share.
  private struct Flow {
    var exchange: HTTPExchange?
    var arrived = ArrivedBytes()
    /// Bytes of the body that have come.
    var bytes = 0
    /// Bytes received over the network since the last report.
    var fetched: Int64 = 0
  }

  private let fetch: SidecarFetch
  private let driver: CurlDriver
  private let queue: DispatchQueue
  /// On `queue` only.
  private var attempt: SidecarAttempt<Files>
  /// Whether the operation's queue has started it, and whether it has ended without a report; on `queue` only.
  private var (hasBegun, isAbandoned) = (false, false)
  private let flow = Mutex(Flow())
  private let readClock: @Sendable () -> ClockReading
  private let report: @Sendable (SidecarReport) -> Void
  private let ended: @Sendable (SidecarFetch.ID) -> Void
  private let isOpen: @Sendable () -> Bool

  /// - Parameters:
  ///   - gathered: What an attempt has just fetched from there; nil if none has.
  ///   - isOpen: Whether the library is held. Once it is not, no file is touched any more.
  init(
    _ fetch: SidecarFetch, gathered: [UInt8]?, files: Files, driver: CurlDriver, target: DispatchQueue,
    readClock: @escaping @Sendable () -> ClockReading, report: @escaping @Sendable (SidecarReport) -> Void,
    ended: @escaping @Sendable (SidecarFetch.ID) -> Void, isOpen: @escaping @Sendable () -> Bool
  ) {
    self.fetch = fetch
    self.driver = driver
    queue = DispatchQueue(label: "podflux.sidecar", target: target)
    attempt = SidecarAttempt(fetch, gathered: gathered, files: files)
    self.readClock = readClock
    self.report = report
    self.ended = ended
    self.isOpen = isOpen
    super.init()
    qualityOfService = .background
  }

  override func begin() {
    queue.async { [self] in
      hasBegun = true
      handle(.begin)
    }
  }

  /// The store has committed the file's row: the file may get its name.
  func proceed() { hand(in: .proceed) }

  /// Ends the fetch; its last report is `stopped`.
  func stop() { hand(in: .stop) }

  private func hand(in event: SidecarEvent) {
    queue.async { [self] in handle(event) }
  }

  private func handle(_ event: SidecarEvent) {
    guard isOpen() else {
      // An operation cannot end before it has begun.
      if hasBegun, !attempt.hasEnded, !isAbandoned { abandon() }
      return
    }
    for command in attempt.handle(event, at: readClock()) { obey(command) }
  }

  /// The library is given up: the exchange ends, and no report follows.
  private func abandon() {
    isAbandoned = true
    flow.withLock { $0.exchange }?.cancel()
    ended(fetch.id)
    finish()
  }

  private func obey(_ command: SidecarCommand) {
    switch command {
    case .startExchange(let request): flow.withLock { $0.exchange = driver.start(request, delegate: self) }
    case .cancelExchange: flow.withLock { $0.exchange }?.cancel()
    case .report(let report): self.report(counted(report))
    case .end(let report):
      // The service forgets the fetch before the store hears that it has ended and may start another.
      ended(fetch.id)
      self.report(counted(report))
      finish()
    }
  }

  private func counted(_ report: SidecarReport) -> SidecarReport {
    var report = report
    report.fetched = flow.withLock { flow in
      defer { flow.fetched = 0 }
      return flow.fetched
    }
    return report
  }
}

/// Calls of the curl thread. Each takes microseconds.
extension SidecarOperation: HTTPExchangeDelegate {
  func exchange(_ exchange: HTTPExchange, received head: ResponseHead) -> HeadDemand {
    hand(in: .head(head))
    return head.sidecarDemand
  }

  func exchange(_ exchange: HTTPExchange, received bytes: UnsafeRawBufferPointer) -> BodyDemand {
    let (isTooLong, beginsPiece) = flow.withLock { flow in
      flow.bytes += bytes.count
      return (flow.bytes > fetch.kind.maximumBytes, flow.arrived.add(bytes))
    }
    if beginsPiece { queue.async { [self] in handle(.body(flow.withLock { $0.arrived.take() })) } }
    return isTooLong ? .stop : .more
  }

  func exchange(_ exchange: HTTPExchange, fetched bytes: Int64) {
    flow.withLock { $0.fetched += bytes }
  }

  func exchangeDidTick(_ exchange: HTTPExchange) {}

  func exchange(_ exchange: HTTPExchange, finished result: Result<ExchangeSummary, ExchangeFailure>) {
    flow.withLock { $0.exchange = nil }
    hand(in: .exchangeEnded(result))
  }
}
