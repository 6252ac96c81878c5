import Dispatch
import FileStore
import Flux
import Foundation
import Logging
import Persistence
import PodfluxCore
import Synchronization
import Transfers
import WireProtocol

/// The inside of an engine: dispatcher, services and library, all touched on the queue of turns only.
final class EngineCore: @unchecked Sendable {
  // `@unchecked`: every member is used on `turns` alone, or is thread safe by itself.

  private let client: any EngineClient
  private let mailbox: Mailbox<Request, Action>
  private let turns: DispatchQueue
  private let library: OpenLibrary
  private let services: Services
  private let logger: Logger
  private let journal: Journal?
  /// What all random draws follow from.
  private let seed: UInt64
  private let ledger: SQLLedger
  private var dispatcher: Dispatcher<Stores>
  private lazy var observers = Observers(
    library: library, turns: turns, logger: logger, readClock: { [services] in services.readClock() },
    readStores: { [unowned self] in (dispatcher.state, ledger.countsVersion) })
  /// What the client observes, if it does.
  private var observation: (token: Observers.Token, includesActions: Bool)?
  private var undelivered = UndeliveredFacts<Action>()
  private var stopCause: StopCause?
  /// Whether the stores have said that nothing is left to do.
  private var isDone = false
  private var isClosed = false
  private var isDeadlineSet = false
  /// Whether undelivered facts have a time at which they are tried again.
  private var isRedeliverySet = false
  /// Whether the last turn could not be committed, which is told once.
  private var isCommitFailing = false

  /// How long to wait before undelivered facts are tried again.
  private static let redeliveryMilliseconds = 1000

  init(
    _ configuration: EngineConfiguration, client: any EngineClient, mailbox: Mailbox<Request, Action>,
    turns: DispatchQueue
  ) throws {
    self.client = client
    self.mailbox = mailbox
    self.turns = turns
    logger = configuration.logger
    // Before the library is touched: wrong usage changes nothing.
    let authorities = try configuration.authorities()
    let journal = try configuration.openedJournal()
    self.journal = journal
    do {
      library = try OpenLibrary(configuration)
      seed = .random(in: .min ... .max)
      ledger = library.database.ledger()
      dispatcher = try library.dispatcher(on: ledger, seed: seed, journal: journal)
      services = try Services(
        library: library, authorities: authorities, turns: turns, logger: logger
      ) { mailbox.post(fact: $0) }
    } catch {
      journal?.discard()
      throw error
    }
  }

  // MARK: Turns

  /// The first turn puts the tables in order; then the client may speak.
  func begin() {
    journal?.begin(
      JournalLine.Engine(seed: seed, version: Engine.version, library: library.folder.path),
      at: LineStamp(dispatcher.position, time: services.readClock().wall))
    deliver(facts: [.recovered(library.recovery)], requests: [])
    client.ready(revision: dispatcher.position.revision)
  }

  /// Handles what waits in the mailbox, batch by batch, until nothing does.
  ///
  /// A batch ends with its first query, so that the client is asked before each answer whether it has room. Each batch
  /// is a block of its own on the queue: a stop and the alarm get their turn however fast a client asks.
  func drain() {
    guard !isClosed else { return refuseWhatWaits() }
    let delivery = mailbox.take(requestsUpTo: client.hasRoom ? Engine.batchSize : 0) { $0.isQuery }
    guard !delivery.isEmpty else { return }
    handle(delivery)
    client.turnEnded()
    closeIfDone()
    turns.async { self.drain() }
  }

  private func handle(_ delivery: Mailbox<Request, Action>.Delivery) {
    var facts = delivery.facts
    if !undelivered.isEmpty {
      // They failed once: alone, so that no request is refused for their sake.
      deliver(facts: undelivered.take(with: facts), requests: [])
      facts = []
    }
    guard let last = delivery.requests.last, case .query(let query) = last.content else {
      return deliver(facts: facts, requests: delivery.requests)
    }
    // A query sees every action before it, committed, and none after it: it comes last.
    deliver(facts: facts, requests: delivery.requests.dropLast())
    answer(query, last)
  }

  /// Commits a batch, then answers, then lets the services act.
  private func deliver(facts: [Action], requests: some Collection<Request>) {
    guard !isDone else { return requests.forEach { respond(to: $0, .refusal(Self.isStopping)) } }
    guard !facts.isEmpty || !requests.isEmpty else { return }
    let intents = requests.compactMap(\.action)
    do {
      let turnout = try dispatcher.dispatch(facts + intents, at: services.readClock())
      var outcomes = turnout.outcomes.dropFirst(facts.count)
      for request in requests {
        answer(request, with: request.action == nil ? nil : outcomes.removeFirst())
      }
      if observation?.includesActions == true { tellClient(of: turnout) }
      carryOut(turnout.effects)
      observers.changed()
      if isCommitFailing { logger.notice("turns can be committed again") }
      isCommitFailing = false
    } catch {
      let count = facts.count + intents.count
      let level: Logger.Level = isCommitFailing ? .debug : .error
      logger.log(
        level: level, "a turn could not be committed", metadata: ["reason": "\(error)", "actions": "\(count)"])
      isCommitFailing = true
      let refusal = Refusal(.storageFailure, "the library's database cannot be written: \(error)")
      for request in requests {
        if request.action == nil { answer(request, with: nil) } else { respond(to: request, .refusal(refusal)) }
      }
      redeliverLater(facts)
    }
  }

