import Dispatch

/// Says once when so many bytes can be written again, to whoever waits for room on the disk.
///
/// Linux tells nobody that room has become free: it looks, and only while somebody wants to know.
public final class SpaceWatch: @unchecked Sendable {
  // `@unchecked`: the state is touched on the queue only; the rest is immutable.

  /// How often it looks while somebody wants to know.
  public static let intervalMilliseconds = 1000

  private let queue = DispatchQueue(label: "podflux.space", qos: .utility)
  private let interval: DispatchTimeInterval
  private let measure: @Sendable () -> Int64?
  private let post: @Sendable (Int64) -> Void
  private var wanted: Int64?
  private var timer: DispatchSourceTimer?

  /// Watches the file system of a library (fstatvfs(3)), which must stay open while anything is watched for.
  ///
  /// - Parameter post: Hears how many bytes this user may write; called on a thread of the watch's own.
  public convenience init(_ library: Library, post: @escaping @Sendable (Int64) -> Void) {
    // Where the file system does not answer now it may do so in a second.
    self.init(
      measure: { try? library.diskSpace().freeBytes }, intervalMilliseconds: Self.intervalMilliseconds, post: post)
  }

  /// Watches what `measure` says, nil where it cannot say anything.
  init(measure: @escaping @Sendable () -> Int64?, intervalMilliseconds: Int, post: @escaping @Sendable (Int64) -> Void)
  {
    self.measure = measure
    interval = .milliseconds(intervalMilliseconds)
    self.post = post
  }

  deinit {
    timer?.cancel()
  }

  /// From now on it watches for so many free bytes, and for nothing else: it looks at once, then at each interval until
  /// it has posted. With nil it watches for nothing; what it has found before may still be posted.
  ///
  /// Thread safe; returns at once.
  public func watch(atLeast bytes: Int64?) {
    queue.async { [self] in
      wanted = bytes
      look()
    }
  }

  private func look() {
    guard let wanted else { return rest() }
    if let available = measure(), available >= wanted {
      self.wanted = nil
      rest()
      post(available)
    } else if timer == nil {
      begin()
    }
  }

  private func begin() {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.look() }
    timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
    timer.resume()
    self.timer = timer
  }

  private func rest() {
    timer?.cancel()
    timer = nil
  }
}
