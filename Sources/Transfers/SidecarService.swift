import Dispatch
import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import Synchronization

/// Carries out what the store of sidecars asks for: each fetch is a `SidecarOperation` on one `OperationQueue`, on the
/// curl thread of a `TransferService`; files are deleted, moved and looked at on a queue of their own, behind all other
/// work.
///
/// Every call is thread safe, returns at once and may be repeated.
package final class SidecarService<Files: LibraryFileSystem & Sendable>: Sendable {
  private let transfers: TransferService
  private let files: Files
  private let operations = OperationQueue()
  private let queue = DispatchQueue(label: "podflux.sidecars", qos: .background, attributes: .concurrent)
  private let errands = DispatchQueue(label: "podflux.sidecar-files", qos: .background)
  private let running = Mutex<[SidecarFetch.ID: SidecarOperation<Files>]>([:])
  private let isEnding = Atomic(false)
  private let readClock: @Sendable () -> ClockReading
  private let post: @Sendable (SidecarFact) -> Void

  /// - Parameters:
  ///   - transfers: Must outlive the service.
  ///   - post: Receives what is found out; called from any thread, must not block.
  package init(
    transfers: TransferService, files: Files, readClock: @escaping @Sendable () -> ClockReading,
    post: @escaping @Sendable (SidecarFact) -> Void
  ) {
    self.transfers = transfers
    self.files = files
    self.readClock = readClock
    self.post = post
    // The store decides on admission: every fetch that comes here runs.
    operations.maxConcurrentOperationCount = SidecarLimits.fetches
  }

  /// Carries an order out, or begins to.
  package func carryOut(_ order: SidecarOrder) {
    switch order {
    case .fetch(let fetch): start(fetch)
    case .proceed(let id): running.withLock { $0[id] }?.proceed()
    case .stop(let id):
      guard let operation = running.withLock({ $0[id] }) else { break }
      operation.stop()
      transfers.gate.letThrough(operation)
    case .delete, .move, .look:
      errands.async { [self] in
        guard !isEnding.load(ordering: .relaxed), let fact = files.carryOut(order) else { return }
        post(fact)
      }
    }
  }

  private func start(_ fetch: SidecarFetch) {
    let operation = running.withLock { now -> SidecarOperation<Files>? in
      guard now[fetch.id] == nil else { return nil }
      let operation = SidecarOperation(
        fetch, gathered: transfers.gathered.take(fetch), files: files, driver: transfers.driver, target: queue,
        readClock: readClock, report: { [post] in post(.fetch($0)) },
        ended: { [self] id in running.withLock { $0[id] = nil } },
        isOpen: { [self] in !isEnding.load(ordering: .relaxed) })
      now[fetch.id] = operation
      return operation
    }
    if let operation { transfers.gate.add(operation, to: operations) }
  }

  /// Returns when no file is being changed any more. A fetch that has not ended in time ends without a report; what is
  /// left is done the next time.
  package func shutDown() {
    isEnding.store(true, ordering: .sequentiallyConsistent)
    errands.sync {}
    queue.sync(flags: .barrier) {}
    for operation in running.withLock({ Array($0.values) }) {
      operation.stop()
      transfers.gate.letThrough(operation)
    }
  }
}
