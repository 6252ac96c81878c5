/// Where one thread waits for something that another one brings about: it tries, lies down if it must, and tries again
/// when it is woken.
///
/// It belongs under one lock. The waiting thread calls `approach`, then tries; if that succeeds it calls `leave`,
/// otherwise it sleeps. A thread that has changed something calls `open`, and wakes the sleeper if that says so. A wake-up too many makes
/// the sleeper try once more; one too few cannot be, since the approach comes before the try.
public struct Gate: Hashable, Sendable {
  /// Whether a thread sleeps, or is about to.
  public private(set) var isApproached = false

  /// Makes one at which no thread waits.
  public init() {}

  /// The thread is about to try, and will sleep if it cannot.
  public mutating func approach() {
    isApproached = true
  }

  /// It could, and does not sleep.
  public mutating func leave() {
    isApproached = false
  }

  /// Something has changed. Returns whether a thread is to be woken.
  public mutating func open() -> Bool {
    defer { isApproached = false }
    return isApproached
  }
}
