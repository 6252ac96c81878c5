import Foundation
import Synchronization

/// An operation that continues after `start` has returned, until `finish()`.
///
/// `OperationQueue` learns of its state only by key-value notifications, which Foundation on Linux does not derive:
/// without them the queue stalls forever. They are sent outside the lock, since their observers read the state.
class AsynchronousOperation: Operation, @unchecked Sendable {
  // `@unchecked`: Operation is not Sendable; the state added here is behind a lock.

  private enum State {
    case ready, executing, finished
  }

  private let state = Mutex(State.ready)

  /// Always true: `start` leaves the queue's thread at once.
  final override var isAsynchronous: Bool { true }
  /// Whether it is between `start` and `finish()`.
  final override var isExecuting: Bool { state.withLock { $0 == .executing } }
  /// Whether `finish()` was called.
  final override var isFinished: Bool { state.withLock { $0 == .finished } }

  /// The queue calls it when it starts the operation.
  final override func start() {
    change("isExecuting", to: .executing)
    begin()
  }

  /// Starts the work and returns at once.
  func begin() {
    finish()
  }

  /// Ends the operation and frees its place in the queue. Call it once, after `start`.
  final func finish() {
    willChangeValue(forKey: "isExecuting")
    change("isFinished", to: .finished)
    didChangeValue(forKey: "isExecuting")
  }

  private func change(_ key: String, to next: State) {
    willChangeValue(forKey: key)
    state.withLock { $0 = next }
    didChangeValue(forKey: key)
  }
}
