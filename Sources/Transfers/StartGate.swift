import Dispatch
import Foundation
import Synchronization

/// Keeps operations back for a while after an engine's start.
///
/// A program that only changes something ends its engine after some milliseconds. Each time it would begin requests,
/// and break them off: servers would count a listener for each.
final class StartGate: Sendable {
  private struct Waiting {
    var operation: AsynchronousOperation
    var queue: OperationQueue
  }

  /// For longer than a process lives: a program may say so much that no number of milliseconds is as large.
  private static let longestDelay = Duration.seconds(100 * 366 * 86_400)

  /// What waits, in the order of its coming; nil once the gate is open.
  private let waiting: Mutex<[Waiting]?>

  /// - Parameter delay: After what time it opens.
  init(openingAfter delay: Duration) {
    let isOpen = delay <= .zero
    waiting = Mutex(isOpen ? nil : [])
    guard !isOpen else { return }
    let milliseconds = Int(min(delay, Self.longestDelay) / .milliseconds(1))
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in self?.open() }
  }

  /// Adds an operation to its queue, when the gate is open.
  func add(_ operation: AsynchronousOperation, to queue: OperationQueue) {
    let waits = waiting.withLock { waiting in
      waiting?.append(Waiting(operation: operation, queue: queue))
      return waiting != nil
    }
    if !waits { queue.addOperation(operation) }
  }

  /// Lets an operation through that has been told to stop: it ends once it has begun.
  func letThrough(_ operation: AsynchronousOperation) {
    let found = waiting.withLock { waiting -> Waiting? in
      guard let index = waiting?.firstIndex(where: { $0.operation === operation }) else { return nil }
      return waiting?.remove(at: index)
    }
    if let found { found.queue.addOperation(operation) }
  }

  private func open() {
    let all = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting ?? []
    }
    for one in all { one.queue.addOperation(one.operation) }
  }
}
