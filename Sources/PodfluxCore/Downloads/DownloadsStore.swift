import Flux

/// The downloads: which there are, what state each is in, which of them run.
///
/// Rows live in the table; memory holds what is active (`live`) and running counts, so it does not grow with the
/// library. Its aspects: `+Intents` (what clients want), `+Reports` (what attempts tell), `+Scheduling` (who runs),
/// `+Obstacles` (what keeps them from running), `+Storage` (room on the disk), `+Verifying` (what is read again),
/// `+Cleanup` (what cleaning up changes).
public struct DownloadsStore: Sendable {
  /// The attempts that have not ended, at most `Settings.maxConcurrent`, and what is known of them beyond their rows.
  public internal(set) var live: [DownloadID: LiveAttempt] = [:]
  /// How many downloads are in each state.
  public internal(set) var counts: [DownloadState.Kind: Int]
  /// Hosts that are not to be asked before a moment. As many as have said so of late; kept over a restart.
  public internal(set) var cooldowns: [String: Timestamp]
  /// Hosts on loopback that have led elsewhere: they need a path like others. As many as there were since the start.
  public internal(set) var departing: Set<String> = []
  /// Bytes that were fetched and thrown away, of all downloads that there ever were.
  public internal(set) var discarded: Download.Discarded
  /// What keeps downloads from running, as of the last turn.
  public internal(set) var obstacles = Obstacles()
  /// How local clocks go, as of the last turn.
  var localTime = LocalTime.utc
  /// What the engine's work is to end with, if it is to end.
  public internal(set) var stopping: StopMode?

  /// The counts that the table holds.
  private var savedCounts: [DownloadState.Kind: Int]
  /// What the schedule said last, and what it was asked for.
  var schedule: AskedSchedule?
  /// What is known of those that wait for room.
  var room = RoomWatch()
  /// Whether the engine's tables have been put in order after a start; nothing is scheduled before.
  var isRecovered = false
  /// Whether deletions may be ready that have not been handed out.
  var mayOweDeletions = false
  /// The deletions that have been handed out and not been reported done.
  var deletionsUnderWay: Set<Deletion.Key> = []
  /// Whether verifications may be owed that have not been handed out.
  var mayOweVerifications = false
  /// The verifications that have been handed out and not been reported done.
  var verificationsUnderWay: Set<Verification.Key> = []
  /// What verifications have come to that nobody has been told of.
  var verified = VerificationTally()

  /// Makes the store with what its table holds.
  public init(
    counts: [DownloadState.Kind: Int], cooldowns: [String: Timestamp] = [:], discarded: Download.Discarded = .init()
  ) {
    self.counts = counts
    self.cooldowns = cooldowns
    self.discarded = discarded
    savedCounts = counts
  }

  /// Bytes that arrive in a second, all running transfers together.
  public var bytesPerSecond: Int64 {
    live.values.reduce(0) { $0 + $1.rate }
  }

  mutating func handle(
    _ action: Action, settings: Settings, cleanup: CleanupStore, in turn: inout PodfluxTurn
  ) throws -> Reply? {
    switch action {
    case .downloads(let intent): return try handle(intent, settings: settings, in: &turn)
    case .attempt(let report): try handle(report, settings: settings, in: &turn)
    case .recovered(let recovery): try recover(recovery, in: &turn)
    case .stop(let mode): try stop(mode, in: &turn)
    case .deleted(let key): try finishDeletion(key, in: &turn)
    case .notDeleted(let key, _): try postponeDeletion(key, in: &turn)
    case .verified(let verification, let verdict): try finish(verification, verdict, cleanup, in: &turn)
    case .timeCame: try wakeWaiting(in: &turn)
    case .updateSettings: try apply(settings, in: &turn)
    case .roomCame(let bytes): try wake(withRoom: bytes, settings: settings, in: &turn)
    case .filters, .cleanup, .surveyed, .cleaned, .network, .path, .localTime, .upkeepDone: break
    }
    return nil
  }

