/// Lets one thread wait for a condition that another one brings about: it tries, sleeps if it fails, and tries again
/// when woken.
///
/// Guard it with one lock. The waiting thread calls `approach`, then tries; on success it calls `leave`, otherwise it
/// sleeps. Another thread that has changed something calls `open`, and wakes the sleeper if that returns true. A
/// spurious wake-up only causes one more try; a lost one is impossible, since `approach` comes before the try.
///
/// ```swift
/// var gate = Gate()
/// gate.approach()
/// if gate.open() { print("wake the thread that sleeps") }
/// ```
public struct Gate: Hashable, Sendable {
  /// Whether a thread sleeps, or is about to.
  public private(set) var isApproached = false

  /// A gate without a waiting thread.
  public init() {}

  /// A thread is about to try, and will sleep if it fails.
  public mutating func approach() {
    isApproached = true
  }

  /// The try succeeded: the thread does not sleep.
  public mutating func leave() {
    isApproached = false
  }

  /// The condition may have changed. Returns whether to wake the sleeper.
  public mutating func open() -> Bool {
    defer { isApproached = false }
    return isApproached
  }
}
