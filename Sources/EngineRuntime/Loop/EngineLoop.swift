import Flux
import PodfluxCore

/// The inside of an engine: takes requests and facts out of the mailbox in batches, has each batch committed as one
/// transaction, answers its requests, and has its effects carried out.
///
/// It has no thread: each call runs to its end and returns. The product calls it on one serial queue, the simulator
/// from its scheduler. Not thread safe; the mailbox is.
///
/// It holds the library for one session after the other; between them it is suspended and holds nothing. What may
/// follow what is `EngineLifecycle`'s to say.
package final class EngineLoop {
  /// The mailbox in which requests and facts wait for a turn.
  package typealias EngineMailbox = Mailbox<ClientID?, EngineRequest, Action>

  /// How long after a stop or the begin of a suspension attempts have for their last sync. A process must be gone
  /// within two seconds.
  package static let stopMilliseconds: Int64 = 1700
  /// How long to wait before facts of a failed turn are delivered again.
  package static let redeliveryMilliseconds: Int64 = 1000
  /// Of how many episodes refreshes tell in a turn at most, but for those of its last report: a turn takes some
  /// milliseconds, and clients' commands wait for its end.
  package static let episodesInTurn = 4 * RefreshReport.episodesAtOnce
  /// How many requests a delivery has at most where those of several clients wait: it takes some 20 ms.
  package static let requestsOfSeveralClients = 256
  /// How long a drain waits for turns that can be committed again: meanwhile people may free some room.
  package static let drainPatienceMilliseconds: Int64 = 10_000

  /// An open library, and what the loop notes about it: failed turns, and the moment for which the stores have asked.
  struct HeldLibrary {
    let session: any EngineSession
    /// Facts of turns that could not be committed.
    var undelivered = UndeliveredFacts<Action>()
    /// Whether the timer is set at which they are delivered again.
    var isRedeliverySet = false
    var commits = Commits.succeed
    var alarm: Alarm?
  }

  /// Whether turns can be committed.
  enum Commits {
    case succeed
    /// The last commit has failed; whether a drain waits until commits succeed again.
    case fail(isDrainWaiting: Bool)
  }

  /// Whether the engine works, and what it is about to do.
  package private(set) var lifecycle = EngineLifecycle<EngineRequest>.working
  /// The last revision that was committed.
  package private(set) var position = LogPosition.origin
  unowned let host: any EngineHost
  let mailbox: EngineMailbox
  var held: HeldLibrary?
  /// What a client has said of the path to the network; nil if the services find it out.
  private var reportedPath: NetworkPath?
  /// How many downloads were in each state, as clients see it, when the library was last given up.
  private var remaining: [DownloadState.Kind: Int] = [:]

  /// Makes a loop; nothing happens before `begin`.
  ///
  /// - Parameters:
  ///   - mailbox: Whose wake-up calls `step` until that returns false.
  ///   - host: Must outlive the loop.
  package init(mailbox: EngineMailbox, host: any EngineHost) {
    self.mailbox = mailbox
    self.host = host
  }

  // MARK: What its owner calls

  /// Takes over a library that has just been opened. The first turn puts its tables in order; then clients may ask.
  /// To be called once, before all else.
  ///
  /// - Parameter reportedPath: What the path to the network is; nil if the services find it out.
  package func begin(holding session: any EngineSession, reporting reportedPath: NetworkPath?) {
    hold(session)
    self.reportedPath = reportedPath
    beginSession()
  }

  /// Handles what waits in the mailbox, as one delivery. A delivery ends with its first query, so that the client is
  /// asked before each answer whether it has room.
  ///
  /// - Returns: Whether it is to be called again, now or soon; otherwise the mailbox wakes its owner.
  package func step() -> Bool {
    guard lifecycle.intake != .refuse else {
      refuseWhatWaits()
      return false
    }
    let limit = lifecycle.intake == .open ? host.requestLimit() : 0
    let delivery = mailbox.take(
      requestsUpTo: limit, ofSeveral: Self.requestsOfSeveralClients, factsUpTo: Self.episodesInTurn,
      weighing: \.episodes)
    guard !delivery.isEmpty else { return false }
    handle(delivery)
    host.turnEnded()
    receive(.deliveryEnded)
    return true
  }

  /// Ends the engine's work, at once or when nothing can move any more.
  package func stop(_ mode: StopMode, because reason: StopReason) {
    receive(.stopCalled(mode, reason))
    receive(.deliveryEnded)
  }

  /// Gives the library up as soon as nothing runs; then the request is answered.
  package func suspend(for suspender: Suspender, answering request: EngineRequest) {
    receive(.suspend(suspender, request))
    receive(.deliveryEnded)
  }

  /// Takes the library again when no suspender is left; then the request is answered.
  package func resume(for suspender: Suspender, answering request: EngineRequest) {
    receive(.resume(suspender, request))
    receive(.deliveryEnded)
  }

  /// A timer's time has come.
  package func fire(_ timer: EngineTimer) {
    switch timer {
    case .alarm: ring()
    case .redelivery: redeliver()
    case .deadline:
      if case .fail? = held?.commits { host.noticed(.endUnrecorded) } else { host.noticed(.deadlinePassed) }
      receive(.deadlinePassed)
    case .drainPatience:
      // A stop since then has a deadline of its own.
      guard lifecycle.isDraining else { return }
      host.noticed(.endUnrecorded)
      receive(.drainHopeless)
    }
    receive(.deliveryEnded)
  }

  // MARK: Deliveries

  private func handle(_ delivery: EngineMailbox.Delivery) {
    guard held != nil else {
      // What services found out before they ended is found out again.
      return answerSuspended(delivery.requests)
    }
    var facts = delivery.facts
    if let failed = takeUndelivered(with: facts) {
      // These facts failed once: they are delivered alone, so that no request is refused because of them.
      deliver(facts: failed, requests: [])
      facts = []
    }
    guard let last = delivery.requests.last, last.endsDelivery else {
      return deliver(facts: facts, requests: delivery.requests)
    }
    // A query sees every action before it, committed, and none after it: it comes last.
    deliver(facts: facts, requests: delivery.requests.dropLast())
    switch last.content {
    case .query(.preview(let wish)): host.preview(wish, answering: last)
    case .query(let query): answer(query, last)
    case .resume: receive(.resume(.client, last))
    case .intent, .refused, .barrier: receive(.suspend(.client, last))
    }
  }

  /// Commits a batch, then answers, then lets the services act. What a client is answered it may keep back until
  /// `EngineAudience.turnEnded`, behind the effects of all batches of the delivery.
  func deliver(facts: [Action], requests: some Collection<EngineRequest>) {
    guard let session = held?.session, !lifecycle.isFinished else {
      return requests.forEach { respond(to: $0, .refusal(.hasStopped)) }
    }
    guard !facts.isEmpty || !requests.isEmpty else { return }
    let actions = facts + requests.compactMap(\.intent).map(Action.intent)
    let clock = host.readClock()
    let turnout: Dispatcher<Stores>.Turnout
    do {
      turnout = try session.dispatcher.dispatch(actions, at: clock)
    } catch {
      guard !session.makesRoom(after: error) else { return deliver(facts: facts, requests: requests) }
      return fail(facts, requests, because: error)
    }
    position = turnout.position
    var outcomes = turnout.outcomes.dropFirst(facts.count)
    for request in requests {
      answer(request, with: request.intent == nil ? nil : outcomes.removeFirst())
    }
    host.committed(CommittedBatch(actions: actions, factCount: facts.count, clock: clock, turnout: turnout))
    carryOut(turnout.effects, by: session)
    host.stateChanged()
    noteSuccess()
  }

  /// Answers requests without a library. What ends a batch, as resuming does, comes last.
  private func answerSuspended(_ requests: [EngineRequest]) {
    var stop: StopMode?
    for request in requests {
      switch request.content {
      case .refused(let refusal): respond(to: request, .refusal(refusal))
      case .barrier: respond(to: request, .reply(.done))
      case _ where stop != nil: respond(to: request, .refusal(.hasStopped))
      case .resume: receive(.resume(.client, request))
      case .intent(.stop(.suspend)): receive(.suspend(.client, request))
      case .intent(.stop(let mode)):
        stop = mode
        respond(to: request, .reply(.done))
      case .intent, .query: respond(to: request, .refusal(.isSuspended))
      }
    }
    // Behind all answers.
    if let stop { receive(.stopRequested(stop)) }
  }

  // MARK: Answers

  func answer(_ request: EngineRequest, with outcome: Dispatcher<Stores>.Outcome?) {
    switch (request.content, outcome) {
    case (.refused(let refusal), _), (_, .refused(let refusal)?): respond(to: request, .refusal(refusal))
    case (.intent(.stop(let mode)), .handled(let reply)?):
      receive(.stopRequested(mode))
      respond(to: request, .reply(reply ?? .done))
    case (_, .handled(let reply)?): respond(to: request, .reply(reply ?? .done))
    case (_, nil): respond(to: request, .reply(.done))
    }
  }

  private func answer(_ query: Query, _ request: EngineRequest) {
    do {
      respond(to: request, .answer(try host.answer(query, for: request.client, at: position.revision)))
    } catch let refusal as Refusal {
      respond(to: request, .refusal(refusal))
    } catch {
      host.noticed(.queryFailed(error))
      respond(to: request, .refusal(Refusal(.storageFailure, "the library's database cannot be read: \(error)")))
    }
  }

  func respond(to request: EngineRequest, _ outcome: Response.Outcome) {
    request.completion(Response(outcome: outcome, revision: position.revision))
  }

  // MARK: The lifecycle

  /// Hands an event to the lifecycle, and does what the transition says.
  func receive(_ event: EngineLifecycle<EngineRequest>.Event) {
    for action in lifecycle.handle(event) { perform(action) }
  }

  private func perform(_ action: EngineLifecycle<EngineRequest>.Action) {
    switch action {
    case .answer(let requests, .done): requests.forEach { respond(to: $0, .reply(.done)) }
    case .answer(let requests, .refused(let refusal)): requests.forEach { respond(to: $0, .refusal(refusal)) }
    case .order(let mode): deliver(facts: [.intent(.stop(mode))], requests: [])
    case .setDeadline: host.set(.deadline, afterMilliseconds: Self.stopMilliseconds)
    case .giveUp: giveUp()
    case .open(let requests): open(for: requests)
    case .begin: beginSession()
    case .endTurn: host.turnEnded()
    case .wake: mailbox.nudge()
    case .close(let reason): close(because: reason)
    }
  }

  private func hold(_ session: any EngineSession) {
    held = HeldLibrary(session: session)
    position = session.dispatcher.position
  }

  private func beginSession() {
    guard let session = held?.session else { return }
    deliver(facts: [.recovered(session.prepare(reporting: reportedPath))], requests: [])
    session.beginToWork()
  }

  private func open(for requests: [EngineRequest]) {
    do throws(Refusal) {
      let session = try host.openLibrary()
      hold(session)
      receive(.opened(requests))
      // Its first turns are a delivery: a drain that finds nothing left to do ends here.
      receive(.deliveryEnded)
    } catch {
      receive(.notOpened(requests, error))
    }
  }

  private func giveUp() {
    guard let session = held?.session else { return }
    for timer in EngineTimer.allCases { host.set(timer, afterMilliseconds: nil) }
    // A path that a client has reported holds for the next library session too.
    let network = session.dispatcher.state.network.state
    reportedPath = network.source == .reported ? network.path : nil
    remaining = session.close()
    held = nil
    // What its services have found out last is no news for the next one, which finds it out again.
    _ = mailbox.take(requestsUpTo: 0)
    mailbox.nudge()
  }

  private func close(because reason: StopReason) {
    refuseWhatWaits()
    host.closed(because: reason, revision: position.revision, remaining: remaining)
    refuseWhatWaits()
  }

  /// Refuses until nothing is left: a completion may post the next request at once.
  private func refuseWhatWaits() {
    while true {
      let delivery = mailbox.take(requestsUpTo: .max)
      guard !delivery.isEmpty else { return }
      for request in delivery.requests { respond(to: request, .refusal(.hasStopped)) }
    }
  }
}

extension Action {
  /// Of how many episodes it tells.
  fileprivate var episodes: Int {
    guard case .refresh(let report) = self else { return 0 }
    return switch report.news {
    case .appeared(let contents): contents.count
    case .changed(let changes): changes.count
    case .listed(let missing, let returned): missing.count + returned.count
    case .described, .moved, .refreshed, .failed, .stopped: 0
    }
  }
}
