import PodfluxCore

/// Where an engine stands between its start and its end: whether it holds its library, and which requests to suspend,
/// to resume or to stop it has still to answer.
///
/// ```
///            drain               nothing left            end of delivery
/// working ─────────▶ draining ─────────────▶ finished ───────────────────▶ closed
///  │   ▲ │              │ stop                ▲  │ ▲                         ▲
///  │   │ └──────────────┴───────▶ stopping ───┘  │ │                         │
///  │   │ opened                                  ▼ │ nothing left            │ stop
///  │ suspended ◀──────────── end of delivery ──────┤                         │
///  │   └───────────────────────────────────────────│─────────────────────────┘
///  └─────────────────── suspend ──────────────▶ suspending
/// ```
///
/// It is a value that acts on nothing: `handle` takes an event and returns the actions for `EngineLoop` to carry out,
/// in order. What the stores know of a stop (whether attempts may still start) is theirs; the two meet in the action
/// `.order`, which the loop delivers to the stores, and in their effect `.close`, which becomes the event
/// `.nothingLeft`.
///
/// `Request` is the type of what has to be answered; each one is kept, and returned in `.answer` exactly once.
package enum EngineLifecycle<Request> {
  /// The library is held and work goes on.
  case working
  /// The library is held; the engine ends when nothing can move any more.
  case draining(StopReason)
  /// The library is held; attempts are told to stop, and then the engine ends.
  case stopping(StopReason)
  /// The library is held; attempts are told to stop, and then the library is given up.
  case suspending(Suspension)
  /// The library is held and nothing is left to do with it: it is given up at the end of the delivery, never within
  /// one, so that each request of a delivery is answered before the engine's last word.
  case finished(Finish)
  /// The library is given up until no suspender is left.
  case suspended(Set<Suspender>, Purpose)
  /// The engine has ended.
  case closed(StopReason, Completeness)

  /// What the engine does while it holds its library.
  package enum Purpose: Hashable, Sendable {
    case work
    case drain(StopReason)

    /// Why it is to end; nil if it is not.
    var stopReason: StopReason? {
      switch self {
      case .work: nil
      case .drain(let reason): reason
      }
    }
  }

  /// What follows when the library has been given up.
  package enum Continuation: Hashable, Sendable {
    /// The engine stays suspended, and has this purpose when it holds its library again.
    case staySuspended(Purpose)
    case end(StopReason)

    var stopReason: StopReason? {
      switch self {
      case .staySuspended(let purpose): purpose.stopReason
      case .end(let reason): reason
      }
    }
  }

  /// A suspension that has begun.
  package struct Suspension {
    /// Who wants the engine suspended. Empty if each of them has asked for its resumption since.
    package var suspenders: Set<Suspender>
    /// Requests that are answered when the library is given up.
    package var waiting: [Request]
    /// Requests that are answered when the library is held again.
    package var resuming: [Request]
    /// What the engine does when the library is given up.
    package var next: Continuation

    /// Makes a suspension.
    package init(suspenders: Set<Suspender>, waiting: [Request], resuming: [Request] = [], next: Continuation) {
      self.suspenders = suspenders
      self.waiting = waiting
      self.resuming = resuming
      self.next = next
    }
  }

  /// What happens to a library with which nothing is left to do.
  package enum Finish {
    case closing(StopReason, Completeness)
    case suspending(Suspension)
  }

  /// Whether a drain came to its end.
  package enum Completeness: Hashable, Sendable {
    case complete
    /// Something could have moved still, but the database could not be written.
    case gaveUp
  }

  /// What happens to an engine.
  package enum Event {
    /// The engine's owner has called for a stop, which the stores do not know of yet.
    case stopCalled(StopMode, StopReason)
    /// A client's request to stop has been answered. The stores know of it, or will when a turn can be committed.
    case stopRequested(StopMode)
    /// The library is to be given up; the request is answered when it is.
    case suspend(Suspender, Request)
    /// The suspender does not need the suspension any more.
    case resume(Suspender, Request)
    /// The stores have nothing left to do.
    case nothingLeft
    /// Attempts have had the time that they have for their last sync.
    case deadlinePassed
    /// No turn could be committed for as long as a drain waits for that.
    case drainHopeless
    /// The requests of a delivery have been answered.
    case deliveryEnded
    /// The library is held again, as these requests wanted.
    case opened([Request])
    /// The library cannot be opened, for a reason that these requests are answered with.
    case notOpened([Request], Refusal)
  }

  /// What the engine's loop is to do after a transition.
  package enum Action {
    /// Answer these requests.
    case answer([Request], Answer)
    /// Deliver `Action.stop` to the stores.
    case order(StopMode)
    /// Post `.deadlinePassed` after the time that attempts have for their last sync.
    case setDeadline
    /// Give the library up.
    case giveUp
    /// Open the library, and post `.opened` or `.notOpened` with these requests.
    case open([Request])
    /// Put the opened library's tables in order and let its services begin.
    case begin
    /// Let the client see the end of a delivery: it may send what it has been answered.
    case endTurn
    /// Look into the mailbox again: requests may have waited for this moment.
    case wake
    /// Refuse what waits and say the last word.
    case close(StopReason)
  }

  /// What a request is answered with.
  package enum Answer {
    case done
    case refused(Refusal)
  }
}

extension EngineLifecycle {
  /// Which requests may be taken out of the mailbox.
  package enum Intake: Hashable, Sendable {
    /// The loop takes as many requests as fit in one batch.
    case open
    /// Nothing: they are answered in a later state.
    case nothing
    /// All, to be refused.
    case refuse
  }

  /// Which requests may be taken out of the mailbox now.
  ///
  /// Requests behind a suspension are answered behind it. While a signal alone has suspended the engine, they wait for
  /// its end: no client has asked for the suspension, or could know of it.
  package var intake: Intake {
    switch self {
    case .working, .draining, .stopping: .open
    case .suspending, .finished: .nothing
    case .suspended(let suspenders, _): suspenders == [.process] ? .nothing : .open
    case .closed: .refuse
    }
  }

  /// Whether the stores take no more turns.
  package var isFinished: Bool {
    switch self {
    case .finished, .closed: true
    case .working, .draining, .stopping, .suspending, .suspended: false
    }
  }

  /// Whether a drain is under way.
  package var isDraining: Bool {
    if case .draining = self { true } else { false }
  }

  /// Whether the engine has ended.
  package var isClosed: Bool {
    if case .closed = self { true } else { false }
  }

  /// Whether the engine has ended although something could have moved still.
  package var hasGivenUp: Bool {
    switch self {
    case .finished(.closing(_, .gaveUp)), .closed(_, .gaveUp): true
    default: false
    }
  }
}

extension EngineLifecycle: Sendable where Request: Sendable {}
extension EngineLifecycle: Equatable where Request: Equatable {}
extension EngineLifecycle.Suspension: Sendable where Request: Sendable {}
extension EngineLifecycle.Suspension: Equatable where Request: Equatable {}
extension EngineLifecycle.Finish: Sendable where Request: Sendable {}
extension EngineLifecycle.Finish: Equatable where Request: Equatable {}
extension EngineLifecycle.Action: Sendable where Request: Sendable {}
extension EngineLifecycle.Action: Equatable where Request: Equatable {}
extension EngineLifecycle.Answer: Sendable {}
extension EngineLifecycle.Answer: Equatable {}
extension EngineLifecycle.Event: Sendable where Request: Sendable {}
