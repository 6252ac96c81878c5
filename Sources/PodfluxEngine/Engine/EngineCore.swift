import Dispatch
import Flux
import Logging
import PodfluxCore
import Synchronization
import WireProtocol

/// The inside of an engine: takes requests and facts, has them committed, and lets services act. All of it on the queue of
/// turns.
///
/// It holds the library for one session after the other: between them it is suspended, and holds nothing.
final class EngineCore: @unchecked Sendable {
  // `@unchecked`: every member is used on `turns` alone, or is thread safe by itself.

  /// Whether the engine works, and what it is about to do.
  private enum Stage {
    case working
    /// The library is given up as soon as nothing runs; then these are answered, and it is taken again if anybody has
    /// asked for that meanwhile.
    case suspending([EngineRequest], resuming: [EngineRequest])
    case suspended
    case closed
  }

  let client: any EngineClient
  private let configuration: EngineConfiguration
  private let mailbox: Mailbox<EngineRequest, Action>
  let turns: DispatchQueue
  let logger: Logger
  private let journal: Journal?
  /// What holds the library; nil while the engine is suspended or has ended.
  private(set) var session: LibrarySession?
  private(set) lazy var observers = Observers(
    turns: turns, logger: logger, readStores: { [unowned self] in session?.stores })
  /// What the client observes, if it does.
  var observation: (token: Observers.Token, includesActions: Bool)?
  private var stage = Stage.working
  private var stopReason: StopReason?
  /// The path as somebody has said it is; nil if the engine finds out.
  private var reportedPath: NetworkPath?
  /// Whether the engine is to end, and not to be suspended only.
  private var endsNow = false
  /// Whether the engine is to end when nothing can move any more.
  private(set) var isDraining = false
  /// Who wants it suspended: it takes its library again when nobody does.
  private var suspenders: Set<Suspender> = []
  /// Whether it has ended although something could have moved still.
  let hasGivenUp = Atomic(false)
  /// The last revision that was committed.
  private(set) var position: LogPosition
  /// How many downloads were in each state, as clients see it, when the library was last given up.
  private var remaining: [DownloadState.Kind: Int] = [:]

  init(
    _ configuration: EngineConfiguration, client: any EngineClient, mailbox: Mailbox<EngineRequest, Action>,
    turns: DispatchQueue
  ) throws {
    self.client = client
    self.configuration = configuration
    self.mailbox = mailbox
    self.turns = turns
    logger = configuration.logger
    reportedPath = configuration.reportedPath
    let journal = try configuration.openedJournal()
    self.journal = journal
    do {
      let session = try LibrarySession(configuration, journal: journal, turns: turns) { mailbox.post(fact: $0) }
      position = session.position
      self.session = session
    } catch {
      journal?.discard()
      throw error
    }
  }

  // MARK: Turns

  /// The first turn puts the tables in order; then the client may speak.
  func begin() {
    beginSession()
    client.ready(revision: position.revision)
  }

  private func beginSession() {
    guard let session else { return }
    journal?.begin(
      JournalLine.Engine(seed: session.seed, version: Engine.version, library: session.library.folder.path),
      at: LineStamp(session.position, time: session.services.readClock().wall))
    deliver(facts: [session.recovery(reporting: reportedPath)], requests: [])
    session.services.beginToWatch()
    observers.attach(session.library)
  }

  /// Handles what waits in the mailbox, batch by batch, until nothing does.
  ///
  /// A batch ends with its first query, so that the client is asked before each answer whether it has room. Each batch
  /// is a block of its own on the queue: a stop and the alarm get their turn however fast a client asks.
  func drain() {
    if case .closed = stage { return refuseWhatWaits() }
    let delivery = mailbox.take(requestsUpTo: requestLimit()) { $0.endsBatch }
    guard !delivery.isEmpty else { return }
    handle(delivery)
    client.turnEnded()
    closeIfDone()
    turns.async { self.drain() }
  }

  /// What comes behind a suspension is answered behind it; and what comes while only a signal has suspended the engine, when
  /// that is over: no client has asked for it, or could know.
  private func requestLimit() -> Int {
    if case .suspending = stage { return 0 }
    if case .suspended = stage, suspenders == [.process] { return 0 }
    return client.hasRoomForAnswers() ? Engine.batchSize : 0
  }

