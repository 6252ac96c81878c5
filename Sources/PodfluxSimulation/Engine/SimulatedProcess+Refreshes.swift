import Flux
import PodfluxCore

/// Refreshes of feeds.
extension SimulatedProcess {
  /// How many refreshes have an exchange at once.
  static let simulatedExchanges = 3
  /// How many of them with one host.
  static let simulatedExchangesPerHost = 2

  func start(_ refresh: FeedRefresh) throws {
    guard refreshes[refresh.id] == nil else { return }
    try world.checker.willRefresh(refresh, in: self)
    let shell = SimulatedRefresh(refresh, in: self)
    world.checker.feeds.live[refresh.id] = shell
    keep(shell, as: refresh.id)
    shell.begin()
  }

  /// A refresh wants to begin an exchange with a host.
  func wantsExchange(_ refresh: SimulatedRefresh, on host: String) throws {
    if world.sabotage == .exchangeSlotsIgnored { return try refresh.beginExchange() }
    try beginExchanges(of: exchangeSlots.ask(for: refresh.refresh.id, on: host))
  }

  /// A refresh has nothing more to tell, or wants to begin its exchange no more.
  func leaveSlot(_ refresh: FeedRefresh.ID) throws {
    guard world.sabotage != .exchangeSlotKept else { return }
    try beginExchanges(of: exchangeSlots.leave(refresh))
  }

  private func beginExchanges(of filled: [FeedRefresh.ID]) throws {
    for id in filled { try refreshes[id]?.beginExchange() }
  }

  /// The service forgets the refresh before the store hears that it has ended.
  func ended(_ refresh: SimulatedRefresh, _ report: RefreshReport) throws {
    keep(nil, as: report.refresh)
    try leaveSlot(report.refresh)
    if world.sabotage == .refreshNeverEnds, case .stopped = report.news { return }
    refreshEnds.insert(report.refresh)
    postAfterPath(.refresh(report))
    if world.suffers(.repetition), world.feeds?.random.once(in: 6) == true {
      world.schedule(.lateRefresh(self, report), after: world.feedDelay(oneIn: 1) + 100)
    }
  }

  func postLate(_ report: RefreshReport) {
    var report = report
    if world.sabotage == .refreshGenerationNotChecked,
      let live = dispatcher.state.podcasts.live[report.refresh.feed]
    {
      report.refresh.generation = live.id.generation
    }
    post(.refresh(report))
  }
}
