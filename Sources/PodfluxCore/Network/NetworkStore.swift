import Flux

/// What clients want of the network (the article Networks).
///
/// ```swift
/// _ = try await podflux.dispatch(.network(.report(.offline)))
/// _ = try await podflux.dispatch(.network(.auto))
/// ```
public enum NetworkIntent: Hashable, Sendable {
  /// The path is this one; what the engine detects does not count.
  case report(NetworkPath)
  /// The engine is to find out for itself.
  case auto
}

/// The network: which path there is, what has come over cellular, and how local clocks go.
package struct NetworkStore: DomainStore {
  /// The network's state, as the table has it.
  package private(set) var state: NetworkState
  /// How often connections had to be left: who began before has lost its own, also if the path is the same again.
  private(set) var pathNumber = 0
  /// What the engine has found out for itself; nil before it has.
  private var detected: NetworkPath?

  /// How long before the known changes of clocks end they are asked for again: a month.
  private static let foresightDays = 30

  /// Makes the store with what its table holds.
  package init(state: NetworkState = .init()) {
    self.state = state
  }

  /// Takes in what clients report and what the engine detects.
  package mutating func handle(_ action: Action, in turn: inout StoreTurn<Self>, reading _: Void) throws -> Reply? {
    switch action {
    case .intent(.network(.report(let path))):
      try change(to: path, saidBy: .reported, in: &turn)
      return .done
    case .intent(.network(.auto)):
      try change(to: detected ?? state.path, saidBy: .auto, in: &turn)
      return .done
    case .networkPath(let path):
      detected = path
      if state.source == .auto { try change(to: path, saidBy: .auto, in: &turn) }
    case .recovered(let recovery): try begin(recovery, in: &turn)
    case .timeCame:
      let usage = state.usage.corrected(to: turn.now, in: state.localTime)
      guard usage != state.usage else { break }
      state.usage = usage
      try turn.tables.save(state)
    case .localTime(let localTime) where localTime != state.localTime:
      state.localTime = localTime
      try turn.tables.save(state)
    default: break
    }
    return nil
  }

  private mutating func begin(_ recovery: Recovery, in turn: inout StoreTurn<Self>) throws {
    detected = recovery.detectedPath
    state.localTime = recovery.localTime ?? state.localTime
    state.usage = state.usage.corrected(to: turn.now, in: state.localTime)
    // What a client reported to an earlier engine does not hold any more.
    let path = recovery.reportedPath ?? recovery.detectedPath ?? NetworkPath(status: .online)
    move(to: path, saidBy: recovery.reportedPath == nil ? .auto : .reported, in: &turn)
    try turn.tables.save(state)
  }

  private mutating func change(
    to path: NetworkPath, saidBy source: NetworkState.Source, in turn: inout StoreTurn<Self>
  ) throws {
    guard path != state.path || source != state.source else { return }
    move(to: path, saidBy: source, in: &turn)
    try turn.tables.save(state)
  }

  private mutating func move(to path: NetworkPath, saidBy source: NetworkState.Source, in turn: inout StoreTurn<Self>) {
    if !path.goes(the: state.path) {
      pathNumber += 1
      turn.perform(.leaveNetworkPath)
    }
    state.path = path
    state.source = source
  }

  /// Counts what attempts, refreshes and fetches of sidecars bring over cellular, and asks for the time zone each day.
  package mutating func receive(_ event: StoreEvent, in turn: inout StoreTurn<Self>, reading _: Void) throws {
    switch event {
    case .downloads(.fetchedOverCellular(let bytes)), .podcasts(.fetchedOverCellular(let bytes)),
      .sidecars(.fetchedOverCellular(let bytes)):
      try count(bytes, in: turn)
    // The machine may be in another zone than yesterday.
    case .upkeep(.began): turn.perform(.readLocalTime)
    default: break
    }
  }

  private mutating func count(_ bytes: Int64, in turn: borrowing StoreTurn<Self>) throws {
    var usage = state.usage.turned(to: turn.now, in: state.localTime)
    usage.bytes = min(.max - bytes, usage.bytes) + bytes
    state.usage = usage
    try turn.tables.save(state)
  }

  /// Asks for the changes of local clocks when those that are known end soon.
  package mutating func endBatch(in turn: inout StoreTurn<Self>, reading _: Void) throws {
    guard turn.now.advanced(byDays: Self.foresightDays) > state.localTime.knownUntil else { return }
    turn.perform(.readLocalTime)
  }
}

extension NetworkPath {
  /// Whether connections that were made over another path go on over this one.
  package func goes(the other: NetworkPath) -> Bool {
    status == other.status && interface == other.interface && device == other.device
  }
}

extension NetworkState {
  /// The obstacles of downloads that need a path, and of all downloads.
  package func obstacles(
    settings: Settings, schedule: ScheduleVerdict, lack: LackOfRoom, cooldowns: [String: Timestamp],
    departing: Set<String>, parked: Set<Session.Key>, now: Timestamp
  ) -> Obstacles {
    var obstacles = Obstacles(
      classes: settings.network, cooldowns: cooldowns, departing: departing, parked: parked)
    obstacles.any = path.status == .offline ? .network : budget(settings, now: now)
    obstacles.unmetered = path.status == .offline ? .network : path.isUnmetered ? nil : .policy
    obstacles.all = schedule.isOpen ? lack.obstacle : .schedule(until: schedule.until)
    obstacles.rules = lack.obstacleOfRules
    return obstacles
  }

  private func budget(_ settings: Settings, now: Timestamp) -> Obstacle? {
    let budget = settings.cellularBudgetBytesPerMonth
    // Each turn asks; the month takes a calendar.
    guard path.interface == .cellular, budget > 0, usage.bytes >= budget else { return nil }
    let usage = usage.turned(to: now, in: localTime)
    guard usage.bytes >= budget else { return nil }
    return .budget(
      SpentBudget(
        usedBytes: usage.bytes, budgetBytes: budget, until: localTime.beginning(ofMonth: usage.month + 1)))
  }
}
