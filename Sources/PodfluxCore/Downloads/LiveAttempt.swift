import Flux

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
  /// The reading with which the measurement of speed began; nil before the first.
  private var meter: Meter?

  /// A reading.
  private struct Meter: Hashable {
    /// Bytes that had arrived.
    var received: Int64
    /// When, on the monotonic clock.
    var milliseconds: Int64
  }

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