  private func handle(_ delivery: Mailbox<EngineRequest, Action>.Delivery) {
    guard let session else {
      // What services found out before they ended is found out again.
      return answerSuspended(delivery.requests)
    }
    var facts = delivery.facts
    if !session.undelivered.isEmpty {
      // They failed once: alone, so that no request is refused for their sake.
      deliver(facts: session.undelivered.take(with: facts), requests: [])
      facts = []
    }
    guard let last = delivery.requests.last, last.endsBatch else {
      return deliver(facts: facts, requests: delivery.requests)
    }
    // A query sees every action before it, committed, and none after it: it comes last.
    deliver(facts: facts, requests: delivery.requests.dropLast())
    switch last.content {
    case .query(let query): answer(query, last)
    case .resume: resume(for: .client, answering: last)
    case .action, .refused, .barrier: suspend(for: .client, answering: last)
    }
  }

  /// Commits a batch, then answers, then lets the services act.
  func deliver(facts: [Action], requests: some Collection<EngineRequest>) {
    guard let session, !session.isDone else { return requests.forEach { respond(to: $0, .refusal(Self.isStopping)) } }
    guard !facts.isEmpty || !requests.isEmpty else { return }
    do {
      let turnout = try session.dispatch(facts + requests.compactMap(\.action))
      position = turnout.position
      var outcomes = turnout.outcomes.dropFirst(facts.count)
      for request in requests {
        answer(request, with: request.action == nil ? nil : outcomes.removeFirst())
      }
      if observation?.includesActions == true { tellClient(of: turnout) }
      carryOut(turnout.effects, in: session)
      observers.changed()
      if session.isCommitFailing { logger.notice("turns can be committed again") }
      session.isCommitFailing = false
    } catch {
      fail(facts, requests, because: error, in: session)
    }
  }

  // MARK: Answers

  func answer(_ request: EngineRequest, with outcome: Dispatcher<Stores>.Outcome?) {
    switch (request.content, outcome) {
    case (.refused(let refusal), _), (_, .refused(let refusal)?): respond(to: request, .refusal(refusal))
    case (.action(.stop(let mode)), .handled(let reply)?):
      isDraining = isDraining || mode == .drain
      endsNow = endsNow || mode == .now
      stopReason = stopReason ?? .shutdown
      respond(to: request, .reply(reply ?? .done))
    case (_, .handled(let reply)?): respond(to: request, .reply(reply ?? .done))
    case (_, nil): respond(to: request, .reply(.done))
    }
  }

  func respond(to request: EngineRequest, _ outcome: Response.Outcome) {
    request.completion(Response(outcome: outcome, revision: position.revision))
  }

  private func tellClient(of turnout: Dispatcher<Stores>.Turnout) {
    guard let record = turnout.record else { return }
    let announcements = turnout.effects.compactMap { if case .announce(let news) = $0 { news } else { nil } }
    client.committed(record, announcements: announcements)
  }

  // MARK: Effects

  private func carryOut(_ effects: [Effect], in session: LibrarySession) {
    for effect in effects {
      switch effect {
      case .close: session.isDone = true
      case .tell(let notice): client.told(notice)
      default: session.services.carryOut(effect)
      }
    }
    if session.stores.stores.lifecycle.isEnding { setDeadline(in: session) }
  }

  /// Attempts that are stopped have a moment for their last sync, not for ever.
  func setDeadline(in session: LibrarySession) {
    guard !session.isDeadlineSet else { return }
    session.isDeadlineSet = true
    // Weak: a session that has ended keeps nothing open.
    turns.asyncAfter(deadline: .now() + .milliseconds(Engine.stopMilliseconds)) { [self, weak session] in
      guard let session, self.session === session else { return }
      logger.warning("some attempts did not end in time; what they had not synced is fetched again")
      session.isDone = true
      closeIfDone()
    }
  }

  // MARK: Suspension

  /// Gives the library up as soon as nothing runs; then the request is answered.
  func suspend(for suspender: Suspender, answering request: EngineRequest) {
    switch stage {
    case .working:
      guard let session, !session.isDone else { return respond(to: request, .refusal(Self.isStopping)) }
      stage = .suspending([request], resuming: [])
      suspenders = [suspender]
      deliver(facts: [.stop(.suspend)], requests: [])
      // Even if that could not be committed: a phone's system does not wait.
      setDeadline(in: session)
      closeIfDone()
    case .suspending(let requests, let resuming):
      // Whoever wanted it to go on has been overtaken.
      for former in resuming { respond(to: former, .reply(.done)) }
      stage = .suspending(requests + [request], resuming: [])
      suspenders.insert(suspender)
    case .suspended:
      suspenders.insert(suspender)
      respond(to: request, .reply(.done))
    case .closed: respond(to: request, .refusal(Self.isStopping))
    }
  }

