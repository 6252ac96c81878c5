import Dispatch
import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import Synchronization

/// Runs refreshes of feeds: each is a `RefreshOperation` on one `OperationQueue`, on the curl thread of a `TransferService`.
///
/// Every call is thread safe, returns at once and may be repeated.
public final class RefreshService<Rows: EpisodeReader & Sendable>: Sendable {
  private let transfers: TransferService
  private let rows: Rows
  private let operations = OperationQueue()
  /// Feeds are parsed beside everything else, and behind what a person waits for.
  private let queue = DispatchQueue(label: "podflux.refreshes", qos: .utility, attributes: .concurrent)
  private let running = Mutex<[FeedRefresh.ID: RefreshOperation<Rows>]>([:])
  private let readClock: @Sendable () -> ClockReading
  private let report: @Sendable (RefreshReport) -> Void

  /// - Parameters:
  ///   - transfers: Must outlive the service.
  ///   - rows: Where the known episodes are read.
  ///   - report: Receives the reports; called from any thread, must not block.
  package init(
    transfers: TransferService, rows: Rows, readClock: @escaping @Sendable () -> ClockReading,
    report: @escaping @Sendable (RefreshReport) -> Void
  ) {
    self.transfers = transfers
    self.rows = rows
    self.readClock = readClock
    self.report = report
    // The store decides on admission: every refresh that comes here runs.
    operations.maxConcurrentOperationCount = PodcastsStore.Limits.refreshes
  }

  /// Starts a refresh; does nothing if it was started already.
  public func start(_ refresh: FeedRefresh) {
    let operation = running.withLock { running -> RefreshOperation<Rows>? in
      guard running[refresh.id] == nil else { return nil }
      let operation = RefreshOperation(
        refresh, rows: rows, driver: transfers.driver, target: queue, readClock: readClock, report: report
      ) { [weak self] id in
        self?.running.withLock { $0[id] = nil }
      }
      running[refresh.id] = operation
      return operation
    }
    if let operation { operations.addOperation(operation) }
  }

  /// Lets a refresh continue behind the report that is committed.
  public func proceed(_ refresh: FeedRefresh.ID) {
    running.withLock { $0[refresh] }?.proceed()
  }

  /// Stops a refresh.
  public func stop(_ refresh: FeedRefresh.ID) {
    running.withLock { $0[refresh] }?.stop()
  }
}
