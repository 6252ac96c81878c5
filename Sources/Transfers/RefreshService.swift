import Dispatch
import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import Synchronization

/// Runs refreshes of feeds: each is a `RefreshOperation` on one `OperationQueue`, on the curl thread of a
/// `TransferService`.
///
/// Reports are gathered for some milliseconds, as long as a refresh runs that may report too: one commit then has
/// several. Each commit writes the pages that it changes and waits for the disk, which costs more than what most
/// reports say.
///
/// Every call is thread safe, returns at once and may be repeated.
package final class RefreshService: Sendable {
  private let transfers: TransferService
  private let rows: any EpisodeReader & Sendable
  private let operations = OperationQueue()
  /// Feeds are parsed beside everything else, and behind what a person waits for.
  private let queue = DispatchQueue(label: "podflux.refreshes", qos: .utility, attributes: .concurrent)
  /// Reports are posted here, each refresh's in its order.
  private let reports = DispatchQueue(label: "podflux.refresh-reports", qos: .utility)
  private let state = Mutex(State())
  private let readClock: @Sendable () -> ClockReading
  private let report: @Sendable (RefreshReport) -> Void

  private struct State {
    var running: [FeedRefresh.ID: RefreshOperation] = [:]
    var slots = ExchangeSlots()
    /// The running ones whose last report is not committed: they wait.
    var waiting: Set<FeedRefresh.ID> = []
    var gathered: [RefreshReport] = []
    /// Whether a moment is set at which the gathered reports are posted.
    var isDue = false

    /// Takes a report in. Returns when the gathered ones are to be posted; nil if that is set already.
    mutating func gather(_ report: RefreshReport) -> DispatchTime? {
      gathered.append(report)
      if running[report.refresh] != nil { waiting.insert(report.refresh) }
      if waiting.count == running.count { return .now() }
      guard !isDue else { return nil }
      isDue = true
      return .now() + .milliseconds(gatheringMilliseconds)
    }
  }

  /// How long reports are gathered: a feed is refreshed some minutes after it has changed, on average.
  private static let gatheringMilliseconds = 20

  /// - Parameters:
  ///   - transfers: Must outlive the service.
  ///   - rows: Where the known episodes are read.
  ///   - report: Receives the reports; called from any thread, must not block.
  package init(
    transfers: TransferService, rows: any EpisodeReader & Sendable, readClock: @escaping @Sendable () -> ClockReading,
    report: @escaping @Sendable (RefreshReport) -> Void
  ) {
    self.transfers = transfers
    self.rows = rows
    self.readClock = readClock
    self.report = report
    // The store decides on admission: every refresh that comes here runs.
    operations.maxConcurrentOperationCount = PodcastsStore.Limits.refreshes
  }

  /// Starts a refresh; does nothing if it was started already. Its exchanges begin when they have slots.
  package func start(_ refresh: FeedRefresh) {
    let operation = state.withLock { now -> RefreshOperation? in
      guard now.running[refresh.id] == nil else { return nil }
      let operation = RefreshOperation(
        refresh, rows: rows, driver: transfers.driver, target: queue, readClock: readClock,
        wantsExchange: { [self] id, host in change { $0.ask(for: id, on: host) } },
        withdrew: { [self] id in change { $0.leave(id) } },
        report: { [self] in gather($0) }, ended: { [self] in end($0) })
      now.running[refresh.id] = operation
      return operation
    }
    if let operation { transfers.refreshGate.add(operation, to: operations) }
  }

  /// Lets a refresh continue behind the report that is committed.
  package func proceed(_ refresh: FeedRefresh.ID) {
    state.withLock { state in
      state.waiting.remove(refresh)
      return state.running[refresh]
    }?.proceed()
  }

  package func stop(_ refresh: FeedRefresh.ID) {
    guard let operation = state.withLock({ $0.running[refresh] }) else { return }
    operation.stop()
    transfers.refreshGate.letThrough(operation)
  }

  // MARK: Slots

  /// Begins the exchanges that may after a change of the slots.
  private func change(_ change: (inout ExchangeSlots) -> [FeedRefresh.ID]) {
    let filled = state.withLock { state in change(&state.slots).compactMap { state.running[$0] } }
    for operation in filled { operation.beginExchange() }
  }

  private func end(_ refresh: FeedRefresh.ID) {
    state.withLock { state in
      state.running[refresh] = nil
      state.waiting.remove(refresh)
    }
    change { $0.leave(refresh) }
  }

  // MARK: Reports

  private func gather(_ report: RefreshReport) {
    guard let moment = state.withLock({ $0.gather(report) }) else { return }
    reports.asyncAfter(deadline: moment) { [self] in post() }
  }

  private func post() {
    let reports = state.withLock { state in
      defer { (state.gathered, state.isDue) = ([], false) }
      return state.gathered
    }
    for report in reports { self.report(report) }
  }
}
