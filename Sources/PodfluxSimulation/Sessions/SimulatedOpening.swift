import EngineRuntime
import Flux
import PodfluxCore

/// The opening of a session in the simulated world: the product's own `SessionAttempt`, with its queue and its
/// exchange. Each step is an event of the scheduler.
final class SimulatedOpening {
  let opening: SessionOpening
  /// Its process. The cycle ends with either.
  let process: SimulatedProcess
  unowned let world: World
  private var core: SessionAttempt
  private var events: [SessionEvent] = []
  private var isScheduled = false
  private var request: TokenRequest?
  private var networkNumber = 0
  private(set) var activity = 0
  private var isOver = false

  init(_ opening: SessionOpening, in process: SimulatedProcess, _ vault: SimulatedVault) {
    self.opening = opening
    self.process = process
    world = process.world
    core = SessionAttempt(opening, vault: vault)
  }

  /// Whether a token is being asked for.
  var isAsking: Bool { request != nil }

  func begin() { hand(in: .begin) }
  func leave() { hand(in: .leave) }
  func stop() { hand(in: .stop) }

  private func hand(in event: SessionEvent) {
    events.append(event)
    guard !isScheduled else { return }
    isScheduled = true
    world.schedule(.session(self), after: world.sessionDelay(oneIn: 3))
  }

  /// Takes in what was handed in first.
  func work() throws {
    isScheduled = false
    guard !events.isEmpty, !world.dies(in: 400) else { return }
    let event = events.removeFirst()
    for command in core.handle(event, at: world.clock) { try obey(command) }
    guard process.isAlive, !isOver, !events.isEmpty, !isScheduled else { return }
    isScheduled = true
    world.schedule(.session(self), after: 0)
  }

  private func obey(_ command: SessionCommand) throws {
    switch command {
    case .request(let request):
      activity += 1
      try world.checker.willAskForToken(of: opening, in: process)
      self.request = request
      scheduleNetwork()
    case .cancelRequest:
      guard request != nil else { return }
      request = nil
      hand(in: .answered(.failed(DownloadError(.connectionLost, "cancelled"))))
    case .adopt(let credentials):
      if world.sabotage == .oldTokenKept, process.credentials[credentials.session]?.kind == .refreshing { return }
      process.credentials[credentials.session] = credentials
    // The vault writes it with its next change.
    case .held: break
    case .end(let fact): end(fact)
    case .endSilently: end(nil)
    }
  }

  private func end(_ fact: SessionFact?) {
    isOver = true
    process.ended(self, fact)
  }

  // MARK: The network

  private func scheduleNetwork() {
    networkNumber += 1
    world.schedule(.sessionExchange(self, number: networkNumber), after: world.sessionDelay(oneIn: 1))
  }

  /// Takes the answer of the token server.
  func receiveNext(number: Int) {
    guard !isOver, number == networkNumber, let request else { return }
    self.request = nil
    guard isReachable else {
      return hand(in: .answered(.failed(DownloadError(.connectFailed, "there is no way to the host"))))
    }
    let answer = world.tokenAnswer(to: request)
    hand(in: .answered(answer))
    // A server that answers twice.
    if world.isRepeatedAnswer { hand(in: .answered(answer)) }
  }

  private var isReachable: Bool {
    guard let host = opening.wish.tokenURL?.host, !WebAddress.isLoopback(host) else { return true }
    return world.path.status == .online
  }
}

extension World {
  /// Milliseconds until an opening does the next thing: some once in so many steps.
  func sessionDelay(oneIn draws: Int) -> Int64 {
    guard sessions?.random.once(in: draws) == true else { return 0 }
    return sessions?.random.delay() ?? 0
  }

  fileprivate func tokenAnswer(to request: TokenRequest) -> TokenAnswer {
    sessions?.answer(request, hasFaults: suffers(.sessions), now: now)
      ?? .failed(DownloadError(.connectFailed, "there is no server"))
  }

  fileprivate var isRepeatedAnswer: Bool { suffers(.sessions) && sessions?.random.once(in: 4) == true }
}

/// Sessions.
extension SimulatedProcess {
  func begin(_ order: SessionOrder) throws {
    guard let vault = world.sessions?.vault else { return }
    switch order {
    case .open(let opening):
      let (new, obsolete) = openings.open(opening) { SimulatedOpening($0, in: self, vault) }
      obsolete?.stop()
      new?.begin()
      guard world.sabotage == .twoRefreshes else { return }
      let second = SimulatedOpening(opening, in: self, vault)
      extraOpenings.append(second)
      second.begin()
    case .leave(let id):
      credentials[id] = nil
      openings.leave(id)?.leave()
    // What cannot be deleted now the next start deletes.
    case .forget(let reference): try? vault.forget(reference)
    case .sweep where world.sabotage == .secretStays: break
    case .sweep(let references): try? vault.sweep(keeping: Set(references))
    }
  }

  func ended(_ opening: SimulatedOpening, _ fact: SessionFact?) {
    guard let vault = world.sessions?.vault else { return }
    let isExtra = extraOpenings.contains { $0 === opening }
    let (isTold, next) =
      isExtra ? (true, nil) : openings.end(opening.opening.id) { SimulatedOpening($0, in: self, vault) }
    if isTold, let fact { post(.session(fact)) }
    next?.begin()
  }
}
