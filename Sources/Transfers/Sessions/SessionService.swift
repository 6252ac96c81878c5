import Dispatch
import EngineRuntime
import Flux
import PodfluxCore
import Synchronization

/// Opens sessions: makes their credentials ready for the requests on the curl thread of a `TransferService`, and gets
/// tokens anew. What has to survive is in the vault before anything is told of it.
///
/// Every call is thread safe, returns at once and may be repeated.
package final class SessionService: Sendable {
  private struct State {
    var openings = SessionOpenings<SessionOperation>()
    /// Whether the vault is to write something again.
    var isWritingLater = false
  }

  /// After how long the vault tries again to write what it could not.
  package static let pauseOfWrites = DispatchTimeInterval.seconds(60)

  private let transfers: TransferService
  private let vault: any SecretVault
  /// The vault waits for the disk.
  private let queue = DispatchQueue(label: "podflux.sessions", qos: .default)
  private let state = Mutex(State())
  private let pauseOfWrites: DispatchTimeInterval
  private let readClock: @Sendable () -> ClockReading
  private let post: @Sendable (SessionFact) -> Void
  private let failed: @Sendable (Failure) -> Void

  /// What could not be done with a secret; each has its reason, without the secret.
  package enum Failure: Sendable {
    /// A secret could not be deleted.
    case deleting(String)
    /// A token that a server has just issued could not be written.
    case writing(String)
  }

  /// - Parameters:
  ///   - transfers: Must outlive the service.
  ///   - pauseOfWrites: After how long the vault tries again to write what it could not.
  ///   - post: Receives what is found out; called from any thread, must not block.
  ///   - failed: Hears why a secret could not be deleted, which the next start tries again, or written, which is tried
  ///     again with each change of the vault, after each pause, and at the end.
  package init(
    transfers: TransferService, vault: any SecretVault,
    pauseOfWrites: DispatchTimeInterval = SessionService.pauseOfWrites,
    readClock: @escaping @Sendable () -> ClockReading, post: @escaping @Sendable (SessionFact) -> Void,
    failed: @escaping @Sendable (Failure) -> Void
  ) {
    self.transfers = transfers
    self.vault = vault
    self.pauseOfWrites = pauseOfWrites
    self.readClock = readClock
    self.post = post
    self.failed = failed
  }

  /// Carries an order out, or begins to.
  package func carryOut(_ order: SessionOrder) {
    switch order {
    case .open(let opening): open(opening)
    case .leave(let session): leave(session)
    case .forget(let reference): onVault { vault throws(SecretVaultFailure) in try vault.forget(reference) }
    case .sweep(let references):
      onVault { vault throws(SecretVaultFailure) in try vault.sweep(keeping: Set(references)) }
    }
  }

  private func open(_ opening: SessionOpening) {
    let (new, obsolete) = state.withLock { $0.openings.open(opening, make: operation) }
    obsolete?.stop()
    new?.begin()
  }

  private func operation(for opening: SessionOpening) -> SessionOperation {
    SessionOperation(
      opening, vault: vault, driver: transfers.driver, queue: queue, readClock: readClock,
      held: { [weak self] failure in
        self?.failed(.writing(failure.message))
        self?.writeLater()
      },
      ended: { [weak self] fact in self?.end(opening.id, telling: fact) })
  }

  private func leave(_ session: SessionID) {
    state.withLock { $0.openings.leave(session) }?.leave()
    // Behind what the opening may just have adopted, and before what the next one adopts.
    queue.async { [self] in transfers.driver.credentials.leave(session) }
  }

  private func end(_ id: SessionOpening.ID, telling fact: SessionFact?) {
    let (isTold, next) = state.withLock { $0.openings.end(id, make: operation) }
    if isTold, let fact { post(fact) }
    next?.begin()
  }

  private func onVault(_ body: @escaping @Sendable (any SecretVault) throws(SecretVaultFailure) -> Void) {
    queue.async { [self] in
      do throws(SecretVaultFailure) {
        try body(vault)
      } catch {
        failed(.deleting(error.message))
      }
    }
  }

  /// Has the vault try once more, and again if that is in vain.
  private func writeLater() {
    let isNew = state.withLock { state in
      defer { state.isWritingLater = true }
      return !state.isWritingLater && !state.openings.isEnding
    }
    guard isNew else { return }
    queue.asyncAfter(deadline: .now() + pauseOfWrites) { [weak self] in
      guard let self, !state.withLock({ $0.openings.isEnding }) else { return }
      state.withLock { $0.isWritingLater = false }
      if !writeHeld() { writeLater() }
    }
  }

  /// Whether the vault has written all.
  @discardableResult
  private func writeHeld() -> Bool {
    do throws(SecretVaultFailure) {
      try vault.writeHeld()
      return true
    } catch {
      failed(.writing(error.message))
      return false
    }
  }

  /// Ends the openings that are under way. They are begun anew at the next start; what a server issues meanwhile is
  /// kept.
  package func stop() {
    for operation in state.withLock({ $0.openings.endAll() }) { operation.stop() }
  }

  /// Returns when the vault has written what it could, and is not touched any more. Call it when the transfers are shut
  /// down: then no answer can come.
  package func shutDown() {
    queue.sync { _ = writeHeld() }
  }
}
