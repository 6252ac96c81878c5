import Flux
import PodfluxCore

/// Checks what came over which path, independently of the product's own decision.
extension InvariantChecker {
  /// An attempt is about to start.
  func checkObstacles(_ attempt: Attempt, _ row: Download, _ process: SimulatedProcess) throws {
    let stores = process.dispatcher.state
    let (network, settings) = (stores.network.state, stores.settings.settings)
    let now = process.world.clock.wall
    guard isOpen(settings.schedule, at: now, in: network.localTime) else {
      throw Violation(.obstacles, "\(row.id) starts while no window of the schedule is open")
    }
    let host = attempt.address.host
    guard !WebAddress.isLoopback(host) || stores.downloads.departing.contains(host) else { return }
    let path = network.path
    guard path.status == .online else { throw Violation(.obstacles, "\(row.id) starts, and there is no path") }
    if path.interface == .cellular || path.isMetered, !mayUseAll(row, settings) {
      throw Violation(.obstacles, "\(row.id) starts over \(path.device ?? "?") and may use unmetered paths only")
    }
    let budget = settings.cellularBudgetBytesPerMonth
    guard
      path.interface != .cellular || budget == 0 || network.usage.bytes < budget
        || network.usage.month < network.localTime.month(at: now)
    else {
      throw Violation(
        .obstacles, "\(row.id) starts over cellular, and \(network.usage.bytes) of \(budget) bytes are used")
    }
  }

  /// Whether a download may use cellular and metered paths, according to the client's settings.
  func mayUseAll(_ row: Download, _ settings: Settings) -> Bool {
    let podcast = row.description.podcast.flatMap { settings.network.podcasts[$0] }
    let own = row.networks.own == .inherit ? podcast ?? .inherit : row.networks.own
    guard own == .inherit else { return own == .any }
    return (row.origin == .user ? settings.network.user : settings.network.auto) == .any
  }

  /// Bytes have come, and the attempt takes them.
  func willTake(_ count: Int, over path: NetworkPath, _ attempt: SimulatedAttempt) throws {
    guard attempt.needsPath, let row = rows[attempt.download],
      !mayUseAll(row, attempt.process.dispatcher.state.settings.settings)
    else { return }
    let known = attempt.process.dispatcher.state.network.state
    // Between a change of the path and the engine's notice of it only the route protects.
    guard path.interface != .cellular || known.source == .reported || attempt.mayUseAllAtStart else {
      throw Violation(.path, "\(count) bytes of \(row.id) come over cellular")
    }
    guard known.source == .reported || known.path != path || path.isUnmetered else {
      throw Violation(
        .path, "\(count) bytes of \(row.id) come over \(path.device ?? "?"), which the engine knows is metered")
    }
  }

  /// An attempt sends these headers.
  func willSend(_ headers: [Header], to address: WebAddress, for download: DownloadID) throws {
    guard let stray = headers.first(where: { $0 != SimulatedClient.key(for: address) }) else { return }
    throw Violation(.headers, "\(download) sends \(stray.name) to \(address.host)")
  }

  // MARK: Traffic

  /// The bytes that came over the network in an attempt, and those that it has reported.
  struct Traffic {
    /// Whether it counts as cellular.
    let isCellular: Bool
    var wire: Int64 = 0
    var told: Int64 = 0
  }

  func noteStart(of attempt: SimulatedAttempt) {
    let stores = attempt.process.dispatcher.state
    attempt.mayUseAllAtStart = rows[attempt.download].map { mayUseAll($0, stores.settings.settings) } ?? false
    traffic[attempt.attempt.id] = Traffic(isCellular: stores.network.state.path.interface == .cellular)
  }

  /// Attempts report received bytes, and the store counts those over cellular.
  func checkTraffic(_ batch: Batch, _ process: SimulatedProcess) throws {
    let network = process.dispatcher.state.network.state
    for (action, outcome) in zip(batch.actions, batch.turnout.outcomes) {
      switch action {
      // A clock that was wrong may have shown another year.
      case .recovered, .timeCame: usage = usage.corrected(to: batch.clock.wall, in: network.localTime)
      case .sidecar(.fetch(let report)) where report.fetched > 0 && cellularFetches.contains(report.fetch):
        usage = usage.turned(to: batch.clock.wall, in: network.localTime)
        usage.bytes += report.fetched
      default: break
      }
      guard case .attempt(let report) = action, case .handled = outcome, var told = traffic[report.attempt] else {
        continue
      }
      told.told += report.fetched
      if told.isCellular, report.fetched > 0 {
        usage = usage.turned(to: batch.clock.wall, in: network.localTime)
        usage.bytes += report.fetched
      }
      traffic[report.attempt] = report.news.isEnd ? nil : told
      guard report.news.isEnd, told.told != told.wire else { continue }
      throw Violation(.traffic, "\(report.attempt.download) has told of \(told.told) bytes, and \(told.wire) have come")
    }
    guard network.usage == usage else {
      throw Violation(.traffic, "\(network.usage) is counted, and \(usage) has come")
    }
  }

  private func isOpen(_ schedule: [ScheduleWindow], at now: Timestamp, in zone: LocalTime) -> Bool {
    guard !schedule.isEmpty else { return true }
    let shown = zone.shown(at: now)
    let minute = Int((shown.milliseconds - Timestamp(day: shown.day).milliseconds) / 60_000)
    let names: [ScheduleWindow.Weekday] = [.thu, .fri, .sat, .sun, .mon, .tue, .wed]
    let today = names[Int(shown.day % 7)]
    let yesterday = names[Int((shown.day + 6) % 7)]
    return schedule.contains { window in
      if window.from < window.to {
        return window.days.contains(today) && window.from <= minute && minute < window.to
      }
      return window.days.contains(today) && minute >= window.from
        || window.days.contains(yesterday) && minute < window.to
    }
  }
}
