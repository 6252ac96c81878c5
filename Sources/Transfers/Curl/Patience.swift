/// Watches that a hop gets on.
///
/// libcurl's own watch (`CURLOPT_LOW_SPEED_TIME`) knows whole seconds only, counts the time of a pause and does not run
/// while a request waits for another's connection. This one looks at every tick, so a stall is seen up to one tick late.
struct Patience {
  private let connectTimeout: Duration
  private let stallTimeout: Duration
  private var lastProgress: SuspendingClock.Instant
  private var hasProgress = false
  private var wasConnected = false

  init(_ request: HTTPRequest, now: SuspendingClock.Instant = .now) {
    connectTimeout = .milliseconds(request.connectTimeoutMilliseconds)
    stallTimeout = .milliseconds(request.stallTimeoutMilliseconds)
    lastProgress = now
  }

  /// Something came. The clock is read at the next tick: this is called for every piece of a body.
  mutating func noteProgress() { hasProgress = true }

  mutating func check(now: SuspendingClock.Instant, isPaused: Bool, isConnected: Bool) -> ExchangeFailure? {
    if hasProgress || isPaused || isConnected != wasConnected {
      hasProgress = false
      wasConnected = isConnected
      lastProgress = now
      return nil
    }
    let silence = now - lastProgress
    if isConnected {
      return silence < stallTimeout ? nil : ExchangeFailure(.stalled, message: "no byte for \(stallTimeout)")
    }
    // libcurl watches over connecting; this is for a request that waits for a connection which another one opens.
    let limit = connectTimeout + stallTimeout
    return silence < limit ? nil : ExchangeFailure(.timeout, message: "no connection for \(limit)")
  }
}
