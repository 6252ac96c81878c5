import Flux

/// Events by which the sidecars inform other stores.
package enum SidecarsEvent: Sendable {
  /// A fetch has brought so many bytes over cellular.
  case fetchedOverCellular(Int64)
  /// The engine has made folders for a file.
  case madeFolders([LibraryPath])
  /// What fetches find about their sessions.
  case session(SessionSignal)
}

/// The sidecars: which small files lie beside the files of episodes, and which are to be fetched.
///
/// Rows live in the table; memory holds what is under way. Without the setting and without rows the store does nothing
/// in a turn. Its aspects: `+Wanting` (which are wanted), `+Scheduling` (which are fetched), `+Reports` (what fetches
/// bring), `+Files` (deletions, moves, and looking for what people have done).
package struct SidecarsStore: DomainStore {
  /// The parts of other stores that this store reads.
  package typealias Context = RequestContext

  /// A fetch that has not ended.
  struct LiveFetch: Hashable, Sendable {
    var id: SidecarFetch.ID
    /// Its request; nil if it needs no network.
    var request: LiveRequest?
    var isStopping = false
  }

  /// A round that looks whether the files are there, and which covers are of use.
  struct Round: Hashable, Sendable {
    /// The sequence number of the action that began it.
    var number: Int64
    /// The last one that was looked at; nil when all were.
    var sidecar: Sidecar.Key? = 0
    var cover: Sidecar.Key? = 0
    /// Whether files are being looked at now.
    var isLooking = false
    /// The sidecars that have begun to move since: the look says nothing of where they are then.
    var moved: Set<Sidecar.Key> = []
  }

  /// The fetches that have not ended, by the numbers of their sidecars.
  var live: [Sidecar.Key: LiveFetch] = [:]
  /// The deletions and moves that sidecars are owed.
  var errands = OwedWork<Sidecar>(limit: SidecarLimits.errands)
  /// The moves that have been decided since the start: no engine that has ended can have begun them.
  var freshMoves: Set<Sidecar.Key> = []
  /// The round that is under way.
  var round: Round?
  /// After which download, by the number of its row, the completed ones are asked; nil if none is.
  var scanAfter: Int64?
  /// Whether the table has rows, or had some since the start.
  var hasRows: Bool
  /// Whether a sidecar may be fetched that could not be when the store looked last.
  var mayFetch = true
  /// When the first one that waits is to be fetched; nil if none waits for a moment.
  private(set) var wakeAt: Timestamp?
  /// When the next page of a scan or a round follows; nil if none does.
  private var goesOnAt: Timestamp?
  /// What stood in the way of requests when the store looked last.
  var seenObstacles = SeenObstacles()

  /// Makes the store with what its tables hold.
  package init(hasRows: Bool = false, scanAfter: Int64? = nil) {
    self.hasRows = hasRows
    self.scanAfter = scanAfter
  }

  /// Whether a fetch is alive.
  package var hasLiveWork: Bool { !live.isEmpty }

  /// Whether something is under way that a drain waits for.
  package var owesWork: Bool { hasErrands || scanAfter != nil || round != nil }

  /// Whether sidecars are being deleted or moved.
  var hasErrands: Bool { !errands.underWay.isEmpty }

  /// When something is to be done next; nil if nothing is.
  package var nextMoment: Timestamp? { Timestamp.earlier(wakeAt, goesOnAt) }

  /// Whether the store does something for a call of the list; a case that a method below handles is named here too.
  func isConcerned(by call: StoreCall) -> Bool {
    switch call {
    case .handle(.sidecar), .handle(.recovered), .handle(.intent(.stop)), .receive(.settings): true
    case .handle(.timeCame), .handle(.networkPath), .handle(.intent(.network)), .receive(.cleanup(.accepted)),
      .receive(.downloads(.removed)), .receive(.downloads(.removedMany)), .receive(.downloads(.lost)),
      .receive(.podcasts(.sessionChanged)):
      hasRows
    case .receive(.downloads(.completed)), .receive(.downloads(.enqueued(_, _, isNew: false))),
      .receive(.cleanup(.endedRenaming)), .receive(.podcasts(.noted)):
      true
    case .endBatch: hasRows || scanAfter != nil
    case .handle, .receive: false
    }
  }

  /// Takes in what services report.
  package mutating func handle(
    _ action: Action, in turn: inout StoreTurn<Self>, reading context: Context
  ) throws -> Reply? {
    switch action {
    case .sidecar(let fact): try handle(fact, reading: context, in: &turn)
    case .recovered:
      mayFetch = true
      guard hasRows else { break }
      try forgetFarMoments(in: turn)
      try leaveForeignSessions(reading: context, in: turn)
      try turn.tables.sidecars.oweAll()
      errands.oweMore()
      if context.settings.cleanupOnStart { beginRound(in: turn) }
    case .timeCame:
      mayFetch = true
      if hasRows { try forgetFarMoments(in: turn) }
    case .networkPath, .intent(.network): mayFetch = true
    case .intent(.stop): if context.lifecycle.isEnding { for key in live.keys.sorted() { stop(key, in: &turn) } }
    default: break
    }
    return nil
  }

  /// Follows the downloads and the settings.
  package mutating func receive(_ event: StoreEvent, in turn: inout StoreTurn<Self>, reading context: Context) throws {
    switch event {
    case .settings(.changed(let former)):
      mayFetch = true
      guard context.settings.sidecars.kinds.contains(where: { !former.sidecars.contains($0) }) else { break }
      scanAfter = 0
      try turn.tables.sidecars.save(scanAfter: scanAfter)
    case .downloads(.completed(let id)): try want(for: id, reading: context, in: turn)
    // An existing download, which may be completed already, has got an episode.
    case .downloads(.enqueued(_, let id, isNew: false)): try want(for: id, reading: context, in: turn)
    // A file that is written already stays as it is.
    case .podcasts(.noted(let ids)): for id in ids { try want(for: id, reading: context, in: turn) }
    case .podcasts(.sessionChanged(let ids, let former, let session)):
      for id in ids { try follow(session, from: former, id, reading: context, in: turn) }
    case .downloads(.removed(let id, let file, let withFile)):
      try leave(id, withFile: withFile, forGood: true, in: &turn)
      try leaveCovers(above: file.path, in: &turn)
    case .downloads(.lost(let id, let file)):
      try leave(id, withFile: true, forGood: false, in: &turn)
      try leaveCovers(above: file.path, in: &turn)
    case .downloads(.removedMany):
      try stopWhatLeaves(in: &turn)
      errands.oweMore()
      if round == nil { round = Round(number: turn.sequence, sidecar: nil) } else { round?.cover = 0 }
    case .cleanup(.accepted): beginRound(in: turn)
    case .cleanup(.endedRenaming(let step, let isMoved)):
      if isMoved { try follow(step, reading: context, in: &turn) }
    default: break
    }
  }

  /// Starts the fetches that are due and may run, stops those that may not, and hands out what is owed.
  package mutating func endBatch(in turn: inout StoreTurn<Self>, reading context: Context) throws {
    guard context.lifecycle.isScheduling else { return }
    goesOnAt = nil
    try scan(reading: context, in: &turn)
    try goOnLooking(in: &turn)
    if scanAfter != nil || round.map({ !$0.isLooking }) ?? false { goesOnAt = turn.now }
    stopWhatMayNotRun(reading: context, in: &turn)
    if let wakeAt, wakeAt <= turn.now { mayFetch = true }
    if try startDueFetches(reading: context, in: &turn) {
      wakeAt = try turn.tables.sidecars.nextMoment(after: turn.now)
    } else if mayFetch {
      // All slots are taken: the end of a fetch looks again. A moment that has passed would wake the engine without
      // end.
      wakeAt = nil
    }
    try handOutErrands(settings: context.settings, in: &turn)
  }

  /// Tells a fetch to stop. It keeps its slot until it has ended.
  mutating func stop(_ key: Sidecar.Key, in turn: inout StoreTurn<Self>) {
    guard let fetch = live[key], !fetch.isStopping else { return }
    live[key]?.isStopping = true
    turn.perform(.sidecar(.stop(fetch.id)))
  }

  /// Begins a round, in the place of one that is under way.
  mutating func beginRound(in turn: borrowing StoreTurn<Self>) {
    round = Round(number: turn.sequence)
  }
}
