import EngineRuntime

/// Detects a hop without progress.
///
/// libcurl's own check (`CURLOPT_LOW_SPEED_TIME`) has a resolution of whole seconds, counts paused time, and does not
/// run while a request waits for another's connection. This one checks at every tick, so it notices everything up to
/// one tick late. It reads the clock only at ticks: the other methods run for every piece of a body.
struct StallDetector {
  private let connectTimeout: Duration
  private let firstByteTimeout: Duration
  private let stallTimeout: Duration
  private var phase = Phase.connecting
  /// The start of the phase; while receiving the body, the time of the last byte.
  private var watchBegan: SuspendingClock.Instant
  private var lastCheck: SuspendingClock.Instant
  private var pace: Pace

  /// The events since the last check.
  private var hasHead = false
  private var hasProgress = false
  private var wasPaused = false
  private var bytes: Int64 = 0

  private enum Phase {
    case connecting
    case awaitingHead
    case receiving
  }

  init(_ request: HTTPRequest, now: SuspendingClock.Instant = .now) {
    connectTimeout = .milliseconds(request.connectTimeoutMilliseconds)
    firstByteTimeout = .milliseconds(request.firstByteTimeoutMilliseconds)
    stallTimeout = .milliseconds(request.stallTimeoutMilliseconds)
    pace = Pace(leastPerSecond: request.slowBytesPerSecond, window: .milliseconds(request.slowWindowMilliseconds))
    watchBegan = now
    lastCheck = now
  }

  /// The final head is complete. A redirect's head does not count: its whole hop has the timeout of a head.
  mutating func noteHead() {
    hasHead = true
    hasProgress = true
  }

  /// The delegate took bytes of the body; 0 if some came but it took none.
  mutating func noteProgress(bytes: Int) {
    hasProgress = true
    self.bytes += Int64(bytes)
  }

  /// The exchange was paused or resumed: time in which the engine takes nothing says nothing about the origin.
  mutating func notePause() { wasPaused = true }

  mutating func check(now: SuspendingClock.Instant, isPaused: Bool, isConnected: Bool) -> ExchangeFailure? {
    let elapsed = now - lastCheck
    let isOwnDelay = isPaused || wasPaused
    let received = bytes
    (lastCheck, wasPaused, bytes) = (now, false, 0)
    if advance(isConnected: isConnected) || (phase == .receiving && (hasProgress || isPaused)) { watchBegan = now }
    hasProgress = false
    if let failure = silence(for: now - watchBegan) { return failure }
    guard phase == .receiving, !isOwnDelay else { return nil }
    return pace.note(bytes: received, in: elapsed)
  }

  /// Returns whether another phase has begun.
  private mutating func advance(isConnected: Bool) -> Bool {
    let next: Phase = hasHead ? .receiving : isConnected ? .awaitingHead : .connecting
    defer { phase = next }
    return phase != next
  }

  private func silence(for duration: Duration) -> ExchangeFailure? {
    switch phase {
    case .connecting:
      // libcurl's timeout covers connecting; this one is for a request that waits for another's connection.
      let limit = connectTimeout + firstByteTimeout
      return duration < limit ? nil : ExchangeFailure(.timeout, message: "no connection for \(limit)")
    case .awaitingHead:
      guard duration >= firstByteTimeout else { return nil }
      return ExchangeFailure(.stalled, message: "no complete head for \(firstByteTimeout)")
    case .receiving:
      return duration < stallTimeout ? nil : ExchangeFailure(.stalled, message: "no byte for \(stallTimeout)")
    }
  }
}

/// Measures consecutive windows of receiving, and requires a minimum rate in each.
private struct Pace {
  let leastPerSecond: Int64
  let window: Duration
  private var elapsed = Duration.zero
  private var bytes: Int64 = 0

  init(leastPerSecond: Int64, window: Duration) {
    self.leastPerSecond = leastPerSecond
    self.window = window
  }

  /// A failure if a complete window was too slow.
  mutating func note(bytes newBytes: Int64, in duration: Duration) -> ExchangeFailure? {
    guard leastPerSecond > 0 else { return nil }
    elapsed += duration
    bytes += newBytes
    guard elapsed >= window else { return nil }
    let rate = Double(bytes) / (elapsed / .seconds(1))
    (elapsed, bytes) = (.zero, 0)
    guard rate < Double(leastPerSecond) else { return nil }
    return ExchangeFailure(
      .tooSlow, message: "\(Int64(rate)) bytes per second for \(window), and \(leastPerSecond) are wanted")
  }
}