  private func redeliverLater(_ facts: [Action]) {
    undelivered.note(failed: facts)
    guard !undelivered.isEmpty, !isRedeliverySet else { return }
    isRedeliverySet = true
    turns.asyncAfter(deadline: .now() + .milliseconds(Self.redeliveryMilliseconds)) { [self] in
      isRedeliverySet = false
      guard !isClosed, !undelivered.isEmpty else { return }
      deliver(facts: undelivered.take(), requests: [])
      closeIfDone()
    }
  }

  // MARK: Answers

  private func answer(_ request: Request, with outcome: Dispatcher<Stores>.Outcome?) {
    switch (request.content, outcome) {
    case (.refused(let refusal), _): respond(to: request, .refusal(refusal))
    case (_, .refused(let refusal)?): respond(to: request, .refusal(refusal))
    case (.action(.stop), .handled(let reply)?):
      stopCause = stopCause ?? .shutdown
      respond(to: request, .reply(reply ?? .done))
    case (_, .handled(let reply)?): respond(to: request, .reply(reply ?? .done))
    case (_, nil): respond(to: request, .reply(.done))
    }
  }

  private func answer(_ query: Query, _ request: Request) {
    do {
      respond(to: request, .answer(try answer(query)))
    } catch let refusal as Refusal {
      respond(to: request, .refusal(refusal))
    } catch {
      logger.error("a query could not be answered", metadata: ["reason": "\(error)"])
      respond(to: request, .refusal(Refusal(.storageFailure, "the library's database cannot be read: \(error)")))
    }
  }

  private func answer(_ query: Query) throws -> Answer {
    switch query {
    case .resumeData(let id): return .resumeData(try library.resumeData(of: id))
    case .snapshot(let query):
      // Who observes has been told everything up to the revision that it sees now.
      if let observation { try observers.flush(observation.token) }
      return .snapshot(try library.snapshot(query, from: dispatcher.state, at: services.readClock().wall))
    case .observe(let wish):
      endObservation()
      let token = observers.add(wish.state, interval: wish.interval, hasRoom: { [client] in client.hasRoom }) {
        [client] moment in
        client.observed(wish.includesActions ? moment : moment.withoutAttempts)
      }
      observation = (token, wish.includesActions)
      return .observing(revision: dispatcher.position.revision)
    case .unobserve:
      endObservation()
      return .unobserving
    }
  }

  private func respond(to request: Request, _ outcome: Response.Outcome) {
    request.completion(Response(outcome: outcome, revision: dispatcher.position.revision))
  }

  // MARK: Observation

  func observe(
    _ query: SnapshotQuery, interval: Double, onEnd: @escaping @Sendable () -> Void,
    deliver: @escaping @Sendable (ObservedMoment) -> Void
  ) -> Observers.Token {
    observers.add(query, interval: interval, onEnd: onEnd, deliver: deliver)
  }

  func endObserving(_ token: Observers.Token) {
    observers.remove(token)
  }

  private func endObservation() {
    if let observation { observers.remove(observation.token) }
    // What is being told is told before: what comes next is another observation's.
    observers.waitForReading()
    observation = nil
  }

  private func tellClient(of turnout: Dispatcher<Stores>.Turnout) {
    guard let record = turnout.record else { return }
    let announcements = turnout.effects.compactMap { if case .announce(let news) = $0 { news } else { nil } }
    client.committed(record, announcements: announcements)
  }

  // MARK: Effects

  private func carryOut(_ effects: [Effect]) {
    for effect in effects {
      if effect == .close { isDone = true } else { services.carryOut(effect) }
    }
    if dispatcher.state.downloads.stopping == .now { setDeadline() }
  }

  // MARK: The end

  func stop(_ mode: StopMode, because cause: StopCause) {
    guard !isClosed else { return }
    stopCause = stopCause ?? cause
    deliver(facts: [.stop(mode)], requests: [])
    // Even if that could not be committed: a full disk must not keep a process from ending.
    if mode == .now { setDeadline() }
    closeIfDone()
  }

  /// Attempts that are stopped have a moment for their last sync, not for ever.
  private func setDeadline() {
    guard !isDeadlineSet else { return }
    isDeadlineSet = true
    turns.asyncAfter(deadline: .now() + .milliseconds(Engine.stopMilliseconds)) { [self] in
      guard !isClosed else { return }
      logger.warning("some attempts did not end in time; what they had not synced is fetched again")
      isDone = true
      closeIfDone()
    }
  }

  /// Closes between deliveries, never within one: every request has its answer before the last word is said.
  private func closeIfDone() {
    guard isDone, !isClosed else { return }
    isClosed = true
    services.shutDown()
    observers.close()
    journal?.end(at: LineStamp(dispatcher.position, time: services.readClock().wall))
    do {
      try library.close()
    } catch {
      logger.error("the library's database was not closed", metadata: ["reason": "\(error)"])
    }
    refuseWhatWaits()
    client.closed(because: stopCause ?? .shutdown, revision: dispatcher.position.revision)
    refuseWhatWaits()
  }

  static let isStopping = Refusal(
    .shuttingDown, "the engine has stopped and takes no more actions; start it again")

  /// Refuses until nothing is left: whoever is refused may ask again at once.
  private func refuseWhatWaits() {
    while true {
      let delivery = mailbox.take(requestsUpTo: .max)
      guard !delivery.isEmpty else { return }
      for request in delivery.requests { respond(to: request, .refusal(Self.isStopping)) }
    }
  }
}

extension Request {
  fileprivate var action: Action? {
    if case .action(let action) = content { action } else { nil }
  }

  fileprivate var isQuery: Bool {
    if case .query = content { true } else { false }
  }
}
