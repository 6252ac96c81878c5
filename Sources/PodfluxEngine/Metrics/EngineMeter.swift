import CoreMetrics
import EngineRuntime
import PodfluxCore

/// Counts what happens in an engine, and reads the gauges when they are wanted. Used on the queue of turns only.
///
/// Events are counted from committed batches: what a service reports counts once, however often it was delivered. A
/// tick of a running download costs a comparison.
struct EngineMeter {
  private let bytesReceived: Counter
  private let bytesDiscarded: [RestartCause: Counter]
  private let attempts: [AttemptResult: Counter]
  private let turns: Counter
  private let refreshes: [RefreshResult: Counter]
  private let downloads: [VisibleState: Meter]
  private let mailboxRequests: Meter
  private let clients: Meter
  private let feeds: Meter
  private let episodes: Meter
  private let freeBytes: Meter
  private let turnSeconds: CoreMetrics.Timer
  private let commitSeconds: CoreMetrics.Timer

  private enum AttemptResult: String, CaseIterable {
    case completed, failed, stopped
  }

  private enum RefreshResult: String, CaseIterable {
    case refreshed, unchanged, failed, stopped
  }

  /// Makes all metrics, so that each is there with 0 before anything happens.
  init(_ factory: any MetricsFactory) {
    func counter(_ metric: EngineMetric, _ labels: [(String, String)] = []) -> Counter {
      Counter(label: metric.rawValue, dimensions: labels, factory: factory)
    }
    func meter(_ metric: EngineMetric, _ labels: [(String, String)] = []) -> Meter {
      Meter(label: metric.rawValue, dimensions: labels, factory: factory)
    }
    func counters<Label: RawRepresentable<String> & CaseIterable & Hashable>(
      _ metric: EngineMetric, by name: String
    ) -> [Label: Counter] {
      Dictionary(uniqueKeysWithValues: Label.allCases.map { ($0, counter(metric, [(name, $0.rawValue)])) })
    }
    bytesReceived = counter(.bytesReceived)
    bytesDiscarded = counters(.bytesDiscarded, by: "cause")
    attempts = counters(.attempts, by: "result")
    turns = counter(.turns)
    refreshes = counters(.refreshes, by: "result")
    downloads = Dictionary(
      uniqueKeysWithValues: VisibleState.all.map {
        ($0, meter(.downloads, [("state", $0.kind.rawValue), ("reason", $0.reason?.rawValue ?? "")]))
      })
    mailboxRequests = meter(.mailboxRequests)
    clients = meter(.clients)
    feeds = meter(.feeds)
    episodes = meter(.episodes)
    freeBytes = meter(.freeBytes)
    turnSeconds = CoreMetrics.Timer(label: EngineMetric.turnSeconds.rawValue, factory: factory)
    commitSeconds = CoreMetrics.Timer(label: EngineMetric.commitSeconds.rawValue, factory: factory)
    meter(.buildInfo, [("version", Engine.version)]).set(1)
  }

  // MARK: Events

  /// Counts the reports in a committed batch.
  func count(_ actions: [Action]) {
    for action in actions {
      switch action {
      case .attempt(let report): count(report)
      case .refresh(let report): count(report)
      default: break
      }
    }
  }

  private func count(_ report: AttemptReport) {
    if report.fetched > 0 { bytesReceived.increment(by: report.fetched) }
    switch report.news {
    case .restarting(let bytes, let cause): bytesDiscarded[cause]?.increment(by: bytes)
    case .finished: attempts[.completed]?.increment()
    case .failed: attempts[.failed]?.increment()
    case .stopped, .pathRefused: attempts[.stopped]?.increment()
    case .reading, .checkpoint, .publishing: break
    }
  }

  private func count(_ report: RefreshReport) {
    if report.fetched > 0 { bytesReceived.increment(by: report.fetched) }
    switch report.news {
    // Without a new body there is no new rhythm.
    case .refreshed(let findings): refreshes[findings.rhythm == nil ? .unchanged : .refreshed]?.increment()
    case .failed: refreshes[.failed]?.increment()
    case .stopped: refreshes[.stopped]?.increment()
    case .described, .appeared, .changed, .listed, .moved: break
    }
  }

  /// Counts a turn that was committed.
  func countTurn(lasting turn: Duration, commit: Duration) {
    turns.increment()
    turnSeconds.recordNanoseconds(turn.nanoseconds)
    commitSeconds.recordNanoseconds(commit.nanoseconds)
  }

  // MARK: Gauges

  func show(_ states: [VisibleState: Int]) {
    for (state, meter) in downloads { meter.set(states[state, default: 0]) }
  }

  func show(feeds number: Int, episodes known: Int64) {
    feeds.set(number)
    episodes.set(known)
  }

  func show(freeBytes bytes: Int64) {
    freeBytes.set(bytes)
  }

  func show(mailboxRequests number: Int, clients connected: Int) {
    mailboxRequests.set(number)
    clients.set(connected)
  }
}

extension Duration {
  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  /// The duration in nanoseconds; 292 years at most.
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    guard seconds < Int64.max / Self.nanosecondsPerSecond else { return .max }
    return seconds * Self.nanosecondsPerSecond + attoseconds / Self.nanosecondsPerSecond
  }
}
