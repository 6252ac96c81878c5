import Flux

/// An attempt that has not ended: what is known of a running download beyond its row.
///
/// ```swift
/// if let live = item.live { print(live.phase.name, live.received, "bytes,", live.rate, "a second") }
/// ```
public struct LiveAttempt: Hashable, Sendable {
  public let generation: Int64
  /// Its host, for the per-host limit.
  public let host: String
  /// Who requested it.
  public internal(set) var origin: Origin
  /// The network path at its start, over which its connections were opened if it needs one.
  public let path: NetworkPath
  /// The number of the network path at its start (`NetworkStore.pathNumber`).
  let pathNumber: Int
  /// The route of its connections.
  let route: Route
  /// Whether reaching its host needs a path.
  public let needsPath: Bool
  var policy: NetworkPolicy
  /// How many bytes are still expected, as far as that is known.
  private(set) var expected: Int64
  /// Whether its server has not said how long its file is, and there is no room for what others say of it.
  private(set) var isOfUnknownLength: Bool
  /// Whether no server has said so, and what is expected is what others say.
  private(set) var isClaimed: Bool
  /// The hosts of what its file's tags are to show, as far as it may fetch that.
  var partHosts: [TagMaterial.Part: String]
  /// Whether it was stopped. Its slot is free only when it has ended, or publishes.
  public internal(set) var isStopping = false
  /// Whether its row is gone: a row with the same id is another download's.
  public internal(set) var isDisowned = false
  /// The deletions under way that must end before it publishes.
  var awaitedDeletions: Set<Deletion.Key> = []
  /// Whether the name of its file was recorded: from then on it needs no network, and no slot.
  var isPublishing = false
  /// The last reported phase, for people. No decision may depend on it: readings are not in the journal.
  public internal(set) var phase: DownloadState.Phase = .connecting
  /// Received bytes, kept ones included; for people, as the phase.
  public internal(set) var received: Int64
  /// Bytes per second, smoothed; for people, as the phase.
  public internal(set) var rate: Int64 = 0

  /// The session that its requests go with.
  let session: SessionGrant?
  /// Whether a server has accepted the session's token.
  var isAccepted = false

  /// The durable bytes at its start: more of them is progress.
  let durableAtStart: Int64
  /// The start of the current speed measurement; nil before the first reading.
  private var meter: Meter?

  private struct Meter: Hashable {
    /// Received bytes at that time.
    var received: Int64
    /// The time on the monotonic clock.
    var milliseconds: Int64
  }

  init(
    _ attempt: Attempt, policy: NetworkPolicy, path: NetworkPath, pathNumber: Int = 0, needsPath: Bool,
    expected: Int64?, isClaimed: Bool = false, session: SessionGrant? = nil
  ) {
    generation = attempt.id.generation
    host = attempt.address.host
    origin = attempt.origin
    self.path = path
    self.pathNumber = pathNumber
    route = attempt.route
    self.needsPath = needsPath
    self.policy = policy
    self.expected = expected ?? 0
    isOfUnknownLength = expected == nil
    self.isClaimed = isClaimed && expected != nil
    self.session = session
    partHosts = attempt.tagSources?.sources.mapValues(\.address.host) ?? [:]
    durableAtStart = attempt.resume?.durable ?? 0
    received = durableAtStart
  }

  /// Notes how many bytes are still expected; nil where that is unknown.
  mutating func expect(_ bytes: Int64?, isClaimed: Bool) {
    expected = bytes ?? 0
    isOfUnknownLength = bytes == nil
    self.isClaimed = isClaimed && bytes != nil
  }

  /// After how many restarts of a download what its attempts keep is no progress any more.
  static let progressiveRestarts = 10

  /// How many bytes more than it began with it kept: each is progress. What it fetched again after a restart does not
  /// count until it exceeds what there was, and nothing counts after many restarts: a file that changes at every
  /// request must not be tried for ever.
  func gain(_ kept: ResumeRecord?, restarts: Int) -> Int64 {
    restarts > Self.progressiveRestarts ? 0 : max(0, (kept?.durable ?? 0) - durableAtStart)
  }

  /// The interval of a speed measurement.
  private static let meterMilliseconds: Int64 = 500

  /// Takes a reading; the speed is an average of (3·old + new)/4 each half second, as in Android's download manager.
  mutating func read(_ received: Int64, phase: DownloadState.Phase, at monotonicMilliseconds: Int64) {
    self.received = received
    self.phase = phase
    guard let last = meter, received >= last.received else {
      meter = Meter(received: received, milliseconds: monotonicMilliseconds)
      return
    }
    let elapsed = monotonicMilliseconds - last.milliseconds
    guard elapsed >= Self.meterMilliseconds else { return }
    let current = (received - last.received) * 1000 / elapsed
    rate = rate == 0 ? current : (3 * rate + current) / 4
    meter = Meter(received: received, milliseconds: monotonicMilliseconds)
  }
}
