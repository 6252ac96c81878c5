import Flux

/// The sessions: which logins there are, how far each is, and which are being opened.
///
/// All rows live in memory too: there are at most `Session.Limits.sessions`. What is known of tokens beyond the rows
/// (which a server has accepted, how often a request was refused) begins anew with each start. Its aspects: `+Intents`
/// (what clients want), `+Signals` (what requests find), `+Opening` (which sessions are opened, and what comes of it).
package struct SessionsStore: DomainStore {
  /// The parts of other stores that this store reads.
  package struct Context: Sendable {
    /// The engine's lifecycle: whether it works, suspends or stops.
    var lifecycle: LifecycleStore
    var settings: Settings
    var network: NetworkStore
    /// The obstacles for requests, by host, session and network.
    var obstacles: Obstacles
  }

  /// What requests look at.
  package internal(set) var view = SessionsView()
  /// The openings that have not ended, by the numbers of their sessions.
  var live: [Session.Key: SessionOpening.ID] = [:]
  /// The sessions whose requests would be sent if they were open.
  var wanted: Set<Session.Key> = []
  /// The sessions that a row has left: nothing may refer to them any more.
  var left: Set<Session.Key> = []
  /// When the first opening that has failed is tried again; nil if none is.
  package internal(set) var nextMoment: Timestamp?

  /// The limits of what is kept beyond the rows.
  enum Limits {
    /// Of how many requests it is known how often they were refused. Beyond that all begin anew.
    static let tries = 4096
  }

  /// Makes the store with what its table holds.
  package init(sessions: [Session] = []) {
    for session in sessions { view.sessions[session.key] = session }
  }

  /// Whether a session is being opened.
  package var hasLiveWork: Bool { !live.isEmpty }

  /// Whether the store does something for a call of the list; a case that a method below handles is named here too.
  func isConcerned(by call: StoreCall) -> Bool {
    switch call {
    case .handle(.intent(.sessions)), .handle(.session), .receive(.downloads(.session)), .receive(.podcasts(.session)),
      .receive(.sidecars(.session)), .handle(.recovered):
      true
    case .handle(.networkPath), .handle(.intent(.network)), .endBatch: !view.sessions.isEmpty
    case .handle, .receive: false
    }
  }

  /// Takes in what clients want and what openings report.
  package mutating func handle(
    _ action: Action, in turn: inout StoreTurn<Self>, reading context: Context
  ) throws -> Reply? {
    switch action {
    case .intent(.sessions(let intent)): return try handle(intent, in: &turn)
    case .session(let fact): try handle(fact, in: &turn)
    case .recovered: try recover(in: &turn)
    case .networkPath, .intent(.network): try hurry(in: turn)
    default: break
    }
    return nil
  }

  /// Takes in what requests find.
  package mutating func receive(_ event: StoreEvent, in turn: inout StoreTurn<Self>, reading context: Context) throws {
    switch event {
    case .downloads(.session(let signal)), .podcasts(.session(let signal)), .sidecars(.session(let signal)):
      try handle(signal, in: &turn)
    default: break
    }
  }

  /// Opens the sessions that are wanted.
  package mutating func endBatch(in turn: inout StoreTurn<Self>, reading context: Context) throws {
    guard context.lifecycle.isScheduling else { return }
    try discardWhatIsLeft(in: &turn)
    try openWhatIsWanted(reading: context, in: &turn)
  }

  /// Writes a session's change of state.
  ///
  /// - Throws: `StateFault` for what the transition table forbids.
  mutating func transition(
    _ session: inout Session, to state: SessionState, in turn: borrowing StoreTurn<Self>
  ) throws {
    guard session.state.canBecome(state) else {
      throw StateFault("no way leads from \(session.state.kind) to \(state.kind) for \"\(session.id)\"")
    }
    if session.state.kind != state.kind { session.since = turn.now }
    session.state = state
    try save(session, in: turn)
  }

  mutating func save(_ session: Session, in turn: borrowing StoreTurn<Self>) throws {
    view.sessions[session.key] = session
    try turn.tables.sessions.save(session)
  }
}

extension SessionsStore.Context {
  /// Copies what this context has of the stores.
  init(_ stores: borrowing Stores) {
    lifecycle = stores.lifecycle
    settings = stores.settings.settings
    network = stores.network
    obstacles = stores.downloads.obstacles
  }
}
