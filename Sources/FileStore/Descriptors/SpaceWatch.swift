import Dispatch

/// Posts once when the disk has enough free bytes for a waiting download, and room for a file.
///
/// Linux has no notification for freed space, so this polls, and only while a threshold is set.
package final class SpaceWatch: @unchecked Sendable {
  // `@unchecked`: the state is touched on the queue only; the rest is immutable.

  /// The polling interval while a threshold is set.
  package static let intervalMilliseconds = 1000

  private let queue = DispatchQueue(label: "podflux.space", qos: .utility)
  private let interval: DispatchTimeInterval
  private let measure: @Sendable () -> Int64?
  private let post: @Sendable (Int64) -> Void
  private var wanted: Int64?
  private var timer: DispatchSourceTimer?

  /// Watches the file system of a library (fstatvfs(3)). The library must stay open while a threshold is set.
  ///
  /// - Parameter post: Receives the bytes that this user may write, on a thread of the watch.
  package convenience init(_ library: Library, post: @escaping @Sendable (Int64) -> Void) {
    // A file system that does not answer now may answer in a second.
    self.init(
      measure: { try? library.diskSpace().freeBytesForNewFiles },
      intervalMilliseconds: Self.intervalMilliseconds, post: post)
  }

  /// Watches the result of `measure`, which is nil if the measurement failed.
  init(measure: @escaping @Sendable () -> Int64?, intervalMilliseconds: Int, post: @escaping @Sendable (Int64) -> Void)
  {
    self.measure = measure
    interval = .milliseconds(intervalMilliseconds)
    self.post = post
  }

  deinit {
    timer?.cancel()
  }

  /// Sets the threshold in place of the former one: polls at once, then at each interval until it has posted. With nil
  /// it stops polling; a result that it found before may still be posted.
  ///
  /// Thread safe; returns at once.
  package func watch(atLeast bytes: Int64?) {
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
