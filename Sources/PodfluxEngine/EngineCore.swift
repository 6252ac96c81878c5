import Dispatch
import FileStore
import Flux
import Foundation
import Logging
import Persistence
import PodfluxCore
import Synchronization
import Transfers

/// The inside of an engine: dispatcher, services and library, all touched on the queue of turns only.
final class EngineCore: @unchecked Sendable {
  // `@unchecked`: every member is used on `turns` alone, or is thread safe by itself.

  private let client: any EngineClient
  private let mailbox: Mailbox<Request, Action>
  private let turns: DispatchQueue
  private let library: OpenLibrary
  private let services: Services
  private let logger: Logger
  private var dispatcher: Dispatcher<Stores>
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
    library = try OpenLibrary(configuration)
    dispatcher = try library.dispatcher()
    services = try Services(
      library: library, authorities: authorities, turns: turns, logger: logger
    ) { mailbox.post(fact: $0) }
  }

  // MARK: Turns

  /// The first turn puts the tables in order; then the client may speak.
  func begin() {
    deliver(facts: [.recovered(library.recovery)], requests: [])
    client.ready(revision: dispatcher.position.revision)
  }

  /// Handles what waits in the mailbox, batch by batch, until nothing does.
  ///
  /// A batch ends with its first query, so that the client is asked before each answer whether it has room. Each batch
  /// is a block of its own on the queue: a stop and the alarm get their turn however fast a client asks.
  func drain() {
    guard !isClosed else { return }
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
      carryOut(turnout.effects)
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
      respond(to: request, .answer(try library.answer(query, from: dispatcher.state)))
    } catch let refusal as Refusal {
      respond(to: request, .refusal(refusal))
    } catch {
      logger.error("a query could not be answered", metadata: ["reason": "\(error)"])
      respond(to: request, .refusal(Refusal(.storageFailure, "the library's database cannot be read: \(error)")))
    }
  }

  private func respond(to request: Request, _ outcome: Response.Outcome) {
    request.completion(Response(outcome: outcome, revision: dispatcher.position.revision))
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
    do {
      try library.close()
    } catch {
      logger.error("the library's database was not closed", metadata: ["reason": "\(error)"])
    }
    refuseWhatWaits()
    client.closed(because: stopCause ?? .shutdown, revision: dispatcher.position.revision)
  }

  private static let isStopping = Refusal(
    .shuttingDown, "the engine has stopped and takes no more actions; start it again")

  private func refuseWhatWaits() {
    for request in mailbox.take(requestsUpTo: .max).requests {
      respond(to: request, .refusal(Self.isStopping))
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
