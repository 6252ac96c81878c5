import Foundation
import Testing

@testable import Transfers

@Suite("The gate of operations that ask servers")
struct StartGateTests {
  /// An operation that ends at once.
  private final class Ending: AsynchronousOperation, @unchecked Sendable {
    // `@unchecked`: inherited from Operation; a semaphore is thread safe.
    let hasEnded = DispatchSemaphore(value: 0)

    override func begin() {
      finish()
      hasEnded.signal()
    }
  }

  @Test("Without a delay it is open")
  func open() {
    let (queue, operation) = (OperationQueue(), Ending())
    StartGate(openingAfter: .zero).add(operation, to: queue)
    queue.waitUntilAllOperationsAreFinished()
    #expect(operation.isFinished)
  }

  @Test(
    "With one it keeps operations back, and lets one through that has to end",
    arguments: [.seconds(3600), .seconds(Int64.max)] as [Duration])
  func closed(delay: Duration) {
    let queue = OperationQueue()
    let (kept, ending) = (Ending(), Ending())
    let gate = StartGate(openingAfter: delay)
    for operation in [kept, ending] { gate.add(operation, to: queue) }
    gate.letThrough(ending)
    queue.waitUntilAllOperationsAreFinished()
    #expect(ending.isFinished && !kept.isExecuting && !kept.isFinished)
    // One that it does not keep back concerns it not.
    gate.letThrough(ending)
  }

  @Test("It opens by itself")
  func opensByItself() {
    let (queue, operation) = (OperationQueue(), Ending())
    let gate = StartGate(openingAfter: .milliseconds(1))
    gate.add(operation, to: queue)
    withExtendedLifetime(gate) { operation.hasEnded.wait() }
    #expect(operation.isFinished)
  }
}