  /// Writes a download's change of state.
  ///
  /// - Throws: `StateFault` for what the transition table forbids: the store looks before it goes, so that the row is not
  ///   what it was when it looked.
  mutating func transition(
    _ download: inout Download, to state: DownloadState, in turn: borrowing PodfluxTurn
  ) throws {
    guard download.state.canBecome(state) else {
      throw StateFault("no way leads from \(download.state.kind) to \(state.kind) for \"\(download.id)\"")
    }
    count(download.state.kind, -1)
    count(state.kind, +1)
    download.state = state
    try turn.tables.downloads.update(download)
  }

  /// The row that an attempt works for; nil once that is gone.
  func download(of attempt: AttemptID, in turn: borrowing PodfluxTurn) throws -> Download? {
    guard live[attempt.download]?.isDisowned == false else { return nil }
    return try turn.tables.downloads.find(attempt.download)
  }

  /// Writes the counts if they have changed in this batch.
  mutating func saveCounts(in turn: borrowing PodfluxTurn) throws {
    let changed = counts.filter { savedCounts[$0.key] != $0.value }
    guard !changed.isEmpty else { return }
    try turn.tables.downloads.save(changed)
    savedCounts = counts
  }

  mutating func count(_ kind: DownloadState.Kind, _ change: Int) {
    counts[kind, default: 0] += change
    // It may have waited for room, and others with it.
    if kind == .waiting, change < 0 { room.isStale = true }
  }
}

/// An attempt that has not ended.
public struct LiveAttempt: Hashable, Sendable {
  /// Its generation.
  public let generation: Int64
  /// Its host, for the per-host limit.
  public let host: String
  /// Who asked for it.
  public let origin: Origin
  /// The path as it began, which its connections were made over if it needs one.
  public let path: NetworkPath
  /// How often paths had been left by then.
  let pathGeneration: Int
  /// Which way its connections may take.
  let route: Route
  /// Whether its host can be reached over a path only.
  public let needsPath: Bool
  /// Which networks it may use.
  var policy: NetworkPolicy
  /// How many bytes are still to come, as far as that is known.
  var expected: Int64
  /// Whether it has been told to stop. Its slot is free only when it has ended.
  public internal(set) var isStopping = false
  /// Whether the row that it was started for is gone: a row of the same name is another download's.
  public internal(set) var isDisowned = false
  /// The deletions under way that must end before it publishes.
  var awaitedDeletions: Set<Deletion.Key> = []
  /// What it is doing, as it last said.
  public internal(set) var phase: DownloadState.Phase = .connecting
  /// Bytes that have arrived, kept ones included.
  public internal(set) var received: Int64
  /// Bytes a second, smoothed.
  public internal(set) var rate: Int64 = 0

  /// The durable bytes with which it began: more of them is progress.
  let durableAtStart: Int64
  private var meter: (received: Int64, milliseconds: Int64)?

  init(
    _ attempt: Attempt, policy: NetworkPolicy, path: NetworkPath, pathGeneration: Int = 0, needsPath: Bool,
    expected: Int64
  ) {
    generation = attempt.id.generation
    host = attempt.address.host
    origin = attempt.origin
    self.path = path
    self.pathGeneration = pathGeneration
    route = attempt.route
    self.needsPath = needsPath
    self.policy = policy
    self.expected = expected
    durableAtStart = attempt.resume?.durable ?? 0
    received = durableAtStart
  }

  /// The interval over which speed is measured.
  private static let meterMilliseconds: Int64 = 500

  /// Takes in a reading; the speed is an average of (3·old + new)/4 each half second, as Android's download manager has it.
  mutating func read(_ received: Int64, phase: DownloadState.Phase, at monotonicMilliseconds: Int64) {
    self.received = received
    self.phase = phase
    guard let last = meter, received >= last.received else {
      meter = (received, monotonicMilliseconds)
      return
    }
    let elapsed = monotonicMilliseconds - last.milliseconds
    guard elapsed >= Self.meterMilliseconds else { return }
    let current = (received - last.received) * 1000 / elapsed
    rate = rate == 0 ? current : (3 * rate + current) / 4
    meter = (received, monotonicMilliseconds)
  }

  /// Equal where what others can see of them is equal.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.generation == rhs.generation && lhs.isStopping == rhs.isStopping && lhs.received == rhs.received
      && lhs.rate == rhs.rate && lhs.phase == rhs.phase
  }

  /// Hashes what tells attempts apart.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(generation)
  }
}
