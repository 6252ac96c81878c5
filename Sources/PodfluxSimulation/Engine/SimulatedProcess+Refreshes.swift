import Flux
import PodfluxCore

/// Refreshes of feeds.
extension SimulatedProcess {
  func start(_ refresh: FeedRefresh) throws {
    guard refreshes[refresh.id] == nil else { return }
    try world.checker.willRefresh(refresh, in: self)
    let shell = SimulatedRefresh(refresh, in: self)
    world.checker.feeds.live[refresh.id] = shell
    keep(shell, as: refresh.id)
    shell.begin()
  }

  /// The service forgets the refresh before the store hears that it has ended.
  func ended(_ refresh: SimulatedRefresh, _ report: RefreshReport) {
    keep(nil, as: report.refresh)
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
