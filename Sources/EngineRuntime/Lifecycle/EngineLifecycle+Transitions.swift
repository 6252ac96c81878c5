import PodfluxCore

/// The transition table: for each state, what each event makes of it.
extension EngineLifecycle {
  /// Takes an event, and returns what is to be done, in this order. An event that means nothing in a state changes
  /// nothing.
  package mutating func handle(_ event: Event) -> [Action] {
    switch self {
    case .working: handleWhileHeld(event, for: .work)
    case .draining(let reason): handleWhileHeld(event, for: .drain(reason))
    case .stopping(let reason): handleWhileStopping(event, because: reason)
    case .suspending(let suspension): handle(event, while: suspension)
    case .finished(.closing(let reason, let completeness)): handle(event, beforeClosing: reason, completeness)
    case .finished(.suspending(let suspension)): handle(event, atTheEndOf: suspension)
    case .suspended(let suspenders, let purpose): handle(event, suspendedBy: suspenders, purpose)
    case .closed: handleWhenClosed(event)
    }
  }

  // MARK: The library is held

  private mutating func handleWhileHeld(_ event: Event, for purpose: Purpose) -> [Action] {
    switch event {
    case .stopCalled(.drain, let reason):
      self = .draining(purpose.stopReason ?? reason)
      return [.order(.drain)]
    case .stopCalled(let mode, let reason):
      self = .stopping(purpose.stopReason ?? reason)
      return [.order(mode), .setDeadline]
    case .stopRequested(.drain):
      self = .draining(purpose.stopReason ?? .shutdown)
      return []
    case .stopRequested:
      self = .stopping(purpose.stopReason ?? .shutdown)
      return [.setDeadline]
    case .suspend(let suspender, let request):
      self = .suspending(
        Suspension(suspenders: [suspender], waiting: [request], next: .staySuspended(purpose)))
      // The deadline holds even if the order cannot be committed: a phone's system does not wait.
      return [.order(.suspend), .setDeadline]
    case .resume(_, let request): return [.answer([request], .done), .wake]
    case .nothingLeft:
      self = .finished(.closing(purpose.stopReason ?? .shutdown, .complete))
      return []
    case .drainHopeless:
      guard let reason = purpose.stopReason else { return [] }
      self = .finished(.closing(reason, .gaveUp))
      return []
    case .opened(let requests): return [.answer(requests, .done)]
    case .notOpened(let requests, let refusal): return [.answer(requests, .refused(refusal))]
    case .deadlinePassed, .deliveryEnded: return []
    }
  }

  private mutating func handleWhileStopping(_ event: Event, because reason: StopReason) -> [Action] {
    switch event {
    case .stopCalled(let mode, _): return [.order(mode)]
    case .suspend(let suspender, let request):
      self = .suspending(Suspension(suspenders: [suspender], waiting: [request], next: .end(reason)))
      return [.order(.suspend)]
    case .resume(_, let request): return [.answer([request], .done), .wake]
    case .nothingLeft, .deadlinePassed:
      self = .finished(.closing(reason, .complete))
      return []
    case .opened(let requests): return [.answer(requests, .done)]
    case .notOpened(let requests, let refusal): return [.answer(requests, .refused(refusal))]
    case .stopRequested, .drainHopeless, .deliveryEnded: return []
    }
  }

  // MARK: The library is being given up

  private mutating func handle(_ event: Event, while suspension: Suspension) -> [Action] {
    var suspension = suspension
    switch event {
    case .stopCalled(let mode, let reason):
      suspension.stop(mode, because: reason)
      self = .suspending(suspension)
      return [.order(mode)]
    case .stopRequested(let mode):
      suspension.stop(mode, because: .shutdown)
      self = .suspending(suspension)
      return []
    case .suspend(let suspender, let request):
      let actions = suspension.suspend(for: suspender, request)
      self = .suspending(suspension)
      return actions
    case .resume(let suspender, let request):
      let actions = suspension.resume(for: suspender, request)
      self = .suspending(suspension)
      return actions
    case .nothingLeft, .deadlinePassed:
      self = .finished(.suspending(suspension))
      return []
    case .opened(let requests): return [.answer(requests, .done)]
    case .notOpened(let requests, let refusal): return [.answer(requests, .refused(refusal))]
    case .drainHopeless, .deliveryEnded: return []
    }
  }

  private mutating func handle(_ event: Event, atTheEndOf suspension: Suspension) -> [Action] {
    var suspension = suspension
    switch event {
    case .stopCalled(let mode, let reason):
      suspension.stop(mode, because: reason)
      self = .finished(.suspending(suspension))
      return []
    case .stopRequested(let mode):
      suspension.stop(mode, because: .shutdown)
      self = .finished(.suspending(suspension))
      return []
    case .suspend(let suspender, let request):
      let actions = suspension.suspend(for: suspender, request)
      self = .finished(.suspending(suspension))
      return actions
    case .resume(let suspender, let request):
      let actions = suspension.resume(for: suspender, request)
      self = .finished(.suspending(suspension))
      return actions
    case .deliveryEnded: return giveUp(suspension)
    case .opened(let requests): return [.answer(requests, .done)]
    case .notOpened(let requests, let refusal): return [.answer(requests, .refused(refusal))]
    case .nothingLeft, .deadlinePassed, .drainHopeless: return []
    }
  }

