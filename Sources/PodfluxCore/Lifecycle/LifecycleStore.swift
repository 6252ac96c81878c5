import Flux

/// The engine's life between the opening of a library and its end: whether clients are served, whether anything is
/// started, when the engine may close, and when it wakes.
///
/// It is the first store to handle an action, so that it refuses before another store changes anything, and the last to
/// end a batch, so that it sees what the others have left to do.
package struct LifecycleStore: DomainStore {
  /// The parts of other stores that this store reads.
  package struct Context: Sendable {
    /// What the stores have left to do.
    var outstanding: OutstandingWork
    /// Whether downloads wait for a moment or an obstacle.
    var hasWaitingDownloads: Bool
    /// The sessions that a client has closed: what waits for them moves by a client's doing only.
    var closedSessions: Set<Session.Key>
  }

  /// How the engine's work ends; nil while it goes on.
  package private(set) var stopping: StopMode?
  /// Whether the tables are in order after a start. Nothing is started before, and clients are refused.
  package private(set) var isRecovered = false
  /// Whether downloads are started: a program that changes what they are to be may keep them from it.
  package private(set) var mayDownload = true
  /// The moment at which the engine has been asked to wake the stores.
  private var alarm: Timestamp?

  /// Makes the store of a library that has just been opened.
  package init() {}

  /// Whether the engine gives the library up as soon as no attempt is alive.
  package var isEnding: Bool { stopping.map { $0 > .drain } ?? false }

  /// Whether anything may be started.
  package var isScheduling: Bool { isRecovered && !isEnding }

  /// Refuses the intents of clients while the library is not open for them, and notes how far the engine is.
  package mutating func handle(
    _ action: Action, in turn: inout StoreTurn<Self>, reading context: Context
  ) throws -> Reply? {
    switch action {
    case .intent(.stop(let mode)): stopping = max(stopping ?? mode, mode)
    case .recovered(let recovery): (isRecovered, mayDownload) = (true, recovery.mayDownload)
    case .timeCame: alarm = nil
    case .intent: try refuseUnlessOpen()
    default: break
    }
    return nil
  }

  /// Refuses when the engine stops, and before the tables are in order: rows that a killed engine left running have no
  /// attempt that could be stopped.
  private func refuseUnlessOpen() throws(Refusal) {
    guard isRecovered else {
      throw Refusal(
        .storageFailure,
        "the library is not in order yet, because its database cannot be read or written; the engine's log says why")
    }
    switch stopping {
    case nil, .drain: break
    case .suspend: throw .isSuspended
    case .now: throw Refusal(.shuttingDown, "the engine is stopping and takes no more actions; start it again")
    }
  }

  /// Lets the engine close if nothing is left to do, and asks it to wake the stores at the next moment.
  package mutating func endBatch(in turn: inout StoreTurn<Self>, reading context: Context) throws {
    try closeIfDone(in: &turn, reading: context)
    guard isScheduling, context.outstanding.nextMoment != alarm else { return }
    alarm = context.outstanding.nextMoment
    turn.perform(.wake(at: alarm))
  }

  private func closeIfDone(in turn: inout StoreTurn<Self>, reading context: Context) throws {
    guard let stopping, isRecovered || isEnding, !context.outstanding.isLive else { return }
    switch stopping {
    case .suspend, .now: turn.perform(.close)
    case .drain:
      guard !context.outstanding.isOwed, !(mayDownload && context.hasWaitingDownloads),
        try nothingIsAdmissible(in: turn, reading: context)
      else { return }
      turn.perform(.close)
    }
  }

  /// Whether no download can go on by itself: in an engine that starts none, none can.
  private func nothingIsAdmissible(in turn: borrowing StoreTurn<Self>, reading context: Context) throws -> Bool {
    guard mayDownload else { return true }
    return try turn.tables.downloads.nextAdmissible { lane in
      !(lane.session.map(context.closedSessions.contains) ?? false)
    } == nil
  }
}

extension LifecycleStore.Context {
  /// Copies what this context has of the stores.
  init(_ stores: borrowing Stores) {
    outstanding = stores.outstanding
    hasWaitingDownloads = stores.downloads.hasWaiting
    closedSessions = stores.sessions.view.closed
  }
}

extension Stores {
  /// Whether files are being deleted or moved because their rows say so: what a command has reported as done is done
  /// when this ends. So is what rules delete once rows and files have been compared.
  package var owesFileWork: Bool {
    downloads.isDeleting || sidecars.hasErrands || !rules.awaitingComparison.isEmpty
  }

  /// Whether a sidecar is being fetched.
  package var isFetchingSidecars: Bool { sidecars.hasLiveWork }

  /// Whether a token is being asked for: a server may void the one before while it answers.
  package var isOpeningSession: Bool { sessions.hasLiveWork }
}

extension Timestamp {
  /// The earlier one of two moments of which each may be missing. It allocates nothing: each action asks for it.
  static func earlier(_ one: Timestamp?, _ other: Timestamp?) -> Timestamp? {
    guard let one else { return other }
    guard let other else { return one }
    return min(one, other)
  }
}
