import Dispatch
import EngineRuntime
import Flux
import Foundation
import Logging
import PodfluxCore
import Synchronization
import Vault

/// Puts an `EngineLoop` on the queue of turns, and is its host: opens the library, answers queries, and passes on
/// to the owner, the clients and the observers what happens.
final class EngineCore: @unchecked Sendable {
  // `@unchecked`: every member is used on `turns` alone, or is thread safe by itself.

  private let owner: any EngineOwner
  let logger: Logger
  /// The open library and its services; nil while the engine is suspended or has ended.
  private(set) var session: LibrarySession?
  private(set) lazy var loop = EngineLoop(mailbox: mailbox, host: self)
  private(set) lazy var observers = Observers(
    turns: turns, logger: logger, readStores: { [unowned self] in session?.stores })
  var clients = ConnectedClients()
  /// Clients whose requests the mailbox had no room for.
  let heldUp = Mutex<Set<ClientID>>([])
  /// How the engine has ended; nil before.
  var end: (reason: StopReason, revision: Int64)?
  private let lastClient = Atomic(0)
  /// The requests that are answered later, and are not yet.
  var pending = PendingRequests()
  /// Where files are read for requests. Some may hang; more than these wait, and cost no thread.
  let checks = {
    let queue = OperationQueue()
    queue.name = "podflux.checks"
    queue.maxConcurrentOperationCount = 16
    return queue
  }()
  /// Whether it has ended although something could have moved still.
  let hasGivenUp = Atomic(false)
  /// Whether the last order to stop was one to drain.
  let isDraining = Atomic(false)
  let configuration: EngineConfiguration
  /// Where secrets of requests go.
  let vault: VaultDoor
  /// The vault of an engine that writes no secret down: it outlives suspensions.
  private let memory: MemoryVault?
  /// What seals the vault; nil if nothing does. It is read once: a pipe has it no second time.
  private let key: VaultKey?
  let mailbox: EngineLoop.EngineMailbox
  let turns: DispatchQueue
  /// This core, from `begin` until it has closed: timers and services call it although no program holds the engine.
  private var untilClosed: EngineCore?
  private let timers: TurnTimers
  private let journal: Journal?

  init(
    _ configuration: EngineConfiguration, owner: any EngineOwner, mailbox: EngineLoop.EngineMailbox,
    turns: DispatchQueue
  ) throws {
    self.owner = owner
    self.configuration = configuration
    self.mailbox = mailbox
    self.turns = turns
    timers = TurnTimers(turns)
    logger = configuration.logger
    vault = VaultDoor(netrcFile: configuration.secrets.netrcPath)
    memory = configuration.secrets.isInMemory ? MemoryVault() : nil
    key = try configuration.secrets.key()
    let journal = try configuration.openedJournal()
    self.journal = journal
    do {
      hold(try LibrarySession(configuration, journal: journal, memory: memory, key: key) { mailbox.post(fact: $0) })
    } catch {
      journal?.discard()
      throw error
    }
  }

  private func hold(_ session: LibrarySession) {
    self.session = session
    session.observers = observers
    vault.open(session.vault)
    session.onClosing = { [unowned self] in vault.close(refusing: loop.lifecycle.isClosed ? .hasStopped : .isSuspended)
    }
    session.onClosed = { [unowned self] in
      self.session = nil
      refusePending()
    }
  }

  /// Begins to work. The owner is called (`ready`) when the tables are in order.
  func begin() {
    guard let session else { return }
    untilClosed = self
    warnOfFormerVault(in: session.library.folder.statePath)
    loop.begin(holding: session, reporting: configuration.reportedPath)
    owner.ready(revision: loop.position.revision)
  }

  /// Says that a vault of former engines is there still, although secrets are kept in memory alone: no deletion of a
  /// secret reaches it.
  private func warnOfFormerVault(in folder: String) {
    let file = FileVault.path(in: folder)
    guard memory != nil, FileManager.default.fileExists(atPath: file) else { return }
    logger.warning(
      "secrets are kept in memory, and those of former starts are in a file still, which nothing changes; delete it",
      metadata: ["file": "\(file)"])
  }