  private mutating func giveUp(_ suspension: Suspension) -> [Action] {
    let actions: [Action] = [.giveUp, .answer(suspension.waiting, .done), .endTurn]
    switch suspension.next {
    case .end(let reason):
      self = .closed(reason, .complete)
      return actions + [.answer(suspension.resuming, .refused(.hasStopped)), .close(reason)]
    case .staySuspended(let purpose):
      self = .suspended(suspension.suspenders, purpose)
      return suspension.resuming.isEmpty ? actions : actions + [.open(suspension.resuming)]
    }
  }

  private mutating func handle(
    _ event: Event, beforeClosing reason: StopReason, _ completeness: Completeness
  ) -> [Action] {
    switch event {
    case .suspend(_, let request): return [.answer([request], .refused(.hasStopped))]
    case .resume(_, let request): return [.answer([request], .done), .wake]
    case .deliveryEnded:
      self = .closed(reason, completeness)
      return [.giveUp, .close(reason)]
    case .opened(let requests): return [.answer(requests, .done)]
    case .notOpened(let requests, let refusal): return [.answer(requests, .refused(refusal))]
    case .stopCalled, .stopRequested, .nothingLeft, .deadlinePassed, .drainHopeless: return []
    }
  }

  // MARK: The library is given up

  private mutating func handle(
    _ event: Event, suspendedBy suspenders: Set<Suspender>, _ purpose: Purpose
  ) -> [Action] {
    switch event {
    // A client whose input has ended cannot resume the engine, but the system that continues its process will.
    case .stopCalled(.drain, .eof) where suspenders.contains(.process):
      self = .suspended(suspenders, .drain(purpose.stopReason ?? .eof))
      return []
    case .stopCalled(_, let reason): return close(because: purpose.stopReason ?? reason)
    case .stopRequested: return close(because: purpose.stopReason ?? .shutdown)
    case .suspend(let suspender, let request):
      self = .suspended(suspenders.union([suspender]), purpose)
      return [.answer([request], .done)]
    case .resume(let suspender, let request):
      let suspenders = suspenders.subtracting([suspender])
      self = .suspended(suspenders, purpose)
      guard !suspenders.isEmpty else { return [.open([request]), .wake] }
      let answer = Self.answer(resumingBeside: suspenders, request)
      // The client's input has ended: it will not ask for the engine's resumption any more.
      guard suspenders == [.client], purpose.stopReason == .eof else { return [answer, .wake] }
      return [answer] + close(because: .eof)
    case .opened(let requests):
      guard case .drain(let reason) = purpose else {
        self = .working
        return [.begin, .answer(requests, .done), .wake]
      }
      self = .draining(reason)
      return [.begin, .order(.drain), .answer(requests, .done), .wake]
    case .notOpened(let requests, let refusal):
      let answer = Action.answer(requests, .refused(refusal))
      return purpose.stopReason == .eof ? [answer] + close(because: .eof) : [answer]
    case .nothingLeft, .deadlinePassed, .drainHopeless, .deliveryEnded: return []
    }
  }

  private mutating func close(because reason: StopReason) -> [Action] {
    self = .closed(reason, .complete)
    return [.close(reason)]
  }

  private mutating func handleWhenClosed(_ event: Event) -> [Action] {
    switch event {
    case .suspend(_, let request), .resume(_, let request): [.answer([request], .refused(.hasStopped))]
    case .opened(let requests), .notOpened(let requests, _): [.answer(requests, .refused(.hasStopped))]
    case .stopCalled, .stopRequested, .nothingLeft, .deadlinePassed, .drainHopeless, .deliveryEnded: []
    }
  }

  /// The answer to a resumption while another suspender remains.
  fileprivate static func answer(resumingBeside suspenders: Set<Suspender>, _ request: Request) -> Action {
    .answer([request], suspenders == [.client] ? .done : .refused(.processIsStopped))
  }
}

extension EngineLifecycle.Suspension {
  fileprivate mutating func stop(_ mode: StopMode, because reason: StopReason) {
    let first = next.stopReason ?? reason
    switch (next, mode, reason) {
    // The end of a client's input says nothing of the system that has suspended the process.
    case (.staySuspended, .drain, .eof): next = .staySuspended(.drain(first))
    // Nothing moves while the engine is suspended: a drain has come to its end with the suspension.
    default: next = .end(first)
    }
  }

  /// Requests for a resumption have been overtaken, and are done.
  fileprivate mutating func suspend(
    for suspender: Suspender, _ request: Request
  ) -> [EngineLifecycle<Request>.Action] {
    let overtaken = resuming
    suspenders.insert(suspender)
    waiting.append(request)
    resuming = []
    return overtaken.isEmpty ? [] : [.answer(overtaken, .done)]
  }

  fileprivate mutating func resume(
    for suspender: Suspender, _ request: Request
  ) -> [EngineLifecycle<Request>.Action] {
    suspenders.remove(suspender)
    guard suspenders.isEmpty else {
      return [EngineLifecycle.answer(resumingBeside: suspenders, request), .wake]
    }
    resuming.append(request)
    return [.wake]
  }
}

extension Refusal {
  /// An engine that has ended refuses everything.
  package static let hasStopped = Refusal(
    .shuttingDown, "the engine has stopped and takes no more actions; start it again")

  /// A client cannot resume an engine whose process is being stopped.
  static let processIsStopped = Refusal(
    .suspended, "the process is being stopped by a signal; the engine goes on when it is continued")
}
