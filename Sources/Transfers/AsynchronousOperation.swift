import Foundation
import Synchronization

/// An operation that goes on after `start` has returned, until `finish()`.
///
/// `OperationQueue` learns of its state by key-value notifications alone, which Foundation on Linux does not derive:
/// without them the queue stalls for ever. They are sent outside the lock, since whoever hears them asks for the state.
open class AsynchronousOperation: Operation, @unchecked Sendable {
  // `@unchecked`: Operation is not Sendable by itself; the state added here is behind a lock.

  private enum State {
    case ready, executing, finished
  }

  private let state = Mutex(State.ready)

  /// Always: it is started on the queue's thread and leaves it at once.
  public final override var isAsynchronous: Bool { true }
  /// Whether it is between `start` and `finish()`.
  public final override var isExecuting: Bool { state.withLock { $0 == .executing } }
  /// Whether `finish()` was called.
  public final override var isFinished: Bool { state.withLock { $0 == .finished } }

  /// Called by the queue when the operation's turn has come.
  public final override func start() {
    change("isExecuting", to: .executing)
    begin()
  }

  /// Begins the work and returns at once.
  open func begin() {
    finish()
  }

  /// Ends the operation: its place in the queue is free. Only after `start`, and once.
  public final func finish() {
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