  /// A name for the next client. Thread safe.
  func takeClientID() -> ClientID {
    ClientID(lastClient.add(1, ordering: .relaxed).newValue)
  }

  /// Handles what waits in the mailbox, delivery by delivery, until nothing does. Each is a block of its own on the
  /// queue: a stop and the alarm get their turn however fast a client asks.
  func step() {
    guard loop.step() else { return }
    turns.async { self.step() }
  }
}

// MARK: - Clock, timers, library

extension EngineCore: EngineTimers, LibraryOpener {
  func readClock() -> ClockReading { Services.clock() }

  func set(_ timer: EngineTimer, afterMilliseconds delay: Int64?) {
    timers.set(timer, afterMilliseconds: delay) { [unowned self] in loop.fire(timer) }
  }

  func openLibrary() throws(Refusal) -> any EngineSession {
    try requireLibrary()
    do {
      journal?.reopen()
      let mailbox = mailbox
      let session = try LibrarySession(configuration, journal: journal, memory: memory, key: key) {
        mailbox.post(fact: $0)
      }
      hold(session)
      return session
    } catch {
      journal?.release()
      throw Self.refusal(of: error)
    }
  }

  /// Looks whether the library is there. A start makes a missing one; here it was there before, and its disk may not be
  /// back.
  private func requireLibrary() throws(Refusal) {
    do throws(EngineError) {
      try LibraryReader.requireLibrary(
        at: configuration.libraryPath, stateFolder: configuration.statePath)
    } catch {
      throw Refusal(
        .storageFailure,
        "the engine stays suspended, for its library is not in its place; mount its disk, or put it back, and resume: \(error)"
      )
    }
  }

  private static func refusal(of error: any Error) -> Refusal {
    if case EngineError.libraryInUse = error { return Refusal(.conflict, "the engine stays suspended: \(error)") }
    return Refusal(.storageFailure, "the engine stays suspended, for the library cannot be opened: \(error)")
  }
}

// MARK: - Audience

extension EngineCore: EngineAudience {
  func requestLimit() -> Int { Engine.batchSize }

  func committed(_ batch: CommittedBatch) {
    session?.meter?.count(batch.actions)
    noteStop(in: batch.actions)
    tellCompletions(by: batch.actions)
    let observing = clients.observingActions
    guard !observing.isEmpty, let record = batch.turnout.record else { return }
    let announcements = batch.turnout.effects.compactMap { if case .announce(let news) = $0 { news } else { nil } }
    let turn = ObservedTurn(record, announcements: announcements)
    for client in observing { client.committed(turn) }
  }

  func stateChanged() {
    observers.changed()
  }

  func told(_ notice: Notice) {
    owner.told(notice)
  }

  func turnEnded() {
    let heldUp = heldUp.withLock { heldUp in
      defer { heldUp = [] }
      return heldUp
    }
    for client in clients.takeConcerned(besides: heldUp) { client.turnEnded() }
  }

  func noticed(_ incident: EngineIncident) {
    switch incident {
    case .commitFailed(let batch, let isFirst):
      logger.log(
        level: isFirst ? .error : .debug, "a turn could not be committed",
        metadata: ["reason": "\(batch.error)", "actions": "\(batch.facts.count + batch.intents.count)"])
    case .commitsSucceedAgain: logger.notice("turns can be committed again")
    case .deadlinePassed:
      logger.warning("some attempts did not end in time; what they had not synced is fetched again")
    case .endUnrecorded:
      logger.error("the library is given up, and its database cannot be written: what it lacks is found out again")
    case .queryFailed(let error):
      logger.error("a query could not be answered", metadata: ["reason": "\(error)"])
    }
  }

  func closed(because reason: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int]) {
    hasGivenUp.store(loop.lifecycle.hasGivenUp, ordering: .releasing)
    observers.close()
    end = (reason, revision)
    for client in clients.removeAll() { client.disconnected(.engineStopped(reason), revision: revision) }
    owner.closed(because: reason, revision: revision, remaining: remaining)
    // Behind the call of the loop, which this core owns.
    turns.async { self.untilClosed = nil }
  }
}