  /// Takes the library again, if nobody wants it given up any more.
  func resume(for suspender: Suspender, answering request: EngineRequest) {
    suspenders.remove(suspender)
    // Requests may have waited for it.
    defer { mailbox.nudge() }
    switch stage {
    case .working: return respond(to: request, .reply(.done))
    case .suspending(let requests, let resuming) where suspenders.isEmpty:
      return stage = .suspending(requests, resuming: resuming + [request])
    case .suspended where suspenders.isEmpty: takeAgain(answering: request)
    case .suspending, .suspended: staySuspended(answering: request)
    case .closed: return respond(to: request, .refusal(Self.isStopping))
    }
  }

  /// Somebody else wants it suspended still.
  private func staySuspended(answering request: EngineRequest) {
    guard suspenders == [.client] else {
      let message = "the process is being stopped by a signal; the engine goes on when it is continued"
      return respond(to: request, .refusal(Refusal(.suspended, message)))
    }
    respond(to: request, .reply(.done))
    // Its input has ended, and no client will ask any more.
    if stopReason == .eof, case .suspended = stage { close() }
  }

  private func takeAgain(answering request: EngineRequest) {
    do {
      journal?.reopen()
      let mailbox = mailbox
      let session = try LibrarySession(configuration, journal: journal, turns: turns) { mailbox.post(fact: $0) }
      position = session.position
      self.session = session
      stage = .working
      beginSession()
      if isDraining { deliver(facts: [.stop(.drain)], requests: []) }
      respond(to: request, .reply(.done))
      closeIfDone()
    } catch {
      journal?.release()
      respond(to: request, .refusal(Self.refusal(of: error)))
      // Its input has ended, and nobody else will ask again.
      if stopReason == .eof { close() }
    }
  }

  private static func refusal(of error: any Error) -> Refusal {
    if case EngineError.libraryInUse = error { return Refusal(.conflict, "the engine stays suspended: \(error)") }
    return Refusal(.storageFailure, "the engine stays suspended, for the library cannot be opened: \(error)")
  }

  /// Answers requests without a library. What ends a batch, as resuming does, comes last.
  private func answerSuspended(_ requests: [EngineRequest]) {
    var isStopping = false
    for request in requests {
      switch request.content {
      case .resume where !isStopping: resume(for: .client, answering: request)
      case .action(.stop(.suspend)) where !isStopping: suspend(for: .client, answering: request)
      case .action(.stop) where !isStopping:
        isStopping = true
        stopReason = stopReason ?? .shutdown
        respond(to: request, .reply(.done))
      case .action, .query, .resume:
        respond(to: request, .refusal(isStopping ? Self.isStopping : .isSuspended))
      case .refused(let refusal): respond(to: request, .refusal(refusal))
      case .barrier: respond(to: request, .reply(.done))
      }
    }
    // Behind all answers.
    if isStopping { close() }
  }

  // MARK: The end

  func stop(_ mode: StopMode, because cause: StopReason) {
    if case .closed = stage { return }
    stopReason = stopReason ?? cause
    isDraining = isDraining || mode == .drain
    // Nothing moves any more once it is suspended: whoever waits for the end of a drain then has waited for it.
    if case .suspending = stage, cause != .eof { endsNow = true }
    endsNow = endsNow || mode > .drain
    guard let session else {
      // The end of input leaves nobody to resume it, unless somebody else is to.
      return cause == .eof && mode == .drain && suspenders.contains(.process) ? () : close()
    }
    deliver(facts: [.stop(mode)], requests: [])
    // Even if that could not be committed: a full disk must not keep a process from ending.
    if mode > .drain { setDeadline(in: session) }
    closeIfDone()
  }

  /// Closes between deliveries, never within one: every request has its answer before the last word is said.
  func closeIfDone() {
    guard let session, session.isDone else { return }
    if case .suspending(let requests, let resuming) = stage {
      endSession(session)
      stage = .suspended
      for request in requests { respond(to: request, .reply(.done)) }
      client.turnEnded()
      guard endsNow else { return resuming.forEach { resume(for: .client, answering: $0) } }
    }
    close()
  }

  private func endSession(_ session: LibrarySession) {
    // What was reported holds for the next session too.
    let network = session.stores.stores.network.state
    reportedPath = network.source == .reported ? network.path : nil
    observers.detach()
    remaining = session.remaining
    journal?.end(at: LineStamp(session.position, time: session.services.readClock().wall))
    do {
      try session.close()
    } catch {
      logger.error("the library's database was not closed", metadata: ["reason": "\(error)"])
    }
    self.session = nil
    // What its services have found out last is no news for the next one, which finds it out again.
    _ = mailbox.take(requestsUpTo: 0)
    mailbox.nudge()
  }

  private func close() {
    if case .closed = stage { return }
    if let session { endSession(session) }
    observers.close()
    stage = .closed
    refuseWhatWaits()
    client.closed(because: stopReason ?? .shutdown, revision: position.revision, remaining: remaining)
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
